"""A text as tokens with their places, and what words mean: names of units and editions, and words besides them.

What is pasted from a chat, a forum or a table brings marks that mean nothing here; they are blanks, so that every place
stays where it is.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from sim.axis_allies.editions import EDITIONS, NAMES, Edition
from sim.axis_allies.units import UNUSUAL, WORDS, Unit
from sim.core import Span
from sim.core import Token as TextToken
from sim.core.names import ASKED, HEADINGS, NUMBER_WORDS, VERSUS, WHO, Habits

T = TypeVar("T")

MAX_TEXT = 2_000
"""Maximum code points of a battle text: as many as a chat message holds, more than all units on both sides need."""

WITH = frozenset({"with", "using", "w/", "w"})
VERBS = frozenset(
    {
        *("into", "on", "to", "@", "/", "hitting", "invade", "invades", "invading"),
        *("fight", "fights", "fighting", "engage", "engages", "meet", "meets", "face", "faces", "sink", "sinks"),
        *(verb + end for verb in ("attack", "assault", "beat", "kill", "defeat", "clear") for end in ("", "s", "ing")),
    }
)
"""Words that separate the two sides where nothing else does."""

PARTING = VERSUS | VERBS | HEADINGS.keys()
"""Words that separate the two sides, or begin one."""

HEADING_FILLERS = frozenset({"units", "unit", "army", "armies", "force", "forces", "side", "fleet", "with"})
"""Words after a heading without a meaning."""

BOMBARD = frozenset({"bombard", "bombarding", "bombards", "bombardment", "bombardments", "shore"})
"""Words that mark ships which bombard."""

THEN = "then"
ATTACKS = "att"
LANDING = "landing"
DAMAGED = frozenset({"damaged", "wounded", "hit"})
FULL = frozenset({"full", "loaded"})
"""Words for carriers that bring their fighters."""

OPTION = "|"
ORDER = frozenset({"order", "casualties", "losses", "ool", "lose"})
TECHNOLOGY = frozenset({"tech", "technology", "technologies"})
OPTION_WORDS = (ORDER | TECHNOLOGY | {"rounds", "retreat", "strafe"}) - {"lose"}
"""Words that begin an option and mean nothing else."""

LOW_LUCK = (("ll",), ("low-luck",), ("lowluck",), ("low", "luck"))
"""Low luck, which may stand before the armies, too."""

UNBARRED = frozenset(luck[0] for luck in LOW_LUCK) | {
    *("take", "must", "rounds", "round", "retreat", "strafe", "stop", "no", "ool", "lose")
}
"""Words after the defender that begin an option without a bar; a number before "rounds" does so, too."""

TELLING = frozenset(
    {
        *("or", "no", "not", "without", "minus", "less", "except", "but", "each", "keep", "left", "lose", "last", "if"),
        *("off", "from", "under", "half", "few", "some", "many", "hold", "he", "they"),
    }
)
"""Words that name nothing and change what those beside them mean: 10 tanks but no planes."""

SEPARATORS = frozenset(
    {",", ";", "&", "+", "/", "and", "plus", "with", "using", "w/", "w", "n", "und", "mit", "et", "avec", "*", "\n"}
)
TIMES = frozenset({"x", "\u00d7", "*"})
COLONS = frozenset({":", "="})

COUNT = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+", re.ASCII)
NEGATIVE = re.compile(r"[-\u2212\u2013]\.?[0-9]", re.ASCII)

OWNERS = frozenset(
    {
        *("german", "germans", "germany", "russian", "russians", "russia", "soviet", "soviets", "ussr", "british"),
        *("britain", "uk", "american", "americans", "america", "us", "usa", "japanese", "japan", "italian", "italians"),
        *("italy", "french", "france", "chinese", "china", "anzac", "axis", "allies", "me", "him", "them"),
    }
)
"""Whose units they are, which means nothing for a battle."""

# The same of what ships tell anyway.
_IDLE = ("amphib", "amphibious", "unescorted", "the", "my", "our", "your", "his", "her", "their", "enemy")
_EDITIONS = "|".join(re.escape(name) for name in sorted(NAMES, key=len, reverse=True))
# A comma stands for these: behind it, a year is no count.
_IN, _RULES = r"(?:in|on|for)\s+(?:the\s+)?", r"\s+(?:edition|rules)"

HABITS = Habits(
    r"aa[a-z]*(?:\s+(?:battle|retreat|luck)\b(?!:))?(?:\s+(?:battle|setup):)?",
    (rf"(?<=[^\s,;.])([\s,;.]+){WHO}\s+attack(?:s|ing)?(?=\s+(?:with|using)\b)", r"\1att"),
    *ASKED,
    (rf"\b(?:{'|'.join([*_IDLE, *sorted(OWNERS)])})(?![^\W_:])(?!\s*:)", ""),
    (rf"\A\s*{_IN}({_EDITIONS})(?:{_RULES})?(?![^\W_])[\s,:]*", r"\1:"),
    (rf"\b(?:{_IN}({_EDITIONS})(?:{_RULES})?|({_EDITIONS}){_RULES})[\s?!.]*(?=\||\Z)", r",\1\2"),
    (r"\btak(?:e|es|ing)(?=\s+[0-9])(?![^|]*\b(?:vs?|versus|against)\b)", "beat"),
    (r"\b(?:going|moving)\s+(?=into\b)|\benough(?:\s+to)?\b|\b(?:try|tries)\s+to\b|\bin\s+(?=low\b|ll\b)", ""),
    (r"\b(?:on\s+land|at\s+sea|(?:a\s+)?stack\s+of|empty|nothing)\b|\b[0-9]+\s+times\b", ""),
    (r"\b(?:on|in|when)\s+(?=(?:def|off)en[sc]e\b|(?:defend|attack)ing\b)", ""),
    (r"\(\s*d(?:ef|efen[sc]e|efend(?:ers?|ing)?)?\s*\)(?=\s*(?:vs?|versus|against)\b)", "def"),
    (r"\(\s*(?:[ad]|att|atk|def|defen[sc]e|(?:attack|defend)(?:ers?|ing)?)\s*\)(?!\s*[0-9])", ""),
    (r"\(\s*(damaged|hit|wounded)\s*\)", r"\1"),
    (r"(?<=[^\W\d_]\s)(?:units?|pieces?|(?:in\s+|as\s+)?support)\b|\bto\s+(?:death|end)\s*\Z", ""),
    (r"\bsupported\s+by\b", "and"),
    (r"\b(?:a\s+)?(?:couple|pair)\s+of\b", "2"),
    (r"\b(?:win|fare|do)\s+(?=(?:against|vs|versus)\b)", ""),
    # who holds out is attacked
    (r"\A\s*(?:hold|defend)(?:ing)?\s+(?:(?:[a-z]+\s+){0,2}?(?=with\s+[0-9])|(?=[0-9]))", "def "),
    (r"\b(?:defend(?:s|ed)?|holds?(?:\s+out)?|survives?)\s+(?=(?:against|vs|versus|with)\b)", "def"),
    (r"\b(?:(?:is|are|gets?|getting|being)\s+)*attacked\s+by\b", "def vs"),
    (r"\b(?:i|we)(?:['\u2019]ve(?:\s+got)?|\s+(?:have|send|bring|use))\b", ""),
    (r"\b(?:he|she|they)\s+(?:has|have)\b|(?<!\S)-vs?-", "vs"),
    (r"\b(?:at\s+most|max(?:imum)?|up\s+to|only|just)\s+(?=(?:[0-9]+|one)\s+rounds?\b)|(?<=\bround)s?\s+only\b", ""),
    (r"\bone\s+(?=round\b)", "1"),
    (r"\bwithout\s+retreat(?:ing)?\b", "no retreat"),
    (r"\b(?:attackers?\s+)?retreat(?:s|ing)\b", "retreat"),
    (r"\b(?:(?:normal|regular)\s+)?dice\s*\Z", ""),
    (r"\bfollowed\s+by\b", "then"),
    (r"\ba/c(?![^\W_])", "ac"),
    (r"(?<!landing\s)(?<!landing:\s)\b([0-9]+)\s+landing\b(?!:?\s*[0-9])", r"landing \1"),
    (rf"[(\[](?=\s*(?:{_EDITIONS}|ll|low[ -]?luck|[0-9]+\s+rounds?)\s*[)\]])([^)\]]+)[)\]]", r",\1"),
    (r"\[", "("),
    (r"\]", ")"),
    # brackets around units mean nothing: 1 carrier (2 ftr)
    (r"\((\s*(?:[0-9.]+|(?:one|two)\s)\s*(?!(?:hits?|damaged|extra|life|lives)\b)[a-z][^()]*)\)", r" \1"),
    (r"\A(\s*a)\s([0-9](?:(?!\bvs?\b|\bversus\b|\bagainst\b)[^|:])*[a-z.,;]\s+d)\s(?=[0-9])", r"\1:\2:"),
    (rf"\A\s*(?:{WHO}\s+)?attack(?:s|ing)?\s+with\b", ""),
)
"""What is read as something plainer."""

# Words and numbers written together: vs5, 3i2t, Inf-6.
_JOINED = (
    r"vs\.?(?=[0-9])",
    r"[^\W_]+?(?=vs\.?[0-9])",
    r"[0-9]+(?:\.[0-9]+)?[^\W\d_]+(?=-?[0-9]+[^\W\d_])",
    r"(?<=[^\W\d_])-(?=[0-9]+[^\W\d_])",
    r"[^\W\d_]{2,}(?=-[0-9]+(?![^\s,;)]))",
)
_TOKEN = re.compile(
    rf"[,;&+>()|:=*\u00d7\n]|{'|'.join(_JOINED)}|(?<![\w])(?:v/s|w/)|/|[^\s/,;&+>()|:=*\u00d7]+", re.IGNORECASE
)
_RULE = re.compile(r"[-\u2212\u2013\u2014=]+")


class Token(TextToken):
    """A word or a sign and its place."""

    @property
    def is_dash(self) -> bool:
        """Whether it is a dash or a line of dashes."""
        return _RULE.fullmatch(self.text) is not None

    @property
    def is_colon(self) -> bool:
        """Whether it is a colon, or stands for one."""
        return self.word in COLONS

    @property
    def is_count(self) -> bool:
        """Whether it is a count and nothing else."""
        return COUNT.fullmatch(self.text) is not None or self.word in NUMBER_WORDS

    @property
    def starts_number(self) -> bool:
        """Whether it begins with a number, however that is written."""
        first = self.text[:1]
        return (
            first == "."
            or first.isnumeric()
            or self.word in {"nan", "infinity", "\u221e"}  # numbers elsewhere; "inf" is infantry here
            or self.word in NUMBER_WORDS
            or NEGATIVE.match(self.text) is not None
        )

    @property
    def separates(self) -> bool:
        """Whether it stands between two units, or before the first one."""
        return self.word in SEPARATORS or self.is_dash


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text."""
    return [Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(HABITS.cleaned(text))]


END = Token("", Span(0, 0))
"""Stands behind the last token; it is neither a word nor a number nor a sign."""


def token_at(tokens: Sequence[Token], at: int) -> Token:
    """Return the token at a place, `END` behind the last one."""
    return tokens[at] if at < len(tokens) else END


def shortened(digits: str, limit: int = 12) -> str:
    """Return digits cut to `limit`."""
    return digits if len(digits) <= limit else f"{digits[:limit]}…"


def is_plain(text: str) -> bool:
    """Return whether nothing in a text is rewritten, joined to something else, or a word that few players know."""
    tokens = tokens_of(text)
    joined = any(
        one.span.end == other.span.start and one.text[-1].isalpha() and other.text[0] in "-0123456789"
        for one, other in pairwise(tokens)
    )
    unusual = any(
        longest_name(tokens, at, _UNUSUAL, token.word.lstrip(".0123456789"))[0] for at, token in enumerate(tokens)
    )
    return not joined and not unusual and not HABITS.found_in(text)


def span_of(tokens: Sequence[Token]) -> Span:
    """Return the place of tokens from the first one to the last one."""
    return Span(tokens[0].span.start, tokens[-1].span.end)


def typed_place(text: str, place: Span) -> Span:
    """Return the place of a name with all that was read as it: `in 1942`, `1942 rules`."""
    start, end = place
    cleaned = HABITS.cleaned(text)
    if text[start:end] != cleaned[start:end]:
        while start and cleaned[start - 1] != text[start - 1]:
            start -= 1
        blanks = len(cleaned) - len(cleaned[end:].lstrip())
        end = start + len(text[start:blanks].rstrip())
    return Span(start, end)


_BLANKS = str.maketrans("-_\u00e4\u00f6\u00fc\u00e9\u00e8\u00ea", "  aoueee")


def plain_name(name: str) -> str:
    """Return a name of several words with single blanks between them, without accents."""
    return " ".join(name.translate(_BLANKS).split())


UNIT_NAMES = {plain_name(word): unit for word, unit in WORDS.items()}
"""Every name of a unit, with blanks for hyphens and without accents."""

EDITION_NAMES = {" ".join(name.replace("-", " ").split()): edition for name, edition in NAMES.items()}
"""Every name of an edition, with blanks for hyphens."""

_UNUSUAL = {plain_name(word): word for word in UNUSUAL | FULL}


def longest_name(
    tokens: Sequence[Token], at: int, names: Mapping[str, T], first: str | None = None
) -> tuple[T | None, int]:
    """Return what the longest name at `at` stands for, None for no name, and how many tokens it has.

    `first`: the name's first word where only the end of the token belongs to it. Hyphens, underscores and full stops
    don't matter.
    """
    # The longest names have four words: aircraft carrier extra life.
    words = [first or token_at(tokens, at).word, *(token.word for token in tokens[at + 1 : at + 4])]
    words = [plain_name(word.rstrip(".")) for word in words]
    for length in range(len(words), 0, -1):
        found = names.get(" ".join(words[:length]))
        if found is not None:
            return found, length
    return None, 1


def names_in(tokens: Sequence[Token], names: Mapping[str, T]) -> Iterator[tuple[Token, T | None, Span]]:
    """Yield the first token of each name in a list, what it stands for, None for no name, and its place."""
    at = 0
    while at < len(tokens):
        found, length = longest_name(tokens, at, names)
        if not (tokens[at].separates or tokens[at].is_colon):
            yield tokens[at], found, span_of(tokens[at : at + length])
        at += length


def unit_at(tokens: Sequence[Token], at: int, first: str | None = None) -> tuple[Unit | None, int]:
    """Return the unit that is named at `at`, None if there is none, and how many tokens its name has."""
    return longest_name(tokens, at, UNIT_NAMES, first)


def nearest_edition(book: Edition, suits: Callable[[Edition], bool]) -> Edition | None:
    """Return `book` if it suits, else the nearest in years that does, the later one of two; None if none does."""
    if suits(book):
        return book
    suitable = [edition for edition in reversed(EDITIONS.values()) if suits(edition)]
    return min(suitable, key=lambda edition: abs(edition.year - book.year), default=None)


def edition_with(book: Edition, units: Iterable[Unit]) -> Edition | None:
    """Return `book` if it has all of `units`, else the nearest edition that has."""
    wanted = set(units)
    return nearest_edition(book, lambda edition: wanted <= edition.units.keys())


def add_edition(edition: Edition) -> str:
    """Return how to ask for an edition that has what another one lacks."""
    return f"{edition.name.capitalize()} has: add edition:{edition.name}"
