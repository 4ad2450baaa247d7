"""The average battle of Axis & Allies in a terminal, `aa`, as the seed program had it, with its questions."""

import argparse
import sys

from sim.axis_allies.army import army_text
from sim.axis_allies.average import AverageRequest, Choice
from sim.axis_allies.casualties import LIFE_OF, Casualties, Life, Slot, unit_of
from sim.axis_allies.export import transcript
from sim.axis_allies.odds_report import FoundOrder, found_words
from sim.axis_allies.parse import parse_army
from sim.axis_allies.parse.options import MAX_ORDER_TEXT, read_casualties
from sim.axis_allies.parse.words import tokens_of
from sim.axis_allies.read_console import (
    add_armies,
    add_losses,
    add_must_take,
    add_terms,
    losses,
    texts_of_losses,
    withdrawal,
)
from sim.core.caret import error_lines
from sim.core.console import add_json
from sim.core.errors import Faults, Problem, RuleError, check_length, check_text
from sim.core.numbers import amount
from sim.core.values import Side


def loss_question(choice: Choice) -> str:
    """Return the question, in three lines."""
    hits, shooters = amount(choice.hits), f"the {choice.side.other}'s {choice.by.plural}"
    kind = f"{'surprise ' if choice.surprise else ''}{'hit' if hits == '1' else 'hits'}"
    names = [_name(slot) for slot in choice.slots]
    return (
        f"Round {choice.round}: {hits} {kind} by {shooters}.\n"
        f"The {choice.side} has {army_text(choice.army)}.\n"
        f"Lose {', '.join(names[:-1])} or {names[-1]}? (Enter: {names[0]})"
    )


def read_losses(answer: str, choice: Choice) -> tuple[Slot, ...]:
    """Return what to lose, first lost first; nothing for an empty answer, which leaves it to the usual order.

    TextError, or RuleError for what these hits can't take.
    """
    if not answer.strip():
        return ()
    check_length(answer, MAX_ORDER_TEXT)
    problems = Faults[Problem]()
    casualties = read_casualties(tokens_of(answer), len(answer), problems)
    check_text(answer, problems)
    return _chosen(casualties, choice)


def _name(slot: Slot) -> str:
    return f"{slot.unit} lives" if isinstance(slot, Life) else slot.plural


def _chosen(casualties: Casualties, choice: Choice) -> tuple[Slot, ...]:
    if isinstance(casualties, str):
        raise RuleError(f"Name units here; for {casualties} use the option --casualties.")
    chosen: list[Slot] = []
    for place in casualties:
        if not isinstance(place, Slot) or place not in choice.slots:
            what = _name(place) if isinstance(place, Slot) else unit_of(place).plural
            here = not isinstance(place, Life) and choice.army.count(unit_of(place))
            raise RuleError(f"These hits can't take {what}." if here else f"The {choice.side} has no {what}.")
        life = LIFE_OF.get(unit_of(place))
        if life in choice.slots and life not in chosen:
            chosen.append(life)  # of ships the lives go first
        if place not in chosen:
            chosen.append(place)
    return tuple(chosen)


_MANUAL = "manual"
"""Losses that the terminal asks for."""


def add_aa(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa`; `-h` is the seed program's, so that only `--help` is the help."""
    add_armies(parser, required=True)
    parser.add_argument("-r", "--show-rounds", action="store_true", help="print every round, not only the result")
    add_losses(parser, "-h", "--hit-method", more=("manual, which asks here",))
    add_must_take(parser)
    add_terms(parser)
    add_json(parser)
    parser.set_defaults(command=_aa)


def _aa(arguments: argparse.Namespace) -> None:
    texts = texts_of_losses(arguments)
    by_hand = {name for name, text in texts.items() if text.strip().casefold() == _MANUAL}
    request = AverageRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        **losses({name: text for name, text in texts.items() if name not in by_hand}),
        stop_after=arguments.stop_after,
        withdrawal=withdrawal(arguments),
        must_take=arguments.must_take,
    )
    found: tuple[FoundOrder, ...] = ()
    if request.whole:
        request, found = request.resolved()
    own = {side: f"{side}_casualties" for side in Side}
    asked = [side for side, name in own.items() if (name if name in texts else "casualties") in by_hand]
    report = request.run(dict.fromkeys(asked, _ask_losses))
    if arguments.json:
        print(report.model_dump_json(indent=1))
        return
    print(transcript(report, rounds=arguments.show_rounds), end="")
    print(*(f"{words}\n" for words in found_words(found)), sep="", end="", file=sys.stderr)
    for note in report.notes:  # not in the transcript: that is the seed program's text
        print(f"Note: {note}.", file=sys.stderr)


def _ask_losses(choice: Choice) -> tuple[Slot, ...]:
    """Ask on stderr until the answer from stdin can be used; RuleError if the input ends."""
    print(loss_question(choice), file=sys.stderr)
    while True:
        print("> ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            raise RuleError(f"The input ended in round {choice.round}, before the {choice.side} chose all its losses.")
        try:
            return read_losses(answer.strip(), choice)
        except RuleError as error:
            print(*error_lines(error), sep="\n", file=sys.stderr)
