import re
import shlex
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR, INTERRUPTED, UNWRITTEN, main
from sim.jobs import games
from tests.sim.conftest import Terminal, printed
from tests.sim.test_typed_texts import repeated, rows


def test_json_is_the_report(terminal: Terminal) -> None:
    report = terminal.json("aa", "-a", "6 tanks", "-d", "10 inf", "--stop-after", "1", "--casualties", "score")
    assert report["ending"] == "the round limit was reached"
    assert report["defender_left"]["groups"] == [{"unit": "infantry", "count": "7", "lives": "0"}]


@pytest.mark.parametrize("row", rows("told"))
def test_what_a_command_tells(row: str, terminal: Terminal) -> None:
    command, told = row.split(" => ")
    assert told.replace("¶", "\n") in "".join(terminal(*shlex.split(command)))


STANDS_FOR = {
    "HERO": '{"kind": "hero", "element": "fire", "traits": ["V", "Assassin", "Elixir", "Epic", "Fair"]}',
    "BOSS": '{"hp": 5}',
    "G1": '"group1": [{"name": "Conan", "hp": 5}]',
    "G2": '"group2": [{"name": "Grendel", "hp": 5}]',
}


@pytest.mark.parametrize("row", rows("terminal"))
def test_wrong_input_is_a_sentence_with_status_2(
    row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    monkeypatch.chdir(tmp_path)
    command, message = row.split(" => ")
    arguments, _, content = repeated(command).partition(" < ")
    Path("FILE").write_text(re.sub(r"\b[A-Z]+[12]?\b", lambda found: STANDS_FOR.get(found[0], found[0]), content))
    told = terminal(*shlex.split(arguments), status=INPUT_ERROR)
    assert told.out == ""
    assert message.replace("¶", "\n") in told.err


def test_ctrl_c_is_no_traceback(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    def interrupt(_choice: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.axis_allies.console._ask_losses", interrupt)
    battle = ["aa", "-a", "3 inf, 3 tanks", "-d", "3 inf, 3 tanks", "-h", "manual"]
    assert terminal(*battle, status=INTERRUPTED) == ("", "")


LOADED = """
import sys
from sim.__main__ import main
try:
    main(sys.argv[1:])
finally:
    print()
    print(*sys.modules)
"""
GAMES = {f"sim.{game.name}" for game in games() if game.package is None}
HEAVY = {"numpy", "numba", "PIL", "pebble"}


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "own", "unneeded"),
    [
        (["--help"], None, {*HEAVY, "pydantic"}),
        (["aa", "-a", "6 tanks", "-d", "10 inf", "-r"], "sim.axis_allies", HEAVY),
        (["aa-read", "6 tanks vs 10 inf"], "sim.axis_allies", HEAVY),
        (["mfd-check", "--help"], "sim.marked_for_death", HEAVY),
        (["boss-exchange", "hero: V", "--boss", "Mossback"], "sim.boss_fight", HEAVY),
        (["duel", "--seed", "1"], "sim.duel", HEAVY),
        (["mka-battle", "5@3", "2@1"], "sim.mad_killer_agents", HEAVY),
    ],
)
def test_a_command_loads_its_own_game_and_nothing_heavy(
    arguments: list[str], own: str | None, unneeded: set[str]
) -> None:
    loaded = set(printed(LOADED, *arguments).splitlines()[-1].split())
    assert not loaded & unneeded
    of_games = {name for name in loaded for game in GAMES if name.startswith(f"{game}.")}
    others = {name for name in of_games if own is None or not name.startswith(f"{own}.")}
    assert not others


@pytest.mark.process
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    program = [sys.executable, "-m", "sim", "mka-map", "--size", "40x40", "--kind", "random"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()  # as `head` does when it has its lines
        assert run.stderr.read() == b""
        assert run.wait() == 0


def test_closed_streams_and_poor_encodings_are_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = TextIOWrapper(BytesIO(), "latin-1")
    for stdout in (None, poor):
        monkeypatch.setattr(sys, "stdin", None)
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["duel", "--seed", "1"]) == main(["aa-battle", "--seed", "1", "1 inf vs 1 inf"]) == 0
    assert "1 infantry at 1 \\u268" in poor.buffer.getvalue().decode("latin-1")


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["mka-battle", "5@3", "2@1"]) == UNWRITTEN
    assert capfd.readouterr().err == "The output can't be written: No space left on device.\n"
