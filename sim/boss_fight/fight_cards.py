"""The cards of a party's fight with a boss: its portrait, its health, the party's tokens; and the end.

The faces of bosses are drawn portraits of those on record, emblems for all others (portraits.txt), in their colors.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from zlib import crc32

from sim.boss_fight import ICON
from sim.boss_fight.battle import BOSS, PARTY, Member, State, default_name
from sim.boss_fight.exchange import ExchangeReport
from sim.boss_fight.values import Boss, Element, points
from sim.core.cards import Drawing, Picture, Ring, Silhouette, Stroke, moved, parts, polygon
from sim.core.cards import text as letters
from sim.core.cards import theme as t
from sim.core.cards.card import Card
from sim.core.cards.figures import Figure, Outlines, read_figures
from sim.core.cards.parts import LINE, RIGHT
from sim.core.cards.values import HealthRow
from sim.core.names import name_key
from sim.core.numbers import quantity

WIDTH, HEIGHT = 360, 480
"""A portrait, in pixels: its part of a card, and the card's least height."""

MAX_MEMBERS_SHOWN = 4
"""Members with a bar at the end; the rest are counted."""

_X = WIDTH + 24
_ROOM = RIGHT - _X
_ROW = 74
"""Pixels of a name with its damage at the end of a fight."""

_WORDS_LINES = 4
"""Lines of the last words that have room."""


def boss_title(boss: Boss, times: int) -> str:
    """Return a boss's name with the factor of its health."""
    return f"{boss.name} × {times}" if times > 1 else boss.name


def _note(state: State) -> str:
    """Return who landed the killing blow, with what score; or how much health the boss has left."""
    if state.winner != PARTY or state.last is None:
        return f"{state.setup.boss.name} has {points(state.boss_left)} of {points(state.setup.health)} left"
    score = f", score {points(state.last.score)}" if state.last.score else ""
    return f"{state.last.name} lands the killing blow{score}"


_ENDS = {PARTY: ("Victory!", t.BLUE), BOSS: ("Defeat", t.ORANGE), None: ("Stalemate", t.NEUTRAL)}


def draw_result(state: State) -> Card:
    """Return the card of a finished fight: the boss lies there with its last words, or stands; who dealt most is first.

    The bars are shares of the damage to the boss.
    """
    boss, won = state.setup.boss, state.winner == PARTY
    foe = boss_title(boss, state.setup.times)
    victor = state.members[0].name if len(state.members) == 1 else "The party"
    told = {PARTY: f"{victor} defeats {foe}", BOSS: f"{foe} defeats the party", None: f"Stalemate with {foe}"}
    aside = f"after {quantity(state.round, 'round')}"
    fighters = sorted((member for member in state.members if member.hits), key=lambda member: -member.dealt)
    shown, more = fighters[:MAX_MEMBERS_SHOWN], len(fighters) - MAX_MEMBERS_SHOWN
    alt = [f"{told[state.winner]} {aside}."]
    alt += [f"{member.name} {_damage(member)}{', down' if member.fallen else ''}." for member in shown]
    alt += [f"And {more} more."] if more > 0 else []
    alt += [f"{_note(state)}.", *([f"{boss.name}: \u201c{boss.fall}\u201d"] if won and boss.fall else [])]
    card = _begun(boss, " ".join(alt))
    word, color = _ENDS[state.winner]
    card.text(_X, 66, word, t.TITLE, color)
    top = _beside(card, _beside(card, parts.TOP, told[state.winner], t.INK), aside) + 10
    for member in shown:
        ink = t.NEUTRAL if member.fallen else t.INK
        figures = f"{_damage(member)} · down" if member.fallen else _damage(member)
        room = _ROOM - card.text(RIGHT, top + 34, figures, t.TEXT, ink, align="right") - 16
        card.name(_X, top + 34, member.name, room, t.TEXT, ink, instead=default_name(member.seat))
        share = float(member.dealt / state.dealt) if state.dealt else 0.0
        card.segments((_X, top + 46, RIGHT, top + 62), [(share, t.BLUE), (1 - share, t.TROUGH)])
        top += _ROW
    top = _beside(card, parts.more(card, top, max(0, more), x=_X) + 8, _note(state))
    _stand(card, top + 22, boss, halved=_halved(state), fallen=won)
    if won and boss.fall:
        _balloon(card, boss.fall)
    return card


def _damage(member: Member) -> str:
    return points(member.dealt) if member.dealt else "no damage"


def _beside(card: Card, top: int, text: str, color: str = t.SOFT) -> int:
    """Write a text beside the portrait; return the first pixel below."""
    return parts.paragraph(card, top, text, color, x=_X, room=_ROOM)


def _begun(boss: Boss, alt: str) -> Card:
    # Portraits have much detail: they are compressed more.
    return Card(alt=alt, colors=(*t.COLORS, *portrait_colors(boss)), level=6)


def _stand(
    card: Card, foot: int, boss: Boss, *, halved: bool, fallen: bool = False, lost: Fraction = Fraction(0)
) -> None:
    """Draw the boss on the left of a card that goes down to `foot`, from edge to edge, and what it has just lost."""
    card.height = max(HEIGHT, foot)
    drawn = portrait(boss, halved=halved, fallen=fallen)
    card.box((0, 0, WIDTH, card.height), drawn.ground, radius=0)
    card.add(Drawing(0, card.height - HEIGHT, drawn, HEIGHT))
    if lost:
        taken = f"\u2212{points(lost)}"
        card.box((14, card.height - 92, 46 + letters.width(taken, t.TITLE), card.height - 14), t.GROUND, radius=14)
        card.text(30, card.height - 34, taken, t.TITLE, t.BLUE)


def _balloon(card: Card, words: str) -> None:
    """Write the last words above the boss that lies there."""
    lines = letters.wrapped(words, t.TEXT, WIDTH - 56)
    if len(lines) > _WORDS_LINES:
        lines = [*lines[: _WORDS_LINES - 1], f"{lines[_WORDS_LINES - 1]} …"]
    bottom = 28 + len(lines) * LINE
    card.box((12, 12, WIDTH - 12, bottom), t.INK, radius=18)
    tail = Silhouette(40, 40, (polygon(0, 0, 34, 0, 40, 40),))
    card.silhouette(WIDTH - 120, bottom - 2, tail, 40, t.INK)
    for number, line in enumerate(lines):
        card.name(28, 52 + number * LINE, line, WIDTH - 56, t.TEXT, t.DARK, bold=False)


_BAR = 42
_NEXT, _OTHER = 50, 28
"""Radius of the token whose turn is next, and of the others."""

_TOKENS = 64
"""Pixels of a line of tokens."""

_MAX_TOKENS = 4
"""Of those who wait; the rest are counted."""


def draw_battle(state: State) -> Card:
    """Return the card of a fight: the boss, its health, the party in turn order, and the last exchange."""
    setup, last, turn = state.setup, state.last, state.turn
    lost = Fraction(0) if last is None else last.to_boss.total
    foe = health_row(boss_title(setup.boss, setup.times), state.boss_left, setup.health, lost, "defeated")
    moment = f"Round {state.next_round}" if state.round else "Before the fight"
    heading = " · ".join(filter(None, (moment, setup.boss.element)))
    party = _party(state)
    words = [f"{heading}.", f"{foe.name} {foe.figures}{', cracked' if _halved(state) else ''}."]
    words += [f"{row.name} {row.figures}{', next' if member is turn else ''}." for member, row, _ in party]
    if last is not None:
        words.append(f"{last.name} dealt {points(lost)} and took {points(last.to_player.total)}.")
    card = _begun(setup.boss, " ".join(words))
    card.text(_X, 46, letters.wrapped(heading, t.TEXT, _ROOM)[0], t.TEXT, t.SOFT)
    top = _foe(card, foe)
    if turn is not None:
        _, row, taken = party.pop(0)
        top = _next(card, top, f"▶ {turn.name}", row, taken)
    shown, rest = party[:_MAX_TOKENS], party[_MAX_TOKENS:]
    if striker := [one for one in rest if last is not None and one[0].seat == last.seat]:
        shown[-1:] = striker
    for member, row, taken in shown:
        _disc(card, (_X + _OTHER, top + _TOKENS // 2), _OTHER, row)
        base, left = top + _TOKENS // 2 + 13, _X + 2 * _OTHER + 14
        room = RIGHT - left - _taken(card, base, taken)
        told, ink = (row.name, t.INK) if member.fights else (f"{row.name}, {row.figures}", t.NEUTRAL)
        card.name(left, base, told, room, t.TEXT, ink, instead=row.instead)
        top += _TOKENS
    foot = parts.more(card, top - 2, len(rest), x=_X) + 18
    _stand(card, foot, setup.boss, halved=_halved(state), lost=lost)
    return card


def _party(state: State) -> list[tuple[Member, HealthRow, Fraction]]:
    """Return the members in turn order, those who are out last, with their health and what they have just lost."""
    turn, last = state.turn, state.last
    at = 0 if turn is None else state.members.index(turn)
    party: list[tuple[Member, HealthRow, Fraction]] = []
    for member in sorted([*state.members[at:], *state.members[:at]], key=lambda member: not member.fights):
        lost = last.to_player.total if last is not None and last.seat == member.seat else Fraction(0)
        row = health_row(member.name, member.left, member.health, lost, "down")
        figures = "away" if member.away and not row.gone else row.figures
        row = row.model_copy(update={"instead": default_name(member.seat), "figures": figures})
        party.append((member, row, lost))
    return party


def _foe(card: Card, foe: HealthRow) -> int:
    """Draw the boss's name in lines, and its health below; return the first pixel below."""
    name = letters.wrapped(foe.name, t.HEAD, _ROOM)
    size = t.TITLE if letters.width("".join(name), t.TITLE) <= _ROOM else t.HEAD
    top = parts.paragraph(card, 72, foe.name, t.INK, x=_X, room=_ROOM, size=size) + 2
    parts.draw_health(card, (_X, top, RIGHT, top + _BAR), foe, t.ORANGE)
    card.box(((_X + RIGHT) // 2 - 3, top, (_X + RIGHT) // 2 + 3, top + _BAR), t.DARK, radius=0)
    _health(card, _X, top + _BAR + 40, foe, t.INK)
    return top + _BAR + LINE + 24


def draw_exchange(report: ExchangeReport, foe: HealthRow, you: HealthRow, told: tuple[str, str], alt: str) -> Card:
    """Return the card of one exchange; `told`: lines above and below."""
    card = _begun(report.boss, alt)
    card.text(_X, 46, told[0], t.TEXT, t.SOFT)
    top = _next(card, _foe(card, foe), you.name, you, report.to_player.total)
    foot = _beside(card, top - 2, told[1], t.INK) + 22
    _stand(card, foot, report.boss, halved=2 * foe.left <= 1, fallen=foe.gone, lost=report.to_boss.total)
    return card


def _halved(state: State) -> bool:
    return 2 * state.boss_left <= state.setup.health


def _next(card: Card, top: int, name: str, row: HealthRow, lost: Fraction) -> int:
    """Draw whose turn it is: an enlarged token, figures, what was just lost; return the first pixel below."""
    y = top + _NEXT
    _disc(card, (_X + _NEXT, y), _NEXT, row)
    x, size = _X + 2 * _NEXT + 18, RIGHT - _X - 2 * _NEXT - 18
    taken = _taken(card, y - 6, lost)
    card.name(x, y - 6, name, size - taken, t.TEXT, t.INK, instead=row.instead)
    _health(card, x, y + 42, row, t.SOFT)
    return y + _NEXT + 20


def _health(card: Card, x: int, base: int, row: HealthRow, color: str) -> None:
    """Write a health, what is left alone where both figures have no room."""
    fits = letters.width(row.figures, t.TEXT) <= RIGHT - x
    card.name(x, base, row.figures if fits else row.figures.partition(" /")[0], RIGHT - x, t.TEXT, color, bold=False)


def _taken(card: Card, base: int, lost: Fraction) -> int:
    """Write what a member has just lost, if anything; return the room that needs."""
    if not lost:
        return 0
    return card.text(RIGHT, base, f"\u2212{points(lost)}", t.HEAD, t.ORANGE, align="right") + 14


def _disc(card: Card, middle: tuple[int, int], radius: int, row: HealthRow) -> None:
    """Draw a token: its health as a ring, the first letter of its name, or a skull."""
    x, y = middle
    width = radius // 5 + 2
    card.add(Ring((x - radius, y - radius, x + radius, y + radius), width, row.left, row.lost, t.BLUE))
    if row.gone:
        high = radius
        card.silhouette(x - high // 2, y - high // 2, ICON, high, t.NEUTRAL)
        return
    size = t.HEAD if radius == _NEXT else t.TEXT
    letter = letters.fit(row.name, size, 1000, bold=True, instead=row.instead)[:1].upper()
    card.text(x, y + round(size * 0.34), letter, size, t.INK, bold=True, align="center")


def health_row(name: str, left: Fraction, most: int, lost: Fraction = Fraction(0), out: str = "") -> HealthRow:
    """Return the row of an exact health; `out`: what became of somebody who has none left."""
    # What is far below 0 is no float.
    share, before = (
        float(min(max(health, Fraction(0)), Fraction(most)) / (most or 1)) for health in (left, left + lost)
    )
    figures = f"{points(left)} / {points(most)}" if left > 0 else out
    return HealthRow(name=name, left=share, lost=max(0.0, before - share), figures=figures, gone=left <= 0)


_OUTLINE = 10

ELEMENT_COLORS: Mapping[Element, tuple[str, str]] = {
    Element.WATER: ("#2f8fa8", "#9beaff"),
    Element.FIRE: ("#c4452b", "#ffc53d"),
    Element.AIR: ("#7fb8ad", "#fff0a8"),
    Element.LIGHTNING: ("#8a63d2", "#ffe14a"),
    Element.EARTH: ("#8f6b3c", "#cfe06a"),
}
"""Body and accent of a boss with an element."""

_NIGHT, _WHITE, _RED = "#0f1013", "#fdfcf7", "#b8323a"
_RAMP = "back", "near", "ink", "deep", "base", "light", "bright", "ink", "accent", "deep", "white", "ink", "red"
"""Tones whose neighbors meet at edges."""

_STATES = _AWAKE, _SHUT, _CRACK = "awake", "shut", "crack"
_GLOW = {"far": (-60.0, 30.0, 420.0, 510.0), "near": (20.0, 110.0, 340.0, 430.0)}
_EMBLEM = "emblem"


def portrait(boss: Boss, *, halved: bool = False, fallen: bool = False) -> Picture:
    """Return the picture of a boss: cracked if it has lost half its health, lying if it has fallen."""
    shown = {_SHUT, _CRACK} if fallen else {_AWAKE, _CRACK} if halved else {_AWAKE}
    return _posed(name_key(boss.name), _colors(boss), frozenset(shown), lies=fallen)


def portrait_colors(boss: Boss) -> tuple[t.Color, ...]:
    """Return the colors that the finished picture needs."""
    tones = _tones(_colors(boss))
    return t.palette(map(t.rgb, tones.values()), pairwise(tones[tone] for tone in _RAMP))


def _colors(boss: Boss) -> tuple[str, str]:
    """Return the colors of a boss's body and of its accents."""
    if boss.element is not None:
        return ELEMENT_COLORS[boss.element]
    *_, body, accent = _figure(name_key(boss.name)).heading
    return f"#{body}", f"#{accent}"


@lru_cache(maxsize=128)
def _posed(key: str, colors: tuple[str, str], shown: frozenset[str], *, lies: bool) -> Picture:
    tones = _tones(colors)
    layers = [
        (_lying(stroke) if lies else stroke, color)
        for line in _figure(key).lines
        if line.tone not in _STATES or line.tone in shown
        for stroke, color in _colored(line, tones)
    ]
    glow = [(Stroke(box, is_oval=True), tones[tone]) for tone, box in _GLOW.items()]
    return Picture(WIDTH, HEIGHT, tones["back"], (*glow, *layers))


def _colored(line: Outlines, tones: Mapping[str, str]) -> Iterator[tuple[Stroke, str]]:
    """Yield the strokes of a line, each shape behind its outline."""
    for stroke in line.strokes:
        if line.outlined:
            yield _outline(stroke), tones["ink"]
        yield stroke, tones[line.tone]


def _outline(stroke: Stroke) -> Stroke:
    half = _OUTLINE / 2
    if stroke.is_oval:
        left, top, right, bottom = stroke.points
        return stroke._replace(points=(left - half, top - half, right + half, bottom + half))
    if stroke.thickness:
        return stroke._replace(thickness=stroke.thickness + _OUTLINE)
    return Stroke((*stroke.points, *stroke.points[:2]), _OUTLINE)


def _lying(stroke: Stroke) -> Stroke:
    """Return a stroke of a figure that has tipped over to the right: turned, smaller, at the foot of the field."""
    scale = WIDTH / HEIGHT
    flat = moved(stroke, lambda x, y: (WIDTH - y * scale, HEIGHT - 6 - (WIDTH - x) * scale))
    return flat._replace(thickness=stroke.thickness * scale)


@lru_cache(maxsize=64)
def _tones(colors: tuple[str, str]) -> Mapping[str, str]:
    """Return the color of each tone: shades of a boss's body and of its accents, and what all have in common."""
    body, accent = colors
    back = t.hexed(t.mixed(t.GROUND, body, 0.10))
    return {
        "back": back,
        "far": t.hexed(t.mixed(back, body, 0.14)),
        "near": t.hexed(t.mixed(back, body, 0.30)),
        "ink": t.hexed(t.mixed(_NIGHT, body, 0.10)),
        "deep": t.hexed(t.mixed(_NIGHT, body, 0.52)),
        "base": body,
        "light": t.hexed(t.mixed(body, _WHITE, 0.28)),
        "bright": t.hexed(t.mixed(body, _WHITE, 0.66)),
        "deepaccent": t.hexed(t.mixed(_NIGHT, accent, 0.55)),
        "accent": accent,
        "white": _WHITE,
        "red": _RED,
        _AWAKE: accent,
        _SHUT: t.hexed(t.mixed(body, _WHITE, 0.66)),
        _CRACK: t.hexed(t.mixed(_NIGHT, body, 0.10)),
    }


def _figure(key: str) -> Figure:
    """Return the figure of a boss on record, or the emblem that a name has always; `key`: its `name_key`."""
    known, emblems = _figures()
    return known.get(key) or emblems[crc32(key.encode()) % len(emblems)]


@cache
def _figures() -> tuple[Mapping[str, Figure], tuple[Figure, ...]]:
    figures = read_figures("sim.boss_fight", "portraits.txt")
    known = {name_key(" ".join(figure.heading[:-2])): figure for figure in figures if figure.heading[0] != _EMBLEM}
    return known, tuple(figure for figure in figures if figure.heading[0] == _EMBLEM)
