"""A whole play of every game to read: `python -m tests.conformance.playthroughs` writes it anew.

What a change of the rules does to a play is seen in the difference.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.conformance.example import Example, Turn, example_of, play, registered


def file_of(system: str) -> Path:
    """Return where the playthrough of a system is kept."""
    return Path(__file__).with_name("stories") / f"{system}.txt"


def playthrough(system: str) -> str:
    """Return the play of a system's story."""
    return "\n".join(_lines(example_of(system))) + "\n"


def _lines(example: Example) -> Iterator[str]:
    system = example.system
    yield f"{system.name}, rules {system.rules}, seed {example.seed.decode()}"
    state = system.begin(example.story)
    for turn in play(example, example.story, example.seed, example.story_steps):
        yield ""
        yield f"{turn.number}. {example.summary(turn.state)}"
        yield f"   may: {_options(turn)}"
        yield f"   {turn.seat} does {json.dumps(_brief(system.actions.write(turn.action)), ensure_ascii=False)}"
        yield from (f"     {line}".rstrip() for line in system.lines(turn.step.events))
        state = turn.step.state
    outcome = system.outcome(state)
    yield ""
    yield f"End. {example.summary(state)}"
    yield "   " + ("it goes on" if outcome is None else f"{outcome.ending}; {outcome.winner or 'nobody'} wins")


def _options(turn: Turn) -> str:
    """Return the legal actions with the seats that may take them, those of the same seats together."""
    offers = {offer.name: ", ".join(offer.seats) for offer, _, _ in turn.options}
    groups = groupby(offers.items(), lambda item: item[1])
    return "; ".join(f"{seats}: {' '.join(name for name, _ in names)}" for seats, names in groups)


def _brief(value: object) -> object:
    """Return JSON data without what is empty or as it is anyway."""
    if isinstance(value, dict):
        return {key: _brief(part) for key, part in value.items() if part not in (None, False, 0, "", [], {})}
    return [_brief(part) for part in value] if isinstance(value, list) else value


if __name__ == "__main__":
    for name in registered():
        file_of(name).write_text(playthrough(name), encoding="utf-8")
