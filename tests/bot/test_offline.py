"""What only the offline table does: it reads lines, its clock shows today, and it goes on after a restart."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from discord import AppCommandOptionType as Kind
from discord.app_commands import Parameter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simcord import ChannelHandle, MemberActor

from bot.app import Fracas
from bot.games import Games
from bot.offline import make_world
from bot.offline.lines import Commands, Line, Value, understand
from bot.offline.site import PatientEnv, Site, set_clock
from sim.workers import InlineSimulator
from tests.bot.conftest import COMPILING, Table, answer, text_of
from tests.bot.store.databases import open_database
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
    status, *_ = await asked(site.port, "/api/state")
    await site.close()
    assert status == 503


BEFORE = Path(__file__).parent / "old_versions" / "offline.sql"
"""A database from before the table kept its ids; at the later one of its two tables Ben began #1."""

BEN = 1574183236072898581


@asynccontextmanager
async def table_of(file: Path, *players: str) -> AsyncIterator[tuple[ChannelHandle, dict[str, MemberActor]]]:
    """Set the table for players, and return its channel and them; a page isn't there."""
    games = Games.discover()
    db = await open_database(file, games.schemas)
    bot = Fracas(simulator=InlineSimulator(), db=db, games=games)
    env = PatientEnv(bot, settle_timeout=COMPILING)
    set_clock(env)
    channel, people = await make_world(bot, env, players)
    await env.start()
    try:
        await bot.tree.sync()
        yield channel, people
    finally:
        await env.shutdown()
        await db.close()


async def says(channel: ChannelHandle, who: MemberActor, command: str) -> str:
    """Type a command, and return what answers it."""
    return text_of(answer(await who.slash(channel, command)))


async def test_a_battle_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with table_of(tmp_path / "table.db", "Ann", "Ben", "Cleo") as (channel, people):
        before = {name: who.id for name, who in people.items()}
        assert "#1 Boss fight" in await says(channel, people["Ann"], "boss start")
    async with table_of(tmp_path / "table.db", "Dan", "ANN", "Cleo", "Ben") as (channel, people):
        now = {name.title(): who.id for name, who in people.items()}
        assert now.pop("Dan") not in before.values()
        assert now == before
        assert "#1 Boss fight" in await says(channel, people["Ben"], "battle list")
        assert "#2 Boss fight" in await says(channel, people["Ben"], "boss start")


async def test_the_latest_table_of_an_older_database_goes_on(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "table.db")) as conn:
        conn.executescript(BEFORE.read_text(encoding="utf-8"))
    async with table_of(tmp_path / "table.db", "Ann", "Ben", "Cleo") as (channel, people):
        ben = people["Ben"]
        assert ben.id == BEN
        assert "#1 Boss fight" in await says(channel, ben, "battle list")
        assert "1942" in await says(channel, ben, "aa edition")
        assert "#2 Boss fight" in await says(channel, ben, "boss start")
