"""Names that players give, and the texts that they type or paste, made plainer.

Of names: which are allowed, which spellings mean the same, the nearest known one. A plainer text has the same length,
so that every place in it stays where it is: what a chat, a forum or a phone brings along means nothing in any game,
such as marks of quotes and bold type, bullets, full-width signs, courtesy, the command that a line was copied with.
Words that all games read alike are here, too.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import TypeVar

from sim.core import RuleError
from sim.core.values import Side

MAX_NAME = 40
"""Characters of a name that the bot stores for a player."""

# Characters that show nothing although Python calls them printable: joiners, fillers, the blank Braille cell, variation
# selectors. The two selectors for emoji are left out: phones add them unasked.
_DISGUISED = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
_EMOJI_SELECTORS = str.maketrans("", "", "\ufe0e\ufe0f")
_MAX_MARKS = 2  # on one letter: some scripts need them; a pile of them reaches into other lines
_MAX_CACHED = 100  # characters of a name whose key is cached: reading a roster needs each key many times


def name_key(text: str) -> str:
    """Return the same key for all spellings of a name: case, width and blanks don't matter."""
    return _key(text) if len(text) <= _MAX_CACHED else _key.__wrapped__(text)


@lru_cache(maxsize=4096)
def _key(text: str) -> str:
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text.translate(_EMOJI_SELECTORS)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def check_name(text: str, most: int) -> str | None:
    """Return an error to put behind "The name" ("has 50 characters …"), or None if the name is valid."""
    if len(text) > most:
        return f"has {len(text)} characters; at most {most} are allowed"
    bad = describe_hidden(text)
    if bad is not None:
        return f"holds {bad}"
    if not name_key(text):
        return "shows nothing"
    return None


def describe_hidden(text: str) -> str | None:
    """Describe the first control or invisible character of `text`; None if there is none."""
    if text.isprintable() and (text.isascii() or not _DISGUISED.search(text)):
        return None
    bad = next(char for char in text if not char.isprintable() or _DISGUISED.match(char))
    kind = "a control character" if unicodedata.category(bad) == "Cc" else "an invisible or unknown character"
    return f"{kind} (U+{ord(bad):04X})"


def seen_name(text: str, most: int) -> str:
    """Return a name from elsewhere, cut, without what nobody can see or trust; "" if that leaves nothing."""
    blank = without_piled_marks(" ".join(text.split()))
    seen = "".join(char for char in blank if char != "`" and describe_hidden(char) is None)
    return " ".join(seen.split())[:most].strip() if name_key(seen) else ""


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Return "A", "A and B", or "A, B and C"; `joint`: the word before the last one."""
    *others, last = words
    return f"{', '.join(others)} {joint} {last}" if others else last


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names, with numbers where several are the same: "wolf 1", "wolf 2"."""
    return [f"{name} {names[: at + 1].count(name)}" if names.count(name) > 1 else name for at, name in enumerate(names)]


def normalize_name(name: str) -> str:
    """Return a name as the bot stores it: composed, with single blanks; RuleError if it is not valid."""
    name = re.sub(r"[^\S\t\n\r\f\v]+", " ", unicodedata.normalize("NFC", name.translate(_EMOJI_SELECTORS))).strip(" ")
    if not name:
        raise RuleError("A name is missing.")
    if len(name) > MAX_NAME:
        raise RuleError(f"The name has {len(name)} characters; at most {MAX_NAME} are allowed.")
    if describe_hidden(name) is not None:
        raise RuleError("The name holds characters that nobody can see; please leave them out.")
    if without_piled_marks(name) != name:
        raise RuleError("The name piles up accents; please leave some out.")
    if not any(char.isalnum() for char in name):
        raise RuleError("A name needs a letter or a digit.")
    if name.startswith("#"):
        raise RuleError("A name can't begin with #.")
    return name


def is_mark(char: str) -> bool:
    """Return whether a character is drawn onto the one before it."""
    return unicodedata.category(char) in {"Mn", "Me"}


def without_piled_marks(text: str) -> str:
    """Return `text` without the marks that come after two marks on the same letter."""
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        if marks <= _MAX_MARKS:
            kept.append(char)
    return "".join(kept)


T = TypeVar("T")

LIKE_ENOUGH = 60.0
"""Likeness of 0 to 100 below which a suggestion misleads more than it helps."""


def nearest(word: str, known: Mapping[str, T], *, parts: bool = False, least: float = LIKE_ENOUGH) -> T | None:
    """Return the value of the key most like `word`, or None if none is like it.

    `parts`: a word that is a part of a key is like it, too, but in a browser, which knows a plainer likeness.
    """
    try:
        from rapidfuzz import fuzz, process  # noqa: PLC0415  # rules must work where only pydantic is
    except ImportError:
        return next((known[near] for near in get_close_matches(word, list(known), 1, least / 100)), None)
    found = process.extractOne(word, list(known), scorer=fuzz.WRatio if parts else fuzz.ratio, score_cutoff=least)
    return None if found is None else known[found[0]]


VERSUS = frozenset(
    {
        *("vs", "vs.", "v", "v.", "v.s.", "v/s", "vrs", "versus", "against", "gegen", "contre", "vers"),
        *(">", "\u2192", "\u27a1", "\u27a1\ufe0f", "\u2694", "\u2694\ufe0f", "\U0001f19a"),
    }
)
"""Words that separate two sides."""

HEADINGS: dict[str, Side] = {
    **dict.fromkeys(
        ("attacker", "attackers", "attacking", "attack", "att", "atk", "offense", "offence"), Side.ATTACKER
    ),
    **dict.fromkeys(("defender", "defenders", "defending", "defend", "defense", "defence", "def"), Side.DEFENDER),
}
"""Words that begin a side."""

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

NUMBER_WORDS: dict[str, int] = {
    **{word: number for number, word in enumerate(_ONES)},
    **{ten: 10 * number for number, ten in enumerate(_TENS, 2)},
    **{f"{ten}-{_ONES[one]}": 10 * number + one for number, ten in enumerate(_TENS, 2) for one in range(1, 10)},
    "dozen": 12,
}
"""Numbers as words."""

QUOTE = ">"
_QUOTES = re.compile(r"^[^\S\n]*>+", re.MULTILINE)
_FORMATTING = re.compile(r"\*{2,}|`+|~~+|(?<![^\W_])_+|_+(?![^\W_])|#|(?<=[^\W_])\.+(?=\s*\Z)")
_BULLETS = dict.fromkeys(map(ord, "\u2022\u00b7\u2023\u25aa\u25e6\u25cf\u25a0\u25ba"), ",")
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ",", 0x3002: "."}

Form = tuple[str, str]
"""A pattern without regard to case, and what is read instead of it, which is at most as long."""

WHO = r"(?:i|we|you|he|she|they)(?:['\u2019]?(?:m|re|s|ll|d))?"
_QUESTION = (
    r"(?:can|could|will|would|shall|do|does|should|are|if|what\s+(?:if|about|happens\s+(?:if|when))|"
    r"is(?:\s+it\s+(?:worth|smart|wise|safe)(?:\s+to)?)?|"
    r"how\s+(?:(?:likely|often)\s+)?(?:do|does|will|would|can|are|is(?:\s+it\s+that)?)|how\s+(?:likely|often))"
)
_ODDS = (
    r"(?:what(?:['\u2019]?s|\s+is|\s+are|\s+r)?\s+)?(?:(?:the|my|our)\s+)?(?:win(?:ning)?\s+)?(?:odds|chances?|%|rate)"
    r"(?:\s+to\s+win)?(?:\s+(?:with|of|on|for|if|that))?"
)
_WINS = r"(?:can|could|will|would|shall|do|should)\s+(?:i|we|he|she|they)(?:\s+win)?"
_CHAT = (
    r"(?:hi|hey|hello|yo|ok(?:ay)?|so|now|fracas|know|suppose|say|let(?:'?s)?|try|(?:tell|give|show)\s+me|gimme|need|"
    r"(?:(?:can|could|would|do|does)\s+)?(?:you|any(?:one|body))|calc(?:ulate)?|sim(?:ulate)?|run|roll|first|battle)"
)
ASKED: tuple[Form, ...] = (
    (rf"\A(?:\s*{_CHAT}(?![^\W_])[\s,!:]*)+", ""),
    (r"\bwho(?:'s)?\s+(?:would\s+|will\s+|gonna\s+|going\s+to\s+)?wins?\b\s*[,:]?", ""),
    (rf"\A\s*(?:{_WINS}\s+(?:if|when|with)|{_QUESTION}|{_ODDS})(?![^\W_:])(?!\s*:)", ""),
    (rf"\b(?:how\s+likely|{_ODDS}|{_WINS})[\s?!.]*\Z", ""),
    (rf"(?<![0-9])(?<![0-9]\s)\b{WHO}\s+(?=attack[a-z]*\b(?!\s+with\b)|(?:hit|tak|hold|defend)[a-z]*\b)", ""),
)
"""What is asked about a battle, perhaps with a greeting."""

_DOZEN: Form = (r"\ban?(?=\s+dozen\b)", "")
_LOUD: Form = (r"[?!\"\u201c\u201d\u201e\u00ab\u00bb]", "")
_COURTESY: Form = (r"\b(?:please|pls|plz|thanks|thx)(?![^\W_:])(?!\s*:)", "")
_NUMBERS = re.compile(rf"\b(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)


class Habits:
    """How the texts of a game are written in a roundabout way.

    `command`: pattern of what stands behind the slash of a pasted command, its option's name included. `forms`: those
    of the game beside what all games have. `numbers`: whether every word that means a number is one.
    """

    def __init__(self, command: str, *forms: Form, numbers: bool = False) -> None:
        self._numbers = numbers
        every = ((rf"\A\s*[/!]{command}", ""), _DOZEN, _COURTESY, *forms, _LOUD)
        self._forms = [(re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in every]
        # Of one text several times: for its edition, its sides, its options.
        self.cleaned = lru_cache(maxsize=64)(self._cleaned)

    def _cleaned(self, text: str) -> str:
        """Return a text of the same length without marks, and with something plainer for each form."""
        text = _unmarked(text)
        if self._numbers:
            text = _NUMBERS.sub(lambda found: str(NUMBER_WORDS[found[0].casefold()]).ljust(len(found[0])), text)
        for form, plain in self._forms:
            text = form.sub(partial(_padded, plain), text)
        return text

    def found_in(self, text: str) -> bool:
        """Return whether a text has more than marks that is read as something plainer."""
        return text != text.translate(_WIDE) or self.cleaned(text) != _unmarked(text)


def _unmarked(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    if all(line.lstrip().startswith(QUOTE) for line in lines):
        text = _QUOTES.sub(partial(_padded, ""), text)
    return _FORMATTING.sub(partial(_padded, ""), text.translate(_WIDE).translate(_BULLETS))


def _padded(plain: str, found: re.Match[str]) -> str:
    return found.expand(plain).ljust(len(found[0]))
