"""What only the offline table does: it reads lines, its clock shows today, and it goes on after a restart."""

import contextlib
import signal
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from discord import AppCommandOptionType as Kind
from discord.app_commands import Parameter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.offline.lines import Commands, Line, Value, understand
from bot.offline.site import Site, set_clock
from tests.bot.conftest import Table
from tests.bot.offline_page import OfflinePage
from tests.bot.test_process import PATIENCE, running
from tests.live.process import read as asked
from tests.tables import kept_table

PEOPLE = {"Ann": 11, "Ben": 12, "Player 4": 14, "Zoë": 15}


@pytest.fixture
def commands(table: Table) -> Commands:
    return Commands.of(table.bot, PEOPLE)


RUN: list[tuple[str, str, dict[str, Value]]] = kept_table(__file__, "run")

MISSING: list[tuple[str, str, str, str]] = [
    *kept_table(__file__, "missing"),
    (f"/battle show {'9' * 5000}", "battle show", "number", f"not “{'9' * 40}…”"),
]
"""Of each line the command, the option that it lacks, if any, and what is said."""


def test_a_whole_line_runs(commands: Commands) -> None:
    for line, name, options in RUN:
        assert understand(line, commands) == Line(name, options), line


def test_what_cant_run_says_which_field_to_fill(commands: Commands) -> None:
    for line, command, option, sentence in MISSING:
        found = understand(line, commands)
        assert found is not None, line
        assert (found.command, found.option, found.is_file) == (command, option or None, False), line
        assert sentence in found.sentence


def test_what_could_be_read_is_kept_for_the_form_and_a_file_is_to_be_chosen(commands: Commands) -> None:
    found = understand("/aa need 6 tanks vs 10 inf chance:lots side:attacker", commands)
    assert found is not None
    assert found.options == {"attacker": "6 tanks", "defender": "10 inf", "side": "attacker"}
    for heroes in ("heroes:Heroes.csv", "Heroes.csv", "heroes:"):
        found = understand(f"/mfd run {heroes} max_rounds:5", commands)
        assert found is not None, heroes
        assert (found.option, found.is_file, found.options) == ("heroes", True, {"max_rounds": "5"}), heroes


def test_other_text_is_chat(commands: Commands) -> None:
    for line in ("Shall we fight? 1/2", "", "We were 3 people vs 5 people", "tanks vs ships: dull", "vs"):
        assert understand(line, commands) is None, line


def test_any_text_is_one_of_the_three(commands: Commands) -> None:
    names = st.sampled_from([*commands.by_name, "aa", "nothing"])
    options = st.sampled_from(
        sorted({each.display_name for one in commands.by_name.values() for each in one.parameters})
    )
    word = st.one_of(
        options.map("{}:".format), st.sampled_from(["vs", '"', "@Ann", "-1", "1e999", "٣", "\0"]), st.text()
    )
    lines = st.builds(lambda name, words: f"/{name} {' '.join(words)}", names, st.lists(word, max_size=6))

    @given(st.one_of(lines, st.text(), st.text().map("/{}".format)))
    @settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def check(line: str) -> None:
        found = understand(line, commands)
        if found is None:
            assert not line.strip().startswith("/")
        elif not found.sentence:
            parameters = {each.display_name: each for each in commands.by_name[found.command].parameters}
            assert {name for name, each in parameters.items() if each.required} <= found.options.keys()
            assert found.options.keys() <= parameters.keys()

    check()


def test_every_command_reads_back_what_is_named(commands: Commands) -> None:
    for name, command in commands.by_name.items():
        given_values = {each.display_name: pair for each in command.parameters if (pair := sample(each)) is not None}
        line = " ".join([f"/{name}", *(f"{option}:{typed}" for option, (typed, _) in given_values.items())])
        assert understand(line, commands) == Line(name, {option: value for option, (_, value) in given_values.items()})


def sample(parameter: Parameter) -> tuple[str, Value] | None:
    """Return a value as typed and as understood; None for a file, which can't be typed."""
    if parameter.choices:
        last = parameter.choices[-1]
        return last.name, str(last.value)
    by_kind: dict[Kind, tuple[str, Value]] = {
        Kind.boolean: ("True", True),
        Kind.user: ("@Player 4", "14"),
        Kind.integer: (str(parameter.min_value or 0), str(parameter.min_value or 0)),
        Kind.number: (str(parameter.max_value), str(parameter.max_value)),
        Kind.string: ("a, 1: b", "a, 1: b"),
    }
    return by_kind.get(parameter.type)


def test_every_required_option_can_be_missing(commands: Commands) -> None:
    found = {name: understand(f"/{name}", commands) for name in commands.by_name}
    asked = {(name, line.option) for name, line in found.items() if line is not None and line.sentence}
    assert asked == {
        (name, required[0])
        for name, command in commands.by_name.items()
        if (required := [each.display_name for each in command.parameters if each.required])
    }


def test_the_clock_of_the_table_shows_today(table: Table) -> None:
    set_clock(table.env)
    assert abs(table.env.now() - datetime.now(UTC)) < timedelta(minutes=5)


async def test_a_table_that_closes_calls_no_page_unknown() -> None:
    """A page that is unknown loads itself anew, and would do so from a table that ends."""
    site = Site(Mock(_active=False), 0)
    await site.start()
    assert site.port is not None
    status, _ = await asked(site.port, "/api/state")
    await site.close()
    assert status == 503


BEFORE = Path(__file__).parent / "old_versions" / "offline.sql"
"""A database from before the table kept its ids; at the later one of its two tables Ben began #1."""

BEN = "1574183236072898581"


@contextlib.contextmanager
def table_at(db: Path, *arguments: str, end: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """Start the table as a process, give its address, and end it with a signal."""
    with running("--db", str(db), *arguments) as (process, address):
        yield address
        process.send_signal(end)
        process.wait(PATIENCE)


@pytest.mark.process
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_battle_goes_on_after_a_restart(tmp_path: Path, end: signal.Signals) -> None:
    db = tmp_path / "table.db"
    with table_at(db, end=end) as address:
        page = OfflinePage(address)
        people = page.people
        assert "#1 Boss fight" in page.run("boss start")
    with table_at(db, "--players", "Dan,ANN,Cleo,Ben") as address:
        page = OfflinePage(address, "Ben")
        assert page.people == {name.replace("Ann", "ANN"): number for name, number in people.items()} | {
            "Dan": page.people["Dan"]
        }
        assert page.people["Dan"] not in people.values()
        page.wait_for("### #1 Boss fight")
        assert "#1 Boss fight" in page.run("battle list")
        assert "#2 Boss fight" in page.run("boss start")


@pytest.mark.process
def test_the_latest_table_of_an_older_database_goes_on(tmp_path: Path) -> None:
    db = tmp_path / "table.db"
    with contextlib.closing(sqlite3.connect(db)) as conn:
        conn.executescript(BEFORE.read_text(encoding="utf-8"))
    with table_at(db) as address:
        page = OfflinePage(address, "Ben")
        assert page.people["Ben"] == BEN
        page.wait_for("### #1 Boss fight")
        assert "#1 Boss fight" in page.run("battle list")
        assert "1942" in page.run("aa edition")
        assert "#2 Boss fight" in page.run("boss start")
