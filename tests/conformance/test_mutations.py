"""1,500 changes of battles' files, of every game: each is found, or the file says what it said before."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from sim.__main__ import main
from sim.core.errors import RuleError
from sim.core.journal import Journal
from sim.core.journal_file import dump, load
from sim.core.session import Session
from tests.conformance.example import example_of, registered
from tests.conformance.mutations import CHANGES, mutate, reseal
from tests.conformance.plays import Play, plays

MUTATIONS = 1500


def closed(name: str, play: Play, *, undone: bool) -> Journal:
    """Return the journal of a battle to its end, or half of it with an undo."""
    session = Session(example_of(name).system, play.setup, play.seed)
    half = len(play.turns) // 2
    for turn in play.turns[: half if undone else None]:
        session.act(turn.action, turn.seat)
    if undone:
        session.undo(half // 2, "referee")
    session.end("nobody")
    return session.journal()


def journals() -> list[Journal]:
    return [
        closed(name, play, undone=undone) for name in registered() for play in plays(name) for undone in (False, True)
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
def test_what_is_not_changed_matches(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = closed(name, plays(name)[0], undone=True)
    path = tmp_path / "battle.jsonl"
    path.write_text(dump(journal), encoding="ascii")
    assert main(["verify", str(path)]) == 0
    for digits in (12, 64):
        assert main(["verify", "--hash", journal.entries[-1].hash[:digits], str(path)]) == 0
    assert capsys.readouterr().out.count("match\n") == 3
