"""Names that players give: what a name may be, and which spellings are one and the same."""

import re
import unicodedata

from sim.core.errors import RuleError

MOST_NAME = 40
"""Characters of a name."""

# Control, invisible, private, unassigned, surrogate characters; line ends. Then letters and a sign that look empty.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_EMPTY = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
_MARKS = frozenset({"Mn", "Me"})
_MOST_MARKS = 2
_STYLES = re.compile("[\ufe0e\ufe0f]")  # they only choose how a sign is drawn
_BLANKS = re.compile(r"[^\S\t\n\r\f\v]+")


def checked_name(name: str) -> str:
    """Return a name as it is kept: composed, single blanks; RuleError with one sentence for what is no name."""
    name = _BLANKS.sub(" ", unicodedata.normalize("NFC", _STYLES.sub("", name))).strip(" ")
    if not name:
        raise RuleError("A name is missing.")
    if len(name) > MOST_NAME:
        raise RuleError(f"The name has {len(name)} characters; at most {MOST_NAME} are allowed.")
    if any(unicodedata.category(char) in _UNSEEN or char in _EMPTY for char in name):
        raise RuleError("The name holds characters that nobody can see; please leave them out.")
    if _piled(name):
        raise RuleError("The name piles up accents; please leave some out.")
    if not any(char.isalnum() for char in name):
        raise RuleError("A name needs a letter or a digit.")
    if name.startswith("#"):
        raise RuleError("A name can't begin with #.")
    return name


def name_key(name: str) -> str:
    """Return the same text for every spelling that people take for the same name."""
    folded = unicodedata.normalize("NFKC", _STYLES.sub("", name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _piled(name: str) -> bool:
    marks = 0
    for char in name:
        marks = marks + 1 if unicodedata.category(char) in _MARKS else 0
        if marks > _MOST_MARKS:
            return True
    return False
