"""Writes the marks of a card as an SVG: plain text, for pages and programs without Pillow.

Nothing in it is fetched from anywhere, and all text is text. It has no styles of its own but attributes, so it needs no
permission of a page's Content-Security-Policy. Each text is as long as it was measured, in whatever font it is shown.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from html import escape
from typing import TypeVar

from sim.core import cards as m
from sim.core.cards.theme import CORNER_RADIUS, GROUND, HEAD, STRIPE, STRIPE_GAP, TROUGH, WIDTH, Hatched, Paint

K = TypeVar("K", bound=Hashable)

_FONTS = "DejaVu Sans Condensed, DejaVu Sans, Verdana, sans-serif"
_DROPPED, _KEPT = re.compile(r"^ | $|(?<= ) "), "\u00a0"
"""The spaces that browsers leave out, though they belong to a text's width, and what they keep instead."""


def write_svg(height: int, marks: Iterable[m.Mark], alt: str, prefix: str) -> str:
    """Return an SVG element with round corners, named by `alt` for people who can't see it; `prefix`: of its ids."""
    writer = _Writer(prefix)
    body = "".join(writer.elements(marks))
    field = f'width="{WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-labelledby="{prefix}-alt" font-family="{_FONTS}">'
        f'<desc id="{prefix}-alt">{_plain(alt)}</desc><defs>{"".join(writer.defs)}'
        f'<clipPath id="{prefix}-card"><rect {field} rx="{CORNER_RADIUS}"/></clipPath></defs>'
        f'<g clip-path="url(#{prefix}-card)"><rect {field} fill="{GROUND}"/>{body}</g></svg>\n'
    )


class _Writer:
    """Turns marks into elements; `defs` holds what several of them share, each with an id."""

    def __init__(self, prefix: str) -> None:
        self.defs: list[str] = []
        self._prefix = prefix
        self._known: dict[Hashable, str] = {}

    def elements(self, marks: Iterable[m.Mark]) -> Iterator[str]:
        """Yield the elements of each mark."""
        for mark in marks:
            yield from self._drawn(mark)

    def _drawn(self, mark: m.Mark) -> Iterator[str]:
        match mark:
            case m.Text():
                yield _text(mark)
            case m.Fill():
                radius = min(mark.radius, min(m.size_of(mark.box)) // 2)
                yield f'<rect {_at(mark.box)}{_round(radius)} fill="{mark.color}"/>'
            case m.Segments():
                yield self._segments(mark)
            case m.Grid():
                yield from self._grid(mark)
            case m.Shape():
                place = f"translate({mark.x} {mark.y}) scale({mark.height / mark.shape.height:.5g})"
                yield f'<use href="#{self._shared(mark.shape, _silhouette)}" transform="{place}" color="{mark.color}"/>'
            case m.Drawing():
                place = f"translate({mark.x} {mark.y}) scale({mark.height / mark.picture.height:.5g})"
                yield f'<use href="#{self._shared(mark.picture, _picture)}" transform="{place}"/>'
            case m.Ring():
                yield from self._ring(mark)
            case m.Hatch(box=(left, top, right, bottom)):
                name = self._shared((mark.pattern, mark.color), _pattern)
                yield (
                    f'<rect transform="translate({left} {top})" width="{right - left}" height="{bottom - top}"'
                    f' fill="url(#{name})" fill-opacity="{mark.share:g}"/>'
                )

    def _shared(self, key: K, make: Callable[[str, K], str]) -> str:
        """Return the id of a definition, made at its first use."""
        if key not in self._known:
            self._known[key] = name = f"{self._prefix}-{len(self._known)}"
            self.defs.append(make(name, key))
        return self._known[key]

    def _segments(self, mark: m.Segments) -> str:
        left, top, _, _ = mark.box
        width, height = m.size_of(mark.box)
        clip = self._shared((width, height, mark.radius), _clip)
        parts = "".join(
            f'<rect x="{start}" width="{end - start}" height="{height}" fill="{fill}"/>'
            for start, end, paint in mark.parts
            for fill in self._fills(paint)
        )
        return f'<g transform="translate({left} {top})" clip-path="url(#{clip})">{parts}</g>'

    def _ring(self, mark: m.Ring) -> Iterator[str]:
        yield _arc(mark, TROUGH, 0, 1)
        if mark.lost:
            yield _arc(mark, self._fills(Hatched(mark.color))[1], mark.left, mark.left + mark.lost)
        if mark.left:
            yield _arc(mark, mark.color, 0, mark.left)

    def _fills(self, paint: Paint) -> tuple[str, ...]:
        if isinstance(paint, Hatched):
            return TROUGH, f"url(#{self._shared(paint, _stripes)})"
        return (paint,)

    def _grid(self, mark: m.Grid) -> Iterator[str]:
        for number, cell in enumerate(mark.cells):
            row, column = divmod(number, mark.columns)
            name = self._shared(cell, lambda name, cell: f'<g id="{name}">{"".join(self.elements(cell.marks))}</g>')
            yield f'<use href="#{name}" x="{mark.x + column * cell.size}" y="{mark.y + row * cell.size}"/>'


def _silhouette(name: str, shape: m.Silhouette) -> str:
    """Return a silhouette in its own field; with holes it is a rectangle behind a mask."""
    if not any(stroke.ground for stroke in shape.strokes):
        return f'<g id="{name}">{"".join(_stroke(stroke, "currentColor") for stroke in shape.strokes)}</g>'
    field = f'width="{shape.width:g}" height="{shape.height:g}"'
    strokes = "".join(_stroke(stroke, "#000" if stroke.ground else "#fff") for stroke in shape.strokes)
    return (
        f'<mask id="{name}-mask" maskUnits="userSpaceOnUse" x="0" y="0" {field}>{strokes}</mask>'
        f'<rect id="{name}" {field} fill="currentColor" mask="url(#{name}-mask)"/>'
    )


def _plain(text: str) -> str:
    """Return text as text, without characters that nobody sees: they may end a document or turn a line around."""
    return escape("".join(char if char.isprintable() else " " if char.isspace() else "" for char in text))


def _at(box: m.Box) -> str:
    width, height = m.size_of(box)
    return f'x="{box[0]}" y="{box[1]}" width="{width}" height="{height}"'


def _round(radius: int) -> str:
    return f' rx="{radius}"' if radius else ""


def _text(mark: m.Text) -> str:
    weight = ' font-weight="700"' if mark.bold or mark.size >= HEAD else ""
    face = ' font-family="Grenze, Georgia, serif"' if mark.size >= HEAD else ""
    length = f' textLength="{mark.width}" lengthAdjust="spacingAndGlyphs"' if mark.width else ""
    return (
        f'<text x="{mark.x}" y="{mark.y}" font-size="{mark.size}"{face}{weight} fill="{mark.color}"{length}>'
        f"{_DROPPED.sub(_KEPT, _plain(mark.text))}</text>"
    )


def _arc(mark: m.Ring, color: str, start: float, end: float) -> str:
    """Return a part of a ring, from a share of the circle to another; a dash of a whole circle of length 1."""
    radius = (m.size_of(mark.box)[0] - mark.width) / 2
    x, y = ((low + high) / 2 for low, high in zip(mark.box[:2], mark.box[2:], strict=True))
    return (
        f'<ellipse cx="{x:g}" cy="{y:g}" rx="{radius:g}" ry="{radius:g}" fill="none" stroke="{color}"'
        f' stroke-width="{mark.width}" transform="rotate(-90 {x:g} {y:g})" pathLength="1"'
        f' stroke-dasharray="{min(1.0, end) - start:.4g} 1" stroke-dashoffset="{-start:.4g}"/>'
    )


def _picture(name: str, picture: m.Picture) -> str:
    field = f'width="{picture.width:g}" height="{picture.height:g}"'
    strokes = "".join(_stroke(stroke, color) for stroke, color in picture.layers)
    clip = f'<clipPath id="{name}-clip"><rect {field}/></clipPath>'
    return f'{clip}<g id="{name}" clip-path="url(#{name}-clip)"><rect {field} fill="{picture.ground}"/>{strokes}</g>'


def _stroke(stroke: m.Stroke, color: str) -> str:
    if stroke.is_oval:
        left, top, right, bottom = stroke.points
        return (
            f'<ellipse cx="{(left + right) / 2:g}" cy="{(top + bottom) / 2:g}"'
            f' rx="{(right - left) / 2:g}" ry="{(bottom - top) / 2:g}" fill="{color}"/>'
        )
    points = " ".join(f"{x:g},{y:g}" for x, y in zip(stroke.points[::2], stroke.points[1::2], strict=True))
    if stroke.thickness:
        return (
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{stroke.thickness:g}"'
            ' stroke-linejoin="round" stroke-linecap="round"/>'
        )
    return f'<polygon points="{points}" fill="{color}"/>'


def _clip(name: str, size: tuple[int, int, int]) -> str:
    width, height, radius = size
    radius = min(radius, width // 2, height // 2)
    return f'<clipPath id="{name}"><rect width="{width}" height="{height}"{_round(radius)}/></clipPath>'


def _stripes(name: str, paint: Hatched) -> str:
    step = STRIPE + STRIPE_GAP
    return (
        f'<pattern id="{name}" width="{step / 2**0.5:.5g}" height="{step}" patternUnits="userSpaceOnUse"'
        f' patternTransform="rotate(45)"><rect width="{STRIPE / 2**0.5:.5g}" height="{step}" fill="{paint.color}"/>'
        "</pattern>"
    )


def _pattern(name: str, painted: tuple[m.Pattern, str]) -> str:
    rows, color = painted
    points = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, point in enumerate(row) if point == "#")
    return (
        f'<pattern id="{name}" width="{len(rows[0])}" height="{len(rows)}" patternUnits="userSpaceOnUse">'
        f'<path d="{points}" fill="{color}"/></pattern>'
    )
