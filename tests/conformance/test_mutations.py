"""1,500 changes of battles' files, of every game in both forms: each is found, or the file says what it said before.

The files are changed by somebody who knows their form, and who may even seal the rows again.
"""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sim.__main__ import main
from sim.core import RuleError
from sim.core.beacon import QUICKNET
from sim.core.journal import HEADS, ROWS, SEALING, Journal, Kind, dice_key, seed_hash
from sim.core.journal_file import dump, load
from sim.core.replay import Session
from sim.core.values import canonical
from tests.beacon import SIGNED
from tests.conformance.example import Play, example_of, plays, registered
from tests.conformance.example import play as turns_of

Lines = list[Any]
"""The lines as JSON: the head, the rows, the closing line."""


def mutate(text: str, choose: Random) -> tuple[str, str]:
    """Return the name of a change, and the file after it, which may still say the same."""
    name = choose.choice(tuple(CHANGES))
    lines: Lines = [json.loads(line) for line in text.splitlines()]
    CHANGES[name](lines, choose)
    return name, "".join(f"{canonical(line)}\n" for line in lines)


def reseal(text: str) -> str:
    """Chain and seal the rows of a file as they are now, up to one that can't be sealed."""
    lines: Lines = [json.loads(line) for line in text.splitlines()]
    with suppress(ValueError, KeyError, TypeError):
        previous = HEADS.validate_python(lines[0]["head"]).hash
        for line in lines[1:-1]:
            row = {**line["row"], "previous": previous}
            previous = ROWS.validate_python(row).seal()
            line["row"] = {**row, "hash": previous}
    return "".join(f"{canonical(line)}\n" for line in lines)


def _places(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401  # any JSON value
    """Return where the value's parts are, as container and key, at any depth."""
    if not isinstance(value, dict | list):
        return []
    keys = value if isinstance(value, dict) else range(len(value))
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def _other(value: Any, choose: Random) -> Any:  # noqa: ANN401
    """Return another JSON value, of the same kind where there is one."""
    match value:
        case bool():
            return not value
        case int():
            return value + choose.choice((-1, 1, 100))
        case float():
            return value + 0.5
        case str() if value:
            at = choose.randrange(len(value))
            return (
                value[:at] + choose.choice([sign for sign in "0123456789abcdef" if sign != value[at]]) + value[at + 1 :]
            )
        case list() | dict() if value:
            return type(value)()
        case _:
            return choose.choice((0, 1, "x"))


def _change_value(lines: Lines, choose: Random) -> None:
    container, key = choose.choice(_places(choose.choice(lines)))
    container[key] = _other(container[key], choose)


def _drop_field(lines: Lines, choose: Random) -> None:
    container, key = choose.choice(_places(choose.choice(lines)))
    del container[key]


def _drop_row(lines: Lines, choose: Random) -> None:
    del lines[_row(lines, choose)]
    _count(lines)


def _renumber(lines: Lines, choose: Random) -> None:
    """Drop a row and give those behind it the numbers that they would have without it."""
    _drop_row(lines, choose)
    for number, line in enumerate(lines[1:-1], start=1):
        line["row"] |= {"n": number, "version": number}


def _cut(lines: Lines, choose: Random) -> None:
    """Cut the file after any row, with or without the outcome."""
    del lines[_row(lines, choose) : -1]
    _count(lines)
    if choose.random() < 0.7:
        lines[-1]["closing"]["outcome"] = None


def _cut_and_close(lines: Lines, choose: Random) -> None:
    """Cut the file, and close it with the row that closed it."""
    end = lines[-2]
    _cut(lines, choose)
    number = len(lines) - 1
    state_hash = lines[-2]["row"]["state_hash"] if number > 1 else end["row"]["state_hash"]
    lines.insert(-1, {"row": {**end["row"], "n": number, "version": number, "state_hash": state_hash}})
    lines[-1]["closing"] |= {"outcome": None}
    _count(lines)


def _swap(lines: Lines, choose: Random) -> None:
    first, second = _row(lines, choose), _row(lines, choose)
    lines[first], lines[second] = lines[second], lines[first]


def _double(lines: Lines, choose: Random) -> None:
    at = _row(lines, choose)
    lines.insert(at, json.loads(json.dumps(lines[at])))
    _count(lines)


def _change_seed(lines: Lines, choose: Random) -> None:
    seed = choose.randbytes(32)
    lines[-1]["closing"]["seed"] = seed.hex()
    if choose.random() < 0.5:
        lines[0]["head"]["seed_hash"] = seed_hash(seed)


def _change_outcome(lines: Lines, choose: Random) -> None:
    outcome = lines[-1]["closing"]["outcome"]
    others = [None, {"ending": "a draw", "winner": None, "rounds": choose.randrange(9)}]
    if outcome is not None:
        others += [{**outcome, key: _other(outcome[key], choose)} for key in outcome]
    lines[-1]["closing"]["outcome"] = choose.choice([other for other in others if other != outcome])


def _change_beacon(lines: Lines, choose: Random) -> None:
    """Change the chain, the round or its signature; or say form 2 of form 1."""
    said = [place for line in lines[1:-1] if line["row"]["kind"] in SEALING for place in _places(line["row"]["action"])]
    container, key = choose.choice([(lines[0]["head"], "chain"), *said])
    container[key] = _other(container[key], choose) if key in container else QUICKNET.chain
    lines[0]["head"]["format"] = 2


def _row(lines: Lines, choose: Random) -> int:
    return choose.randrange(1, len(lines) - 1)


def _count(lines: Lines) -> None:
    lines[-1]["closing"]["rows"] = len(lines) - 2


CHANGES: dict[str, Callable[[Lines, Random], None]] = {
    "a value": _change_value,
    "a field": _drop_field,
    "a row": _drop_row,
    "a row, renumbered": _renumber,
    "a cut": _cut,
    "a cut, closed": _cut_and_close,
    "a swap": _swap,
    "a double": _double,
    "the seed": _change_seed,
    "the outcome": _change_outcome,
    "the beacon": _change_beacon,
}


MUTATIONS = 1500


def closed(name: str, play: Play, *, undone: bool, sealed: bool = False) -> Journal:
    """Return the journal of a battle to its end, or half of it with an undo; `sealed`: with other dice, of form 2."""
    example, turns = example_of(name), play.turns
    session = Session(example.system, play.setup, play.seed, QUICKNET.chain if sealed else None)
    if sealed:
        session.note(Kind.ROUND, {"round": 1000}, "house")
        session.note(Kind.BEACON, {"signature": SIGNED[1000]}, "house")
        turns = tuple(turns_of(example, play.setup, dice_key(session.head, session.entries, play.seed) or b""))
    half = len(turns) // 2
    for turn in turns[: half if undone else None]:
        session.act(turn.action, turn.seat)
    if undone:
        session.undo(half // 2, "referee")
    session.end("nobody")
    return session.journal()


def journals() -> list[Journal]:
    return [
        closed(name, play, undone=undone, sealed=sealed)
        for name in registered()
        for play in plays(name)
        for undone in (False, True)
        for sealed in (False, True)
    ]


def says_the_same(text: str, other: str) -> bool:
    """Return whether both files load as the same journal, such as `3` and `3.0` for a number of rounds."""
    try:
        return dump(load(text)) == dump(load(other))
    except RuleError:
        return False


@pytest.mark.torture
@pytest.mark.parametrize("sealed_again", [False, True])
def test_every_change_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], sealed_again: bool) -> None:
    """Rows sealed again may be as good as the true ones: then only the hash that the players saw tells them apart."""
    path, choose, originals = tmp_path / "battle.jsonl", Random(1500), journals()
    tried, accepted = Counter[str](), []
    for number in range(MUTATIONS):
        journal = originals[number % len(originals)]
        text = dump(journal)
        name, wrong = mutate(text, choose)
        if sealed_again:
            wrong = reseal(wrong)
        if says_the_same(wrong, text):
            continue
        tried[name] += 1
        path.write_text(wrong, encoding="ascii")
        seen = ["--hash", journal.entries[-1].hash[:12]] if sealed_again else []
        if main(["verify", *seen, str(path)]) == 0:
            accepted.append((name, journal.head.system, number))
        capsys.readouterr()
    assert accepted == []
    assert tried.total() > 0.9 * MUTATIONS
    assert tried.keys() == CHANGES.keys()


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("sealed", [False, True])
def test_what_is_not_changed_matches(
    name: str, sealed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = closed(name, plays(name)[0], undone=True, sealed=sealed)
    path = tmp_path / "battle.jsonl"
    path.write_text(dump(journal), encoding="ascii")
    assert main(["verify", str(path)]) == 0
    for digits in (12, 64):
        assert main(["verify", "--hash", journal.entries[-1].hash[:digits], str(path)]) == 0
    assert capsys.readouterr().out.count("match\n") == 3
