"""A paged answer in any game: its pages and buttons, lines of text split into pages, and the layout of one page.

Custom ids: `p1:<query>:<role>:<page>` turns the page, `j1:<query>` jumps, `a1:<query>:<action>` acts, that of a form is
`m1:<query>:<action>`. Everything else is read from the database at each press.

What leaves Discord, as prose, as Markdown, and as BBCode for forums: Discord's own markdown is read once, into plain
words with marks around them, and each format writes these in its way and makes the words harmless in its way: no name
that a player chose formats, links or calls anyone there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import Any

import discord

from bot.ui import LAYOUT_TEXT, MAX_CHOICE, MAX_CHOICES, Picture, View, id_button, shorten, text_view, utf16_length

PAGER_TEXT = 100
"""UTF-16 units of a message's text reserved for the pager."""


Written = Sequence[str] | Callable[[], str | Iterable[str]]
"""The lines of a page; or what makes them, or its whole text, when the page is shown."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `title`: in the jump list, at most 100 units."""

    title: str
    written: Written
    picture: Picture | None = None
    actions: "Sequence[Action]" = ()

    def text(self) -> str:
        """Return the page's text."""
        written = self.written() if callable(self.written) else self.written
        return written if isinstance(written, str) else "\n".join(written)


@dataclass(frozen=True, slots=True)
class Action:
    """A button under an answer; its query gets `action`: lower-case letters, then perhaps `:` and a number.

    `is_dangerous`: it can't be undone, and is red.
    """

    action: str
    label: str
    emoji: str
    is_dangerous: bool = False


EDIT_ACTION = "edit"
"""The action of the button that opens an answer's form."""

EDIT = Action(EDIT_ACTION, "Edit", "✏️")

FIX_ACTION = "mend"
"""The action of the button that opens a rejected query's form."""

FIX = Action(FIX_ACTION, "Fix it", "✏️")


@dataclass(frozen=True, slots=True)
class Document:
    """An answer: a headline on every page, and one or more pages, numbered from 0.

    All text is Discord markdown that can't ping. `colour`: of the edge, 0xRRGGBB. `opens`: the page that a new answer
    opens at.
    """

    headline: str
    colour: int
    pages: Sequence[Page]
    actions: Sequence[Action] = ()
    opens: int = 0

    def page(self, number: int) -> str:
        """Return the text of a page, shortened to fit the message."""
        return shorten(self.pages[number].text(), room(self.headline))


def room(headline: str) -> int:
    """Return the UTF-16 units left for a page under this headline."""
    return LAYOUT_TEXT - PAGER_TEXT - utf16_length(headline)


def illustrated(pages: Sequence[Page], picture: Picture) -> list[Page]:
    """Return the pages with a picture on the first one."""
    return [replace(pages[0], picture=picture), *pages[1:]]


LINES_A_PAGE = 20

_FRAME = 8  # units around a line: the line feed, a bullet or bold marks


def _ranges(lengths: Sequence[int], limit: int) -> Iterator[tuple[int, int]]:
    """Part lines of these lengths into pages of at most `limit` units and `LINES_A_PAGE` lines; yield their ranges."""
    starts: list[int] = []
    left = 0
    for at, length in enumerate(lengths):
        if not starts or length > left or at - starts[-1] == LINES_A_PAGE:
            starts.append(at)
            left = limit
        left -= length
    return pairwise([*starts, len(lengths)])


def numbered(title: str, parts: Sequence[Written]) -> list[Page]:
    """Return the pages of a chapter, numbered if there are several."""
    many = len(parts) > 1
    return [Page(f"{title}, {at} of {len(parts)}" if many else title, part) for at, part in enumerate(parts, start=1)]


def line_pages(title: str, lines: Iterable[str], headline: str, *head: str) -> list[Page]:
    """Return the pages of a chapter, as long as fit below the headline, each with the `head`."""
    limit = room(headline) - sum(utf16_length(line) + 1 for line in head)
    kept = [shorten(line, limit) for line in lines]
    ranges = _ranges([utf16_length(line) + 1 for line in kept], limit)
    return numbered(title, [[*head, *kept[start:end]] for start, end in ranges])


def lazy_pages(
    lines: Sequence[str], write: Callable[[str], str], line_limit: int, limit: int
) -> list[tuple[int, int, Callable[[], str]]]:
    """Split lines into pages of at most `limit` units; return each page's line range and a function that writes it.

    A log may have thousands of lines: `write` turns a line (`line_limit` units before escaping) into markdown only when
    its page is shown. Lengths are estimated as if every character were escaped.
    """

    def page(start: int, end: int) -> str:
        return "\n".join(map(write, lines[start:end]))

    lengths = [2 * min(len(line), line_limit) + _FRAME for line in lines]
    return [(start, end, partial(page, start, end)) for start, end in _ranges(lengths, limit)]


_NEIGHBORS = 3

FILES = Action("files", "Files", "📄")
SHARE = Action("share", "Share", "📣")


def jump_targets(count: int, current: int) -> list[int]:
    """Choose as many of `count` pages as a list has room for: the neighbors and an even spread from end to end."""
    if count <= MAX_CHOICES:
        return list(range(count))
    near = range(max(0, current - _NEIGHBORS), min(count, current + _NEIGHBORS + 1))
    spread = MAX_CHOICES - len(near)
    return sorted({*near, *(round(at * (count - 1) / (spread - 1)) for at in range(spread))})


def answer_view(document: Document, number: int, query_id: str, *, share: bool) -> View:
    """Lay out one page of an answer with its controls; `share` adds the button that makes a private answer public."""
    pages, page = document.pages, document.pages[number]
    jumps = [
        discord.SelectOption(label=shorten(pages[to].title, MAX_CHOICE), value=str(to), default=to == number)
        for to in jump_targets(len(pages), number)
    ]
    jump = discord.ui.Select[Any](custom_id=f"j1:{query_id}", placeholder="Go to …", options=jumps)
    return text_view(
        [document.headline, document.page(number)],
        colour=document.colour,
        picture=page.picture,
        rows=[_turn_buttons(len(pages), number, query_id), [jump]] if len(pages) > 1 else (),
        buttons=action_buttons(query_id, [*document.actions, *page.actions, FILES, *([SHARE] if share else [])]),
        divided=page.picture is None,
    )


def action_buttons(query_id: str, actions: Sequence[Action]) -> list[discord.ui.Button[Any]]:
    """Return buttons that the stored query acts on."""
    danger, usual = discord.ButtonStyle.danger, discord.ButtonStyle.secondary
    return [
        id_button(f"a1:{query_id}:{each.action}", each.label, each.emoji, danger if each.is_dangerous else usual)
        for each in actions
    ]


def form(title: str, query_id: str, action: str, fields: Sequence[discord.ui.Label[Any]]) -> discord.ui.Modal:
    """Build a form whose values go to the stored query together with `action`."""
    modal = discord.ui.Modal(title=title, custom_id=f"m1:{query_id}:{action}", timeout=None)
    for field in fields:
        modal.add_item(field)
    # `take_form` reads the interaction, so the form works after a restart; a stopped modal isn't kept in memory.
    modal.stop()
    return modal


def _turn_buttons(count: int, number: int, query_id: str) -> list[discord.ui.Button[Any]]:
    turns = (
        ("back", "Back", "◀️", max(0, number - 1)),
        ("here", f"{number + 1}/{count}", None, number),
        ("next", "Next", "▶️", min(count - 1, number + 1)),
    )
    return [
        discord.ui.Button(label=label, emoji=emoji, custom_id=f"p1:{query_id}:{role}:{to}", disabled=to == number)
        for role, label, emoji, to in turns
    ]


_PIECE = re.compile(
    r"\\(?P<escaped>[^\w\s]|_)"
    r"|`(?P<code>[^`\n]+)`"
    r"|\[(?P<label>(?:\\.|[^\]\\\n])+)\]\((?P<address>https?://[^\s)]+)\)"
    r"|<t:(?P<time>\d{1,12})(?::\w)?>|</(?P<command>[\w -]+):\d+>|<a?:(?P<emoji>\w+):\d+>|<(?P<mention>[@#])[!&]?\d+>"
    r"|(?P<mark>\*\*|__|~~|\*|\|\|)"
)
_LINE = re.compile(r"(?P<head>#{1,3} )|(?P<small>-# )|(?P<bullet> *[-*] )|(?P<quote>> )")
_WORDS: Mapping[str, Callable[[str], str]] = {
    "escaped": str,
    "time": lambda seconds: f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d %H:%M} UTC",
    "command": "/{}".format,
    "emoji": ":{}:".format,
    "mention": {"@": "a player", "#": "a channel"}.__getitem__,
}
"""The plain words of a piece that is no mark, by what it is."""
_MARKS = {"**": "bold", "__": "underlined", "~~": "struck", "*": "italic", "||": "hidden"}
_LISTED = re.compile(r"^( *\d*)([-+=]|(?<=\d)[.)](?=\s|$))")  # what makes a list or a rule of a line of Markdown
_QUOTED = r"\1\\\2"
_UNSEEN = "\u2060"  # a word joiner: breaks what would be a tag or a call, and looks like nothing


@dataclass(frozen=True, slots=True)
class Format:
    """How a format writes what Discord's markdown says.

    `ending`: of its file's name. `words`: makes words harmless. `marks`: what opens and closes a mark, "" for none.
    `link` and `code`: written with the words and the address. `lines`: what stands before and after a line of a kind.
    `block`: what stands before and after a block of code.
    `flows`: whether a line belongs to a list above it, its first signs may begin one, and code is taken as it stands.
    """

    label: str
    ending: str
    words: Callable[[str], str]
    marks: Mapping[str, tuple[str, str]]
    link: str
    code: str
    lines: Mapping[str, tuple[str, str]]
    block: tuple[str, str]
    flows: bool = False

    def write(self, text: str) -> str:
        """Return a text that Discord shows, in this format."""
        lines: list[str] = []
        in_block, before = False, ""
        for line in text.split("\n"):
            if line.startswith("```"):
                in_block = not in_block
                lines.append(self.block[not in_block])
            elif in_block:
                lines.append(line if self.flows else self.words(line))
            else:
                found = _LINE.match(line)
                kind = found.lastgroup or "" if found else "text"
                if before in {"bullet", "quote"} and kind != before and self.flows:
                    lines.append("")  # else the line would belong to the list or the quotation
                before = kind
                lines.append(self._line(line[found.end() :] if found else line, kind))
        return "\n".join(lines)

    def _line(self, line: str, kind: str) -> str:
        before, after = self.lines.get(kind, ("", ""))
        words = "".join(self._pieces(line))
        if not words.strip():
            return ""
        return f"{before}{_LISTED.sub(_QUOTED, words) if self.flows else words}{after}"

    def _pieces(self, line: str) -> Iterator[str]:
        opened: set[str] = set()
        at = 0
        plain: list[str] = []

        def said() -> str:
            words = self.words("".join(plain))
            plain.clear()
            return words

        for found in _PIECE.finditer(line):
            plain.append(line[at : found.start()])
            at, kind = found.end(), found.lastgroup or ""
            if kind in _WORDS:
                plain.append(_WORDS[kind](found[kind]))
                continue
            yield said()
            if (code := found["code"]) is not None:
                yield self.code.format(code if self.flows else self.words(code))
            elif found["label"] is not None:
                label = "".join(self._pieces(found["label"]))
                yield self.link.format(label, found["address"])
            else:
                mark = _MARKS[found["mark"]]
                yield self.marks.get(mark, ("", ""))[mark in opened]
                opened ^= {mark}
        plain.append(line[at:])
        yield said()
        for mark in opened:  # a mark that nothing closes
            yield self.marks.get(mark, ("", ""))[1]


def _calm(words: str) -> str:
    """Break what would call somebody by their name there."""
    return re.sub(r"@(?=\w)", f"@{_UNSEEN}", words)


def _markdown(words: str) -> str:
    return re.sub(r"[\\`*_{}\[\]<>#|~&!]", r"\\\g<0>", _calm(words))


def _bbcode(words: str) -> str:
    return _calm(words).replace("[", f"[{_UNSEEN}")


PROSE = Format("As text", "txt", str, {}, "{} ({})", "{}", {"bullet": ("• ", "")}, ("", ""))
MARKDOWN = Format(
    "As Markdown",
    "md",
    _markdown,
    {"bold": ("**", "**"), "italic": ("*", "*"), "struck": ("~~", "~~")},
    "[{}](<{}>)",
    "`{}`",
    {"head": ("### ", "\n"), "bullet": ("- ", ""), "quote": ("> ", ""), "small": ("", "  "), "text": ("", "  ")},
    ("```", "```"),
    flows=True,
)
BBCODE = Format(
    "As BBCode",
    "bbcode.txt",
    _bbcode,
    {"bold": ("[b]", "[/b]"), "italic": ("[i]", "[/i]"), "underlined": ("[u]", "[/u]"), "struck": ("[s]", "[/s]")},
    "[url={1}]{0}[/url]",
    "[i]{}[/i]",
    {"head": ("[b]", "[/b]"), "bullet": ("• ", ""), "quote": ("[i]", "[/i]")},
    ("[code]", "[/code]"),
)
FORMATS: Mapping[str, Format] = {"copytext": PROSE, "copymarkdown": MARKDOWN, "copybbcode": BBCODE}
"""The formats by the actions of the buttons that copy them."""
