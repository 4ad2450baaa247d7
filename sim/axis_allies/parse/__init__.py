"""Whole battle texts, read and written: one line or a pasted list with everything that is asked about it.

`1942: 6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr | rounds 3`. Errors list every mistake
with its place. Source: .docs/rules/axis_allies.md, "Army text" and "In the chat line".
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from sim.axis_allies.army import Army, format_army
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse.armies import ArmyReader, Layout
from sim.axis_allies.parse.options import option_texts, read_options, wave_text
from sim.axis_allies.parse.side import SideReader
from sim.axis_allies.parse.words import BOMBARD, HABITS, MAX_TEXT, T, Token, is_plain, nearest_edition, span_of
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.units import WORDS, Category, Unit
from sim.core import Faults, Problem, RuleError, Span, TextError, check_length, check_text, flaw
from sim.core.names import HEADINGS, listed
from sim.core.values import Side

EXAMPLE = "6 tanks vs 10 inf"

_BOMBARDING = "Do these ships bombard? Then say so after them: 2 battleships bombard"
_SIDES = re.compile(rf"\b(?:{'|'.join(Side)})\b", re.IGNORECASE)
# Counts without fractions, units and options on one line, without these words: each side reads the same on the other.
_PLAIN = re.compile(rf"[a-z0-9 ,;:&+|-]{{,{MAX_TEXT - 3}}}", re.IGNORECASE | re.ASCII)
_ASIDE = frozenset(HEADINGS) | BOMBARD | {"edition"}


def parse_question(text: str, default: str | None = None, edition: str | None = None) -> Question:
    """Read a whole question; TextError with every mistake and its position.

    `edition`: the one chosen besides the text, which wins; `default`: where the text names none either, None for the
    nearest to 1941 that has all its units. The last texts are kept as read: an answer, its buttons and its files are
    all about one.
    """
    if default is None:
        default = DEFAULT if edition is not None or len(text) > MAX_TEXT else fitting_edition(text)
    return _read_question(text, default, edition)


@lru_cache(maxsize=64)
def _read_question(text: str, default: str, edition: str | None) -> Question:
    check_length(text, MAX_TEXT)
    layout = Layout(text)
    problems = layout.problems
    armies = ArmyReader(text, problems, layout.book(edition, default))
    waves: list[Wave | None] = []
    if layout.defender is not None or layout.waves[0].tokens:
        several = len(layout.waves) > 1
        for number, part in enumerate(layout.waves, 1):
            waves.append(armies.wave(part.tokens, part.start, f"Wave {number}" if several else "The attacker"))
    defender = Army()
    if layout.defender is not None:
        defender = armies.defender(layout.defender.tokens, layout.defender.start)
    else:
        problems.add(Problem(Span(layout.end, layout.end), f"Put vs between the two armies, as in: {EXAMPLE}"))
    terms = read_options(layout.options, armies)
    armies.finish()
    asked = [*_asked(layout.again, armies)]
    if problems:
        problems.extend(problem for *_, instead in asked for problem in instead)
        check_text(text, problems)
    question = Question(waves=tuple(wave for wave in waves if wave is not None), defender=defender, **terms)
    if asked:
        paste = share_text(question)
        raise AskedError(text, [Problem(place, f"{message}: {paste}") for place, message, _ in asked])
    return question


class AskedError(TextError):
    """A text with something that is no part of a battle, or can be meant differently; each problem has one to paste."""


def _asked(again: Token | None, armies: ArmyReader) -> Iterator[tuple[Span, str, list[Problem]]]:
    """Yield what is asked instead of guessed: where, the words before what to paste, the problems beside others."""
    if again is not None:
        two = "Ask about one battle at a time" if again.word == "or" else "Only two sides can fight. Without the third"
        yield again.span, two, [Problem(again.span, f"Only two sides can fight, as in: {EXAMPLE}")]
    if armies.loose:
        able = [item for item in armies.loose if item.unit in armies.bombarding]
        place = (able or armies.loose)[0].span
        if able:
            yield place, "Do these ships bombard? Then paste", [Problem(place, _BOMBARDING)]
        else:
            message = "Ships don't fight on land"
            yield place, f"{message}. Without them", [Problem(place, f"{message}: leave them out.")]
    if strange := sorted(armies.strange.told, key=lambda problem: problem.span):
        words = dict.fromkeys(f"'{armies.text[problem.span.start : problem.span.end]}'" for problem in strange)
        place = Span(strange[0].span.start, strange[-1].span.end)
        yield place, f"I don't know {listed([*words][:6], 'or')}. Without that", strange


def parse_army(text: str, edition: str = DEFAULT) -> Army:
    """Read one army in an edition unless the text names one; TextError with every mistake and its position."""
    return _only(text, edition, ArmyReader.army)


def parse_wave(text: str, edition: str = DEFAULT) -> Wave:
    """Read one attacker with its bombardment, such as a counterattack; errors as in `parse_army`."""
    return _only(text, edition, ArmyReader.wave) or Wave(army=Army())


def _only(text: str, edition: str, read: Callable[[ArmyReader, list[Token], int, str], T]) -> T:
    """Read a text that has one army and nothing else."""
    check_length(text, MAX_TEXT)
    layout = Layout(text, signs=False)
    problems = layout.problems
    parts = [part.tokens for part in (*layout.waves, layout.defender) if part is not None and part.tokens]
    problems.extend(Problem(span_of(tokens), "Only one army fits here.") for tokens in parts[1:])
    problems.extend(Problem(span_of(tokens), "Only an army fits here, without options.") for tokens in layout.options)
    armies = ArmyReader(text, problems, layout.book(None, edition))
    found = read(armies, parts[0] if parts else [], layout.end, "The army")
    armies.finish()
    problems.extend([*armies.strange.told, *(Problem(item.span, _BOMBARDING) for item in armies.loose)])
    check_text(text, problems)
    return found


@lru_cache(maxsize=64)
def named_edition(text: str) -> str | None:
    """Return the name of the edition that a text is about, None if it names none."""
    edition = Layout(text).edition
    return None if edition is None else edition.name


def without_edition(text: str) -> str:
    """Return a text without the editions that it names."""
    for place in reversed(Layout(text).edition_places):
        text = text[: place.start] + text[place.end :].lstrip()
    return re.sub(r"[(\[]\s*[)\]]", "", text).strip()  # brackets around an edition


def is_battle(text: str) -> bool:
    """Return whether something separates two sides in a text."""
    return Layout(text).defender is not None


def reads_as_battle(text: str) -> bool:
    """Return whether a text can be meant as a battle: it is one, or would be with every unknown word corrected."""
    try:
        parse_question(text, fitting_edition(text))
    except AskedError:
        return text[:1].isdecimal()
    except TextError as error:
        return is_battle(text) and all(problem.suggestion is not None for problem in error.problems)
    except RuleError:
        return False
    return True


def fitting_edition(text: str, default: str = DEFAULT) -> str:
    """Return the edition in which a text can be read: the one it names, else the default or the nearest that can.

    An attacker who comes ashore with transports may mean that ships bombard, where the defender has none.
    """
    layout = Layout(text)
    book = layout.book(None, default)
    if layout.edition is not None:
        return book.name
    parts = [part for part in (layout.defender, *layout.waves) if part is not None]
    sides = [SideReader(text, part.tokens, Faults(), book).items for part in parts]
    units = {item.unit for items in sides for item in items}
    bombards = any(item.bombard is not None for items in sides for item in items)
    if layout.defender is not None:
        defending, *attacking = ({item.unit.category for item in items} for items in sides)
        ashore = Unit.TRANSPORT in units and any({Category.LAND, Category.NAVAL} <= side for side in attacking)
        bombards |= ashore and Category.LAND in defending and Category.NAVAL not in defending
    fitting = nearest_edition(
        book, lambda edition: units <= edition.units.keys() and bool(not bombards or edition.rules.bombarding)
    )
    return book.name if fitting is None else fitting.name


def swap_sides(text: str, edition: str = DEFAULT) -> str:
    """Return a battle text with its sides swapped, otherwise as typed; it grows by at most 3 characters.

    TextError if it can't be read, or can't be fought the other way round.
    """
    parse_question(text, edition)
    layout = Layout(text)
    attacker, defender = (layout.side_text(text, side) for side in Side)
    head = "" if layout.edition_text is None else f"{layout.edition_text}: "
    versus = "vs" if layout.versus is None else layout.versus.text
    tail = _SIDES.sub(lambda found: Side(found[0].lower()).other, text[layout.end :]) if layout.options else ""
    luck = " | ll" if layout.luck_first else ""
    swapped = f"{head}{defender} {versus} {attacker}{tail}{luck}"
    parse_question(swapped, edition)
    return swapped


def can_swap(text: str, edition: str = DEFAULT) -> bool:
    """Return whether `swap_sides` can swap a text that can be read; a plain one isn't read once more for it."""
    question = parse_question(text, edition)
    attacker = question.waves[0]
    if len(question.waves) > 1 or attacker.bombard or attacker.landing is not None:
        return False
    if _PLAIN.fullmatch(text) and _ASIDE.isdisjoint(re.findall("[a-z]+", text.lower())):
        return all(group.unit is not Unit.GUN for group in question.defender.groups)
    return flaw(lambda: swap_sides(text, edition)) is None


def decode_text(content: bytes) -> str:
    """Return a file's text as one line, with commas for line breaks; RuleError if it is not UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RuleError("An army is plain text in UTF-8, such as: 6 tanks, 2 inf") from None
    lines = (" ".join(line.split()).strip(" ,;") for line in HABITS.cleaned(text).splitlines())
    return ", ".join(line for line in lines if line)


def share_text(question: Question) -> str:
    """Return one line that `parse_question` reads as the same question.

    ValueError if a count has no finite decimals; nobody can type such an army.
    """
    attackers = " then ".join(map(wave_text, question.waves))
    return " | ".join([f"{question.edition}: {attackers} vs {format_army(question.defender)}", *option_texts(question)])


def read_as(text: str, edition: str = DEFAULT) -> str | None:
    """Return how a battle is read, in one line as it is typed plainly; None for a text that is as plain."""
    if Layout(text).plain and is_plain(text):
        return None
    return share_text(parse_question(text, edition))


def completions(text: str, edition: str = DEFAULT) -> list[str]:
    """Return the text with its last word completed to each unit name that starts with it, best first.

    The units are those of the edition that the text names, else of `edition`. Empty if the text ends in a blank, in a
    count, or in a word that starts no unit name.
    """
    found = re.search(r"(?:(?P<first>[^\W\d_]+) )?(?P<last>[^\W\d_]+)\Z", text)
    if found is None:
        return []
    units = EDITIONS[named_edition(text) or edition].units
    before, words = text[: found.start()], found[0].casefold()
    two_words = [name for name in _names(units, before) if found["first"] and name.startswith(words)]
    if two_words:
        return [before + name for name in two_words]
    head, beginning = text[: found.start("last")], found["last"].casefold()
    names = _names(units, head)
    by_name = [name for name in names if any(part.startswith(beginning) for part in name.split())]
    by_word = [name for name, unit in names.items() if name not in by_name and WORDS.get(beginning) is unit]
    return [head + name for name in by_word + by_name]


def _names(units: Iterable[Unit], head: str) -> dict[str, Unit]:
    """Return the units by name, in the number that fits a text before it."""
    plural = not re.search(r"(?<![0-9.])1\s*\Z", head)
    return {unit.plural if plural else unit.value: unit for unit in units}
