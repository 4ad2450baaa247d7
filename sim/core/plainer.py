"""What players type and paste, made plainer: a text of the same length, so that every place in it stays where it is.

What a chat, a forum or a phone brings along means nothing in any game: marks of quotes and bold type, bullets,
full-width signs, courtesy, the command that a line was copied with. Words that all games read alike are here, too.
"""

import re
from functools import partial

from sim.core.values import Side

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
    **dict.fromkeys(("defender", "defenders", "defending", "defense", "defence", "def"), Side.DEFENDER),
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
_MARKS = re.compile(r"\*{2,}|`+|~~+|(?<![^\W_])_+|_+(?![^\W_])|#|(?<=[^\W_])\.+(?=\s*\Z)")
_BULLETS = dict.fromkeys(map(ord, "\u2022\u00b7\u2023\u25aa\u25e6\u25cf\u25a0\u25ba"), ",")
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ",", 0x3002: "."}

Form = tuple[str, str]
"""A pattern without regard to case, and what is read instead of it, which is at most as long."""

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
        every = ((rf"\A\s*/{command}", ""), _DOZEN, *forms, _LOUD, _COURTESY)
        self._forms = [(re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in every]

    def cleaned(self, text: str) -> str:
        """Return a text of the same length without marks, and with something plainer for each form."""
        lines = [line for line in text.split("\n") if line.strip()]
        if all(line.lstrip().startswith(QUOTE) for line in lines):
            text = _QUOTES.sub(partial(_padded, ""), text)
        text = _MARKS.sub(partial(_padded, ""), text.translate(_WIDE).translate(_BULLETS))
        if self._numbers:
            text = _NUMBERS.sub(lambda found: str(NUMBER_WORDS[found[0].casefold()]).ljust(len(found[0])), text)
        for form, plain in self._forms:
            text = form.sub(partial(_padded, plain), text)
        return text

    def found_in(self, text: str) -> bool:
        """Return whether a text has more than marks that is read as something plainer."""
        wordy = self._numbers and _NUMBERS.search(text) is not None
        return wordy or text != text.translate(_WIDE) or any(form.search(text) for form, _ in self._forms)


def _padded(plain: str, found: re.Match[str]) -> str:
    return found.expand(plain).ljust(len(found[0]))
