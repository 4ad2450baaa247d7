"""What parts the sides of a battle text beside words and headings: letters, names of powers, a sign.

`A: 6 inf D: 5 inf`, `Germany: 6 inf UK: 5 inf`, `Ukraine: 6 inf vs 5 inf`, `5 inf defending against 6 inf`,
`attack 5 inf with 6 inf`, `3 inf, 2 tanks x 5 inf`, `3inf-2inf`, `6 inf : 5 inf`.
"""

from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse import words as w
from sim.axis_allies.parse.side import SideReader
from sim.axis_allies.units import nearest_name
from sim.core import Faults, Problem
from sim.core.names import HEADINGS, VERSUS
from sim.core.values import Side

_LETTERS = {"a": Side.ATTACKER, "d": Side.DEFENDER}
_MAX_LABEL = 3  # words of a power or a territory
_MAX_SIGNS = 5  # more part units, and each would cost a reading of the text
_KNOWN = w.PARTING | w.BOMBARD | w.OPTION_WORDS | w.UNBARRED | {w.LANDING, "edition", "counter"}


def parted(text: str, tokens: list[w.Token], *, signs: bool = True) -> list[w.Token]:
    """Return the tokens of both sides with words for what parts these, and without names; the same list if plain.

    `signs`: a sign parts them where nothing else does, if both sides can be read then, with every unit counted, and
    there is one such sign only; in a list with dashes there is none.
    """
    for read in (_lettered, _labelled, _headed_behind, _attacked_first):
        found = read(tokens)
        if found is not tokens:
            return found
    if not signs or any(token.word in w.PARTING for token in tokens):
        return tokens
    start = 2 if w.token_at(tokens, 1).is_colon else 0  # behind an edition
    places = [at for at in range(start + 1, len(tokens) - 1) if _is_sign(tokens, at) and not tokens[start].is_dash]
    if len(places) > _MAX_SIGNS:
        return tokens
    places = [at for at in places if _is_army(text, tokens[start:at]) and _is_army(text, tokens[at + 1 :])]
    if len(places) != 1:
        return tokens
    [at] = places
    return [*tokens[:at], w.Token("vs", tokens[at].span), *tokens[at + 1 :]]


def _lettered(tokens: list[w.Token]) -> list[w.Token]:
    """Return tokens with the letters of `A: 6 inf D: 5 inf` as headings; `a: 6 d: 5` is artillery and destroyers."""
    marked = {at: token.word for at, token in enumerate(tokens[:-1]) if tokens[at + 1].is_colon}
    at = next((at for at, word in marked.items() if word == "a"), len(tokens))
    counted = at + 3 < len(tokens) and (not tokens[at + 2].word.isdecimal() or w.unit_at(tokens, at + 3)[0] is not None)
    if not counted or at + 3 in marked or "d" not in marked.values() or any(one.word in VERSUS for one in tokens):
        return tokens
    return [
        w.Token(_LETTERS[token.word], token.span) if number in marked and token.word in _LETTERS else token
        for number, token in enumerate(tokens)
    ]


def _labelled(tokens: list[w.Token]) -> list[w.Token]:
    """Return tokens with the names before the colons of two sides as headings, the first for the attacker's.

    Where a word parts the sides, their names are left out.
    """
    labels = [found for at in range(1, len(tokens)) if (found := _label(tokens, at)) is not None]
    cuts = [at for at, token in enumerate(tokens) if token.word in VERSUS | w.VERBS]
    starts = [start for start, _ in labels]
    if not labels or any(token.word in HEADINGS for token in tokens):
        return tokens
    if len(cuts) == 1 and set(starts) <= {0, cuts[0] + 1}:
        gone = {at for start, colon in labels for at in range(start, colon + 1)}
        return [token for at, token in enumerate(tokens) if at not in gone]
    if cuts or len(labels) != len(Side) or starts[0] != 0:
        return tokens
    (_, first), (second, colon) = labels
    attacker, defender = w.Token(Side.ATTACKER, tokens[0].span), w.Token(Side.DEFENDER, tokens[second].span)
    return [attacker, *tokens[first:second], defender, *tokens[colon:]]


def _headed_behind(tokens: list[w.Token]) -> list[w.Token]:
    """Return tokens with the headings of `5 inf defending against 6 inf attacking` before their units."""
    versus = [at for at, token in enumerate(tokens) if token.word in VERSUS]
    headings = [at for at, token in enumerate(tokens) if token.word in HEADINGS]
    cuts = versus or [at + 1 for at in headings[:-1]]
    if len(cuts) != 1:
        return tokens
    parts = [tokens[: cuts[0]], [tokens[at] for at in versus], tokens[cuts[0] + len(versus) :]]
    behind = [part for part in parts if len(part) > 1 and part[-1].word in HEADINGS]
    if not behind or len({HEADINGS[part[-1].word] for part in behind}) != len(headings):
        return tokens
    return [token for part in parts for token in ([part[-1], *part[:-1]] if part in behind else part)]


def _attacked_first(tokens: list[w.Token]) -> list[w.Token]:
    """Return tokens with headings for the sides of `attack 8 inf with 5 tanks`, the defender first."""
    joints = [at for at, token in enumerate(tokens) if token.word in w.WITH]
    cuts = [at for at in joints if w.token_at(tokens, at + 1).word not in w.UNBARRED]
    cuts = [at for at in cuts if tokens[at].word == "using"] or cuts
    sides = [at for at, token in enumerate(tokens) if token.word in w.PARTING]
    if len(sides) != 1 or len(cuts) != 1:
        return tokens
    [first], [cut] = sides, cuts
    if first and cut == first + 1 and tokens[first].word == w.ATTACKS:
        return [w.Token(Side.DEFENDER, tokens[0].span), *tokens]
    if first or tokens[first].word not in w.VERBS or cut == 1:
        return tokens
    defender, attacker = w.Token(Side.DEFENDER, tokens[0].span), w.Token(Side.ATTACKER, tokens[cut].span)
    return [defender, *tokens[1:cut], attacker, *tokens[cut + 1 :]]


def _label(tokens: list[w.Token], colon: int) -> tuple[int, int] | None:
    """Return where a name that is nothing else begins, and its colon, if a counted unit follows; else None."""
    if not tokens[colon].is_colon or not _counted(tokens, colon + 1):
        return None
    start = colon
    while start and colon - start < _MAX_LABEL and _is_name(tokens, start - 1):
        start -= 1
    name = " ".join(token.word for token in tokens[start:colon])
    misspelled = name not in w.OWNERS and nearest_name(name) is not None
    return None if start == colon or misspelled or (start and _is_name(tokens, start - 1)) else (start, colon)


def _is_name(tokens: list[w.Token], at: int) -> bool:
    word = tokens[at].word
    return (
        word.isalnum()
        and word[0].isalpha()
        and word not in _KNOWN
        and w.longest_name(tokens, at, w.EDITION_NAMES)[0] is None
        and w.unit_at(tokens, at)[0] is None
    )


def _counted(tokens: list[w.Token], at: int) -> bool:
    """Return whether a count and its unit are at a place: 6 inf, 6inf."""
    number = w.token_at(tokens, at)
    attached = number.word.lstrip(".0123456789")
    if not number.starts_number:
        return False
    return w.unit_at(tokens, at, attached)[0] is not None if attached else at + 1 < len(tokens)


def _is_sign(tokens: list[w.Token], at: int) -> bool:
    """Return whether a sign stands between two units; a bullet stands behind a separator."""
    sign = tokens[at].word in w.TIMES - {"*"} | {":"} or tokens[at].is_dash
    return sign and not tokens[at - 1].separates and not tokens[at + 1].separates


def _is_army(text: str, tokens: list[w.Token]) -> bool:
    problems = Faults[Problem]()
    reader = SideReader(text, tokens, problems, EDITIONS[DEFAULT])
    return bool(reader.items) and not problems and not reader.strange and all(item.counted for item in reader.items)
