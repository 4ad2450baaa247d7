"""Groups as text: `Brenna, 8 hp str +1, 3 x wolf 9 hp 1d6`; read as players type it, and written.

Source: .docs/rules/duel.md, "Fighters as text".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sim.core import Faults, Problem, RuleError, Span, TextError, Token, check_text
from sim.core.names import NUMBER_WORDS, Habits, name_key, nearest
from sim.duel.critter import LIMITS, MAX_GROUP, MODIFIERS, Critter, Damage, Group, fighter_name, modifier
from sim.duel.monsters import PLURALS, TYPICAL

MAX_GROUP_TEXT = 400
"""Maximum length of a group's text."""

_TWICE = "This is given twice. Put a comma between two fighters: 8 hp, 6 hp"
_HOW_FIGHTER = "Write a fighter as: 8 hp str +1 ac 4 1d6"

_ABILITY = r"(?:str(?:ength)?|dex(?:terity)?)"
_FIGURE = rf"(?:hp|ac|{_ABILITY}|thac0|to-hit|attacks?)"
_SIGN = r"[+\-\u2212]"
_LONE = rf"\s*{_SIGN}?[0-9]{{1,6}}(?![^\s,;)])"
# A number that stands behind its figure: the last one of "ac 4 hp 20", not the first of "ac 4 8 hp 2 attacks".
_OWN = rf"(?!(?:{_LONE}\s*(?:hp|attacks?|{_ABILITY})\b)+(?!{_LONE})){_LONE}"
_NEXT = rf"(?=\s*(?:[,;)\n]|\Z|(?:ac|{_ABILITY}|thac0|to-hit)\b))"
_BARE = r"(?<!\S)(?<!ac )(?<!str )(?<!dex )(?<!strength )(?<!dexterity )"
_AHEAD = rf"{_BARE}({_SIGN}[0-9]+)\s+({_ABILITY})\b(?!\s*[:=]?{_OWN})", r"\2 \1"
_HABITS = Habits(
    r"duel(?:\s+(?:odds|battle|challenge)\b(?!:))?",
    (r"\A\s*(?:first|second|(?:group|side)\s*[12ab])\s*:", ""),
    (r"(?m)^[^\S\n]*(?:[-*]|[0-9]{1,2}[.)])\s+", ""),  # a list's bullets and numbers
    (r"\bhit[\s-]*points?\b|(?<=[0-9])\s*health\b|\bhealth(?=\s*[:=]?\s*[0-9])", "hp"),
    # not the suit of armor that has 30 hp
    (rf"\barmou?r[\s-]*class\b|\barmou?r(?=\s*[:=]?\s*{_SIGN}?[0-9]+(?![0-9]|\s*h))", "ac"),
    (r"\bthaco\b", "thac0"),
    (r"\bto\s+hit\b", "to-hit"),
    (r"(?<!\S)[\u2013\u2014](?=[0-9])", "-"),
    (rf"\b({_FIGURE})\s*(?:[:=]|of\b)\s*(?={_SIGN}?\s*[0-9])", r"\1 "),
    (rf"\b({_ABILITY})\s*({_SIGN})\s+([0-9])", r"\1 \2\3"),
    *(_AHEAD, _AHEAD),  # both abilities may be written so: +1 dex +3 str
    (rf"([0-9]*d[0-9]+)\s*({_SIGN})\s*([0-9]+){_NEXT}", r"\1\2\3"),
    (r"\b(?:damage|dmg)\s*[:=]?\s*(?=[0-9]*d[0-9])", ""),
    (r"(d[0-9]+(?:[+-][0-9]+)?)\s+(?:damage|dmg)\b", r"\1"),
    (r"\bper\s+(?:round|turn)\b", ""),
    (r",(?=[^,;\n]*[0-9p]\s+(?:each|apiece|ea)\b)", ""),
    (r"(?<=[0-9p])\s+(?:each|apiece|ea)\b", ""),
    (rf"(?<=[^\s,;])(\s+)(?:with|w/|at|has|having)\s+(?={_SIGN}?[0-9]|{_FIGURE}\b|[0-9]*d[0-9])", r"\1"),
    (r"(?<=[^\W\d_])(?<!hp)\s*\(\s*([0-9]{1,3})\s*\)", r" x\1"),
    (r"\(([^()]*[0-9][^()]*)\)", r" \1 "),
    (r"(?<=[0-9p])\s*[/|]\s*(?=[a-z0-9+-])", " "),
    # the article of "a wolf" and "a 9 hp wolf", not the name of "A 9 hp" and "A str +1"
    (
        rf"(\A|[,;\n&+]|\band\b|\bplus\b)\s*(?:an?|one)\s+(?=(?:[0-9]+\s*hp\s+)?(?!{_FIGURE}\b)[^\W\d_]{{3,}})",
        r"\1 ",
    ),
)
_PART = re.compile(r"[^,;\n]+")
_SPLIT = re.compile(r"\s+(?:and|plus|\+)(?=\s)|\s*&", re.IGNORECASE)
_JOINT = re.compile(r"(?:,\s*)?(?:and|plus|[+&])?", re.IGNORECASE)
_OTHERS = re.compile(r"(?<!\S)(?:vs?\.?|versus|against)(?!\S)|\bsecond\s*:", re.IGNORECASE)
_MANY = "|".join(word for word, number in NUMBER_WORDS.items() if number > 1)
_COUNT = re.compile(
    rf"\s*(?:(?P<count>[0-9]{{1,6}})\s*[x\u00d7*](?=[\s\W]|[^\W\d_]{{2}}|[0-9])\s*"
    rf"|(?P<bare>[0-9]{{1,3}})\s+(?!(?:{_FIGURE}|x|of|or|to|and)\b)(?=[^\W\d_])"
    rf"|(?P<word>{_MANY})\s+(?=(?!{_FIGURE}\b)[^0-9]*(?:s|men|people)(?:[\s:(]|\Z)))",
    re.IGNORECASE,
)
_COUNT_BEHIND = re.compile(r"(?<!\S)[x\u00d7]\s?(?P<count>[0-9]{1,3})(?!\S)(?!\s*(?:hp|attacks?)\b)", re.IGNORECASE)
_SHORT = r"\b(?:hp|ac|str|dex|thac0|to-hit|dmg|hd)\b"
_LONG = r"(?:strength|dexterity|attacks?|damage)"
# What is no part of a name: figures without a meaning, a choice, two kinds that share figures.
_STRAY = re.compile(
    rf"{_SHORT}|\b{_LONG}\s*[+-]?[0-9]+|[0-9]\s*{_LONG}\b|\b(?:no|without)\s+{_LONG}\b|\b(?:or|vs|versus|against)\b"
    r"|\A\s*(?:[0-9]+\s+(?!of\b)(?=\S)|dozen\b)|\b(?:and|plus)\s+[0-9]+|(?<!\S)(?:[+&*](?!\S)|[+\-\u2212]?[0-9]+(?!\S))",
    re.IGNORECASE,
)
_TIMES = re.compile(r"(?<=[0-9p])\s+[x\u00d7](?!\S)", re.IGNORECASE)
_NUMBER = r"(?P<number>[+\-\u2212]?[0-9]{1,6})"
_STATS = {
    stat: re.compile(rf"(?<!\S)(?:{pattern})(?!\S)", re.ASCII | re.IGNORECASE)
    for pattern, stat in (
        (rf"{_NUMBER}\s*hp(?!\s*(?=[0-9]){_OWN})|hp\s*(?P<behind>[0-9]{{1,6}})", "hp"),
        (rf"str(?:ength)?\s*{_NUMBER}", "str_mod"),
        (rf"dex(?:terity)?\s*{_NUMBER}", "dex_mod"),
        (rf"ac\s*{_NUMBER}", "armour_class"),
        (rf"(?:to-hit|thac0)\s*{_NUMBER}", "to_hit"),
        (rf"{_NUMBER}\s*attacks?|attacks\s*(?P<behind>[0-9]{{1,6}})", "attacks"),
        (r"(?P<dice>[0-9]*d[0-9]\S*)", "damage"),
    )
}


def parse_group(text: str, known: Mapping[str, Critter], nameless: str = "fighter") -> Group:
    """Parse fighters separated by commas: the name of a `known` one (by `name_key`), or statistics in any order.

    Names of monsters are for typical ones where a text couldn't be read otherwise.
    An ability with a sign is a modifier, without one a score. Fighters without a name are called `nameless`. TextError
    marks every mistake.
    """
    return _read(text, known, nameless).group


def group_text(group: Sequence[Critter], known: Mapping[str, Critter], nameless: str = "fighter") -> str:
    """Return one line that `parse_group` reads as the same group, if that can be typed."""
    kinds = []
    for critter, alike in groupby(group):
        count = len(list(alike))
        own = known.get(name_key(critter.name)) == critter
        words = [critter.name] if own else list(_fighter_words(critter, nameless))
        kinds.append(" ".join([*([f"{count} x"] if count > 1 else []), *words]))
    return ", ".join(kinds)


def _fighter_words(critter: Critter, nameless: str) -> Iterator[str]:
    usual = Critter(name=critter.name, hp=critter.hp)
    if critter.name != nameless:
        yield critter.name
    yield f"{critter.hp} hp"
    for word, field in (("str", "str_mod"), ("dex", "dex_mod")):
        if value := getattr(critter, field):
            yield f"{word} {value:+d}"
    for word, field in (("ac ", "armour_class"), ("to-hit ", "to_hit"), ("", "damage"), ("attacks ", "attacks")):
        if (figure := getattr(critter, field)) != getattr(usual, field):
            yield f"{word}{figure}"


def read_as(text: str, known: Mapping[str, Critter], nameless: str = "fighter") -> str | None:
    """Return how a group's text is read, in one line as it is typed plainly; None for a text that is as plain."""
    reader = _read(text, known, nameless)
    return None if reader.plain else group_text(reader.group, known, nameless)


def _read(text: str, known: Mapping[str, Critter], nameless: str) -> "_Reader":
    """Return the reader of a text whose group reads the same when written plainly; TextError for "2#HAS#HP1"."""
    try:
        reader = _Reader(text, known, nameless)
    except TextError:  # else stored texts could mean something else now
        reader = _Reader(text, known, nameless, monsters=True)
    written = group_text(reader.group, known, nameless)
    if written != text and len(written) <= MAX_GROUP_TEXT:
        try:
            again = _Reader(written, known, nameless).group
        except TextError:
            again = ()
        if again != reader.group:
            raise TextError(text, (Problem(Span(0, len(text)), f"What is this? {_HOW_FIGHTER}"),))
    return reader


class _Reader:
    """Reads a group; TextError with every mistake. `plain`: whether nothing was typed in a roundabout way.

    `monsters`: whether names that aren't `known` may be those of monsters.
    """

    def __init__(self, text: str, known: Mapping[str, Critter], nameless: str, *, monsters: bool = False) -> None:
        if len(text) > MAX_GROUP_TEXT:
            raise RuleError(
                f"A group's text has at most {MAX_GROUP_TEXT} characters, not {len(text):,}; use a file for more."
            )
        self._typical = {key: one for key, one in TYPICAL.items() if key not in known} if monsters else {}
        self.known = {**self._typical, **known}
        self.nameless = nameless
        self.plain = True
        self._text = text
        self._problems = Faults[Problem]()
        self.group = self._read(text)

    def _read(self, text: str) -> Group:
        critters: list[Critter] = []
        cleaned = _HABITS.cleaned(text)
        self.plain = not (self._typical or _HABITS.found_in(text))
        whole = Token(cleaned, Span(0, len(text)))
        for found in _OTHERS.finditer(cleaned):
            sides = whole.cut(0, found.start()), whole.cut(found.end())
            if all(map(self._is_fighter, sides)):
                paste = " ".join(sides[0].text.split()).rstrip(" ,;")
                message = f"This field is for one group; the other has its own. Paste here: {paste}"
                raise TextError(text, (Problem(Span(*found.span()), message),))
        for part in self._parts(whole):
            critters += self._fighters(part)
        if not critters and not self._problems:
            self._problems.add(Problem(Span(len(text), len(text)), f"A fighter is missing. {_HOW_FIGHTER}."))
        if len(critters) > MAX_GROUP:
            message = f"These are {len(critters):,} fighters; at most {MAX_GROUP} can fight."
            self._problems.add(Problem(Span(0, len(text)), message))
        check_text(text, self._problems)
        return tuple(critters)

    def _own(self, part: Token) -> Critter | None:
        """Return the character whose name a part is, also one with signs that mean nothing elsewhere."""
        raw = self._text[part.span.start : part.span.end]
        keys = [key for text in (raw, part.text) if not self._lacks_count(key := name_key(text))]
        return next((self.known[key] for key in keys if key in self.known), None)

    def _lacks_count(self, key: str) -> bool:
        """Return whether a name without a count is that of several monsters."""
        return key in PLURALS and key in self._typical

    def _is_fighter(self, part: Token) -> bool:
        """Return whether a part can be a fighter by itself."""
        return self._is_monster(part) or self._own(part) is not None or _STATS["hp"].search(part.text) is not None

    def _is_monster(self, part: Token) -> bool:
        """Return whether a part is the name of a typical monster, with a count or without one."""
        return name_key(_COUNT.sub("", part.text, 1)) in self._typical

    def _belongs(self, part: Token, before: Token) -> bool:
        """Return whether a part is figures that the one before lacks: hit points, if that resembles no character."""
        if not _is_figures(part):
            return False
        if not self._is_fighter(part):  # without hit points: only another fighter can have these figures
            return self._own(before) is None
        return not self._is_fighter(before) and nearest(name_key(_COUNT.sub("", before.text, 1)), self.known) is None

    def _parts(self, whole: Token) -> list[Token]:
        """Return the fighters' texts: figures alone belong to the fighter before them, "and" parts whole fighters."""
        parts: list[Token] = []
        for found in _PART.finditer(whole.text):
            for piece in self._pieces(whole.cut(*found.span())):
                before = parts[-1] if parts else None
                joint = "" if before is None else whole.text[before.span.end : piece.span.start]
                if before is not None and _JOINT.fullmatch(joint.strip()) and self._belongs(piece, before):
                    text = f"{before.text}{' ' * len(joint)}{piece.text}"
                    parts[-1] = Token(text, Span(before.span.start, piece.span.end))
                    self.plain = False
                elif piece.text.strip():
                    parts.append(piece)
        return parts

    def _pieces(self, part: Token) -> list[Token]:
        cuts = [found.span() for found in _SPLIT.finditer(part.text)]
        if not cuts or self._own(part) is not None:
            return [part]
        starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(part.text)]
        pieces = [piece for piece in map(part.cut, starts, ends) if piece.text.strip()]
        whole = all(self._is_fighter(piece) or _is_figures(piece) for piece in pieces)
        shared = any(map(self._is_monster, pieces)) and _STATS["hp"].search(part.text)  # perhaps also the monster's
        if shared or (not whole and not all(map(_is_figures, pieces[1:]))):
            return [part]
        self.plain = False
        return pieces

    def _fighters(self, part: Token) -> list[Critter]:
        if (own := self._own(part)) is not None:
            return [own]
        count, rest = self._counted(part)
        if not count:
            return []
        said, key = rest.part(), name_key(rest.text)
        if rest is part and self._lacks_count(key):
            message = f"How many {said.text}? Put a number before the name: 3 {said.text}"
            self._problems.add(Problem(said.span, message))
            return []
        if key in self.known:
            return [self.known[key]] * count
        before = len(self._problems)
        values, unread = _parse_values(rest, self._problems)
        name = " ".join(unread.split())
        bare = name.strip(" :=\u2013\u2014").removesuffix(" -").removeprefix("- ")
        self.plain &= bare == name
        if "hp" not in values:
            self._problems.add(self._unknown_fighter(said if said.text else rest, bare))
        elif bare:
            strays = [found for found in _STRAY.finditer(unread) if not found[0].isdecimal() or found[0] == bare]
            strays += _TIMES.finditer(rest.text)
            places = (rest.cut(*found.span()).span for found in strays)
            self._problems.extend(Problem(place, f"What is this? {_HOW_FIGHTER}") for place in places)
            try:
                values["name"] = fighter_name(bare)
            except RuleError as error:
                self._problems.add(Problem(said.span, str(error)))
        if len(self._problems) > before:
            return []
        return [Critter.model_validate({"name": self.nameless} | values)] * count

    def _counted(self, part: Token) -> tuple[int, Token]:
        """Return how many a part has, 0 if that is wrong, and the part with the number blanked out."""
        text = part.text
        ahead = _COUNT.match(text)
        behind = _COUNT_BEHIND.search(text, 0 if ahead is None else ahead.end())
        found = ahead or behind
        if found is None:
            return 1, part
        if ahead is not None and behind is not None:
            self._problems.add(Problem(part.cut(*behind.span()).span, "This is given twice."))
            return 0, part
        groups = found.groupdict()
        word = groups.get("word")
        number = NUMBER_WORDS[word.casefold()] if word else int(groups["count"] or groups["bare"])
        self.plain &= ahead is not None and groups["count"] is not None
        if not 1 <= number <= MAX_GROUP:
            self._problems.add(Problem(part.cut(*found.span()).span, f"Write 1 to {MAX_GROUP} of a kind."))
            return 0, part
        return number, part._replace(text=text[: found.start()] + " " * len(found[0]) + text[found.end() :])

    def _unknown_fighter(self, place: Token, name: str) -> Problem:
        near = nearest(name_key(name), self.known, parts=True)
        named = "No monster or character of yours has this name; a new fighter needs hit points."
        why = named if name else "The hit points are missing."
        return Problem(place.span, f"{why} {_HOW_FIGHTER}.", None if near is None else near.name)


def _is_figures(part: Token) -> bool:
    """Return whether a part has no words of its own."""
    _, unread = _parse_values(part, Faults())
    return bool(part.text.strip()) and not unread.strip()


def _parse_values(part: Token, problems: Faults[Problem]) -> tuple[dict[str, Any], str]:
    """Return a fighter's statistics, and the text with them blanked out."""
    values: dict[str, Any] = {}
    rest = part.text
    for stat, pattern in _STATS.items():
        for token in pattern.finditer(rest):
            if stat in values:
                problems.add(Problem(part.cut(*token.span()).span, _TWICE))
                continue
            try:
                values[stat] = _parse_value(stat, token)
            except TextError as error:  # its span counts from the start of the dice
                problems.add(Problem(part.cut(*token.span()).span, error.problems[0].message))
            except RuleError as error:
                problems.add(Problem(part.cut(*token.span()).span, str(error)))
            values.setdefault(stat, 1)
        rest = pattern.sub(lambda token: " " * len(token[0]), rest)
    return values, rest


def _parse_value(stat: str, token: re.Match[str]) -> object:
    if stat == "damage":
        return Damage.model_validate(token["dice"])
    groups = token.groupdict()
    text: str = groups["number"] or groups["behind"]
    number = int(text.replace("\N{MINUS SIGN}", "-"))
    if stat not in MODIFIERS:
        return _within(stat, number, "Allowed are {} to {:,}.")
    if text[0].isdecimal() and number:
        return modifier(_within("score", number, "An ability is {} to {}; write its modifier with a sign: 8 hp str +1"))
    return _within("modifier", number, "A modifier is {} to +{}.")


def _within(figure: str, number: int, told: str) -> int:
    low, high = LIMITS[figure]
    if not low <= number <= high:
        raise RuleError(told.format(low, high))
    return number
