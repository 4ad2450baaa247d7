"""Questions of Axis & Allies in a terminal: their arguments, `aa-read`, and `aa`.

`aa-read` shows how a text is understood; `aa` is the average battle as the seed program had it, with its questions.
What takes the odds and live battles to answer stands in `odds_console`: `aa` starts without them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import attrgetter
from typing import Any

from sim.axis_allies.army import MAX_COUNT, Army, Group, army_text, army_words
from sim.axis_allies.average import AverageRequest, Choice
from sim.axis_allies.casualties import LIFE_OF, Life, Slot, unit_of
from sim.axis_allies.editions import DEFAULT, EDITIONS, edition_named
from sim.axis_allies.odds_report import found_words, place_name
from sim.axis_allies.parse import EXAMPLE, parse_army, parse_question
from sim.axis_allies.parse import options as o
from sim.axis_allies.parse.words import tokens_of
from sim.axis_allies.question import MAX_ROUNDS, NEVER, Question, Wave, Withdrawal
from sim.axis_allies.reports import transcript
from sim.core import Faults, Problem, RuleError, check_length, check_text, error_lines
from sim.core.console import add_json, print_notes, whole_number
from sim.core.numbers import amount
from sim.core.values import Side

ROUND_COUNT = whole_number(1, MAX_ROUNDS)
_UNIT_COUNT = whole_number(1, MAX_COUNT)
_IPC = whole_number(0, 1_000_000_000)


def add_armies(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add both armies."""
    parser.add_argument("-a", "--attacker", required=required, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    parser.add_argument("-d", "--defender", required=required, metavar="ARMY", help='such as "10 inf"')


def add_losses(parser: argparse.ArgumentParser, *flags: str, more: tuple[str, ...] = ()) -> None:
    """Add how losses are chosen; `flags`: other names of `--casualties`, `more`: methods that only the terminal has."""
    choices = f'{", ".join([*o.METHODS, *more])}, or an order such as "inf, tank, bb-life"'
    default = "(default: as the edition does)"
    parser.add_argument("--casualties", *flags, metavar="METHOD", help=f"how losses are chosen: {choices} {default}")
    for side in Side:
        parser.add_argument(f"--{side}-casualties", metavar="METHOD", help=f"the same for the {side} alone")


def texts_of_losses(arguments: argparse.Namespace) -> dict[str, str]:
    """Return what was given by `add_losses`, by the names of a question's fields, of which `casualties` has both."""
    names = ("casualties", *(f"{side}_casualties" for side in Side))
    return {name: text for name in names if (text := getattr(arguments, name)) is not None}


def add_terms(parser: argparse.ArgumentParser) -> None:
    """Add the round limit and when the attacker retreats."""
    parser.add_argument("--stop-after", type=ROUND_COUNT, metavar="N", help="stop undecided after N rounds")
    parser.add_argument("--retreat-below", type=_UNIT_COUNT, metavar="N", help="retreat with fewer than N attackers")
    parser.add_argument("--retreat-ipc-lost", type=_IPC, metavar="X", help="retreat after losing more than X IPC")
    parser.add_argument("--retreat-only-air", action="store_true", help="retreat with nothing but planes left")
    parser.add_argument("--retreat-last-land", action="store_true", help="retreat with one land unit left")
    parser.add_argument(
        *("--retreat-defenders-below", "--strafe-below"),
        type=_UNIT_COUNT,
        metavar="N",
        help="retreat with fewer than N defenders left",
    )


def withdrawal(arguments: argparse.Namespace) -> Withdrawal:
    """Return when the attacker retreats, by `add_terms`."""
    return Withdrawal(**{name: getattr(arguments, f"retreat_{name}") for name in Withdrawal.model_fields})


def add_must_take(parser: argparse.ArgumentParser) -> None:
    """Add that the attacker wants the territory."""
    parser.add_argument(
        *("--must-take", "--take-territory"),
        action="store_true",
        help="the attacker needs a land unit left to win, and loses the last one last",
    )


def add_question(parser: argparse.ArgumentParser) -> None:
    """Add a battle of any edition, as one text or as armies and options."""
    parser.add_argument(
        "battle",
        nargs="?",
        metavar="BATTLE",
        help=f'the whole question as one text, such as "{EXAMPLE}" or a line that was shared; or -a and -d',
    )
    parser.add_argument("--battle", dest="text", metavar="BATTLE", help="the same")
    add_armies(parser)
    names = ", ".join(EDITIONS)
    parser.add_argument("--edition", metavar="NAME", help=f"{names} (default: the text's, or {DEFAULT})")
    parser.add_argument("--tech", metavar="TECHNOLOGIES", help=f'such as "{o.TECHNOLOGY_EXAMPLE}"')
    parser.add_argument(
        "--landing",
        type=whole_number(0, MAX_COUNT),
        metavar="N",
        help="land units that come by sea, which limit how many ships bombard (default: all)",
    )
    parser.add_argument("--low-luck", action="store_true", help="six points of value are a sure hit")
    add_losses(parser)
    add_must_take(parser)


def question_of(arguments: argparse.Namespace) -> Question:
    """Read what `add_question` added: the question from its text, or from both armies, and the options."""
    texts = [text for text in (arguments.battle, arguments.text) if text is not None]
    sides = [text for text in (arguments.attacker, arguments.defender) if text is not None]
    if (len(texts), len(sides)) not in {(1, 0), (0, 2)}:
        raise RuleError(f'Give the battle as one text, such as "{EXAMPLE}", or both armies with -a and -d.')
    text = texts[0] if texts else " vs ".join(sides)
    chosen = None if arguments.edition is None else edition_named(arguments.edition).name
    question = parse_question(text, edition=chosen)
    technologies = {} if arguments.tech is None else o.parse_technology(arguments.tech, question.edition)
    named: dict[str, Any] = {f"{side}_technology": names or None for side, names in technologies.items()}
    return question.with_options(
        **{name: o.parse_casualties(text) for name, text in texts_of_losses(arguments).items()},
        **named,
        landing=arguments.landing,
        must_take=arguments.must_take or None,
        low_luck=arguments.low_luck or None,
    )


def read(parser: argparse.ArgumentParser) -> None:
    """Print a question, as JSON by the names of the terminal's options; what is damaged is there if anything is."""
    parser.add_argument("text", metavar="TEXT", help=f'the battle as one text, such as "{EXAMPLE}"')
    add_json(parser)
    arguments = parser.parse_args()
    question = parse_question(arguments.text)
    if arguments.json:
        damaged = counts_of(question.defender, question.defender.damage)
        told = {
            "edition": question.edition,
            "waves": [_wave(wave) for wave in question.waves],
            "defender": counts_of(question.defender),
            **({"defender_damaged": damaged} if damaged else {}),
            "options": dict(_options(question)),
        }
        print(json.dumps(told, indent=1))
        return
    print(f"Edition: {question.book.title}.")
    for number, wave in enumerate(question.waves):
        ships = f"; {army_words(wave.bombard)} bombard" if wave.bombard else ""
        landing = "" if wave.landing is None else f"; {wave.landing} land from the sea"
        print(f"{'Then' if number else 'Attacker'}: {army_words(wave.army)}{ships}{landing}.")
    print(f"Defender: {army_words(question.defender)}.")
    for text in o.option_texts(question):
        print(f"Option: {text}.")


def _wave(wave: Wave) -> dict[str, object]:
    told: dict[str, object] = {"army": counts_of(wave.army), "bombard": counts_of(wave.bombard)}
    if damaged := counts_of(wave.army, wave.army.damage):
        told["damaged"] = damaged
    if wave.landing is not None:
        told["landing"] = wave.landing
    return told


def counts_of(army: Army, number: Callable[[Group], Fraction] = attrgetter("count")) -> dict[str, int | float]:
    """Return a number for each unit by its name, by default how many there are; zeros are left out."""
    numbers = {str(group.unit): number(group) for group in army.groups}
    return {unit: int(count) if count.denominator == 1 else float(count) for unit, count in numbers.items() if count}


def _options(question: Question) -> Iterator[tuple[str, object]]:
    for name, value in question:
        match value:
            case _ if name in {"waves", "defender"} or value in (None, (), NEVER) or value is False:
                continue
            case Wave():
                yield name, _wave(value)
            case _ if name == "withdrawal":
                yield from ((f"retreat_{term}", set_) for term, set_ in value.model_dump(exclude_defaults=True).items())
            case _ if name.endswith("_casualties"):
                yield name, o.order_text(value)
            case _:
                yield {"must_take": "take_territory"}.get(name, name), value


def read_losses(answer: str, choice: Choice) -> tuple[Slot, ...]:
    """Return what to lose, first lost first; nothing for an empty answer, which leaves it to the usual order.

    TextError, or RuleError for what these hits can't take.
    """
    if not answer.strip():
        return ()
    check_length(answer, o.MAX_ORDER_TEXT)
    problems = Faults[Problem]()
    casualties = o.read_casualties(tokens_of(answer), len(answer), problems)
    check_text(answer, problems)
    if isinstance(casualties, str):
        raise RuleError(f"Name units here; for {casualties} use the option --casualties.")
    chosen: list[Slot] = []
    for place in casualties:
        if not isinstance(place, Slot) or place not in choice.slots:
            what = place_name(place) if isinstance(place, Slot) else unit_of(place).plural
            here = not isinstance(place, Life) and choice.army.count(unit_of(place))
            raise RuleError(f"These hits can't take {what}." if here else f"The {choice.side} has no {what}.")
        life = LIFE_OF.get(unit_of(place))
        if life in choice.slots:
            chosen.append(life)  # of ships the lives go first
        chosen.append(place)
    return tuple(dict.fromkeys(chosen))


def average(parser: argparse.ArgumentParser) -> None:
    """Fight the average battle; `-h` is the seed program's, so that only `--help` is the help."""
    add_armies(parser, required=True)
    parser.add_argument("-r", "--show-rounds", action="store_true", help="print every round, not only the result")
    add_losses(parser, "-h", "--hit-method", more=("manual, which asks here",))
    add_must_take(parser)
    add_terms(parser)
    add_json(parser)
    arguments = parser.parse_args()
    texts = texts_of_losses(arguments)
    by_hand = {name for name, text in texts.items() if text.strip().casefold() == "manual"}
    request = AverageRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        **{name: o.parse_casualties(text) for name, text in texts.items() if name not in by_hand},
        stop_after=arguments.stop_after,
        withdrawal=withdrawal(arguments),
        must_take=arguments.must_take,
    )
    request, found = request.resolved()
    own = {side: f"{side}_casualties" for side in Side}
    asked = [side for side, name in own.items() if (name if name in texts else "casualties") in by_hand]
    report = request.run(dict.fromkeys(asked, _ask_losses))
    if arguments.json:
        print(report.model_dump_json(indent=1))
        return
    print(transcript(report, rounds=arguments.show_rounds), end="")
    print(*(f"{words}\n" for words in found_words(found)), sep="", end="", file=sys.stderr)
    print_notes(*(f"{note}." for note in report.notes))  # not in the transcript: that is the seed program's text


def _ask_losses(choice: Choice) -> tuple[Slot, ...]:
    """Ask on stderr until the answer from stdin can be used; RuleError if the input ends."""
    hits, shooters = amount(choice.hits), f"the {choice.side.other}'s {choice.by.plural}"
    kind = f"{'surprise ' if choice.surprise else ''}{'hit' if hits == '1' else 'hits'}"
    names = [place_name(slot) for slot in choice.slots]
    print(f"Round {choice.round}: {hits} {kind} by {shooters}.", file=sys.stderr)
    print(f"The {choice.side} has {army_text(choice.army)}.", file=sys.stderr)
    print(f"Lose {', '.join(names[:-1])} or {names[-1]}? (Enter: {names[0]})", file=sys.stderr)
    while True:
        print("> ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            raise RuleError(f"The input ended in round {choice.round}, before the {choice.side} chose all its losses.")
        try:
            return read_losses(answer.strip(), choice)
        except RuleError as error:
            print(*error_lines(error), sep="\n", file=sys.stderr)
