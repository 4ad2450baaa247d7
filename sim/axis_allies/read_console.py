"""How a battle's text is understood, in a terminal: `aa-read`."""

import argparse
import json
from collections.abc import Iterator
from fractions import Fraction

from sim.axis_allies.army import Army, army_words
from sim.axis_allies.parse import EXAMPLE, option_texts, order_text, parse_question
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.withdrawal import NEVER
from sim.core.console import add_json

Read = dict[str, object]


def add_read(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa-read`."""
    parser.add_argument("text", metavar="TEXT", help=f'the battle as one text, such as "{EXAMPLE}"')
    add_json(parser)
    parser.set_defaults(command=_read)


def _read(arguments: argparse.Namespace) -> None:
    question = parse_question(arguments.text)
    if arguments.json:
        print(json.dumps(_as_json(question), indent=1))
    else:
        print(*_sentences(question), sep="\n")


def _sentences(question: Question) -> Iterator[str]:
    yield f"Edition: {question.book.title}."
    for number, wave in enumerate(question.waves):
        yield f"{'Then' if number else 'Attacker'}: {_wave_words(wave)}."
    yield f"Defender: {army_words(question.defender)}."
    yield from (f"Option: {text}." for text in option_texts(question))


def _wave_words(wave: Wave) -> str:
    words = army_words(wave.army)
    if wave.bombard:
        words += f"; {army_words(wave.bombard)} bombard"
    return words if wave.landing is None else f"{words}; {wave.landing} land from the sea"


def _as_json(question: Question) -> Read:
    """Return the question by the names of the terminal's options; what is damaged is there if anything is."""
    damaged = _damaged(question.defender)
    return {
        "edition": question.edition,
        "waves": [_wave(wave) for wave in question.waves],
        "defender": _counts(question.defender),
        **({"defender_damaged": damaged} if damaged else {}),
        "options": dict(_options(question)),
    }


def _wave(wave: Wave) -> Read:
    told: Read = {"army": _counts(wave.army), "bombard": _counts(wave.bombard)}
    if damaged := _damaged(wave.army):
        told["damaged"] = damaged
    if wave.landing is not None:
        told["landing"] = wave.landing
    return told


def _counts(army: Army) -> dict[str, int | float]:
    return {str(group.unit): _number(group.count) for group in army.groups}


def _damaged(army: Army) -> dict[str, int | float]:
    return {str(group.unit): _number(hits) for group in army.groups if (hits := army.damage(group))}


def _number(count: Fraction) -> int | float:
    return int(count) if count.denominator == 1 else float(count)


def _options(question: Question) -> Iterator[tuple[str, object]]:
    for name, value in question:
        match value:
            case _ if name in {"waves", "defender"} or value in (None, (), NEVER) or value is False:
                continue
            case Wave():
                yield name, _wave(value)
            case _ if name == "withdrawal":
                yield from ((f"retreat_{term}", set_) for term, set_ in value if set_ is not None and set_ is not False)
            case _ if name.endswith("_casualties"):
                yield name, order_text(value)
            case _:
                yield {"must_take": "take_territory"}.get(name, name), value
