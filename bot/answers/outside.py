"""What leaves Discord: the text of an answer as prose, as Markdown, and as BBCode for forums.

Discord's own markdown is read once, into plain words with marks around them, and each format writes these in its way
and makes the words harmless in its way: no name that a player chose formats, links or calls anyone there.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.answers.document import Document
from bot.store.database import cooperative
from sim.core.cards.stickers import without_icons

_PIECE = re.compile(
    r"\\(?P<escaped>[^\w\s]|_)"
    r"|`(?P<code>[^`\n]+)`"
    r"|\[(?P<label>(?:\\.|[^\]\\\n])+)\]\((?P<address>https?://[^\s)]+)\)"
    r"|<t:(?P<time>\d{1,12})(?::\w)?>|</(?P<command>[\w -]+):\d+>|<a?:(?P<emoji>\w+):\d+>|<(?P<mention>[@#])[!&]?\d+>"
    r"|(?P<mark>\*\*|__|~~|\*|\|\|)"
)
_LINE = re.compile(r"(?P<head>#{1,3} )|(?P<small>-# )|(?P<bullet> *[-*] )|(?P<quote>> )")
_MENTIONS = {"@": "a player", "#": "a channel"}
_WORDS: Mapping[str, Callable[[str], str]] = {
    "escaped": str,
    "time": lambda seconds: f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d %H:%M} UTC",
    "command": "/{}".format,
    "emoji": ":{}:".format,
    "mention": _MENTIONS.__getitem__,
}
"""The plain words of a piece that is no mark, by what it is."""
_MARKS = {"**": "bold", "__": "underlined", "~~": "struck", "*": "italic", "||": "hidden"}
_OPEN_ENDED = frozenset({"bullet", "quote"})
_LISTED = re.compile(r"^( *\d*)([-+=]|(?<=\d)[.)](?=\s|$))")  # what makes a list or a rule of a line of Markdown
_QUOTED = r"\1\\\2"
_CALLS = re.compile(r"@(?=\w)")
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
        return "\n".join(self._lines(text))

    def _lines(self, text: str) -> Iterator[str]:
        in_block, before = False, ""
        for line in text.split("\n"):
            if line.startswith("```"):
                in_block = not in_block
                yield self.block[not in_block]
            elif in_block:
                yield line if self.flows else self.words(line)
            else:
                found = _LINE.match(line)
                kind = found.lastgroup or "" if found else "text"
                if before in _OPEN_ENDED and kind != before and self.flows:
                    yield ""  # else the line would belong to the list or the quotation
                before = kind
                yield self._line(line[found.end() :] if found else line, kind)

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
    return _CALLS.sub(f"@{_UNSEEN}", words)


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


async def whole_text(document: Document) -> str:
    """Return all of an answer as Discord's markdown, every page once."""
    pages = [page.text() async for page in cooperative(document.pages)]
    return without_icons("\n".join([document.headline, "", *pages]))
