"""Games that are installed: found in every process, and refused in one clear sentence when they can't be used."""

import json
import re
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from discord.ext import commands

from bot.app import Fracas, load
from bot.battles.presenter import BattlePresenter, game_titles
from bot.games import Games, LoadedGame
from sim.__main__ import main
from sim.core.game_rules import GameError
from sim.jobs import games, load_callable
from sim.workers import InlineSimulator
from tests.bot.store.databases import open_database
from tests.bot.test_process import finish, running
from tests.sample_games import install_sample, write_game
from tests.test_deploy import PATIENCE
from tests.test_deploy import run as run_program

SOURCES = {".py", ".sql", ".js", ".html", ".css", ".toml", ".json"}

ROOT = Path(__file__).resolve().parent.parent


def run(site: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python so that it sees what is installed there, and no setting of ours."""
    return run_program(sys.executable, *arguments, folder=ROOT, PYTHONPATH=str(site))


def test_every_built_in_game_has_both_halves() -> None:
    """A package of bot/games whose rules aren't found would never be loaded, and nobody would miss it."""
    packages = {path.parent.name for path in (ROOT / "bot" / "games").glob("*/__init__.py")}
    assert {loaded.found.name for loaded in Games.discover()} >= packages
    assert packages == {game.name for game in games() if game.package is None}


def names_of(game: LoadedGame) -> set[str]:
    """Return what a game is called: by its folders, systems and commands, and by the titles that players read."""
    cogs = [cog for cog in commands.Cog.__subclasses__() if game.owns(cog)]
    own_systems = [load_callable(game.found, place)().name for place in game.found.rules.systems]
    return {
        game.found.name,
        *own_systems,
        *(game_titles()[name] for name in own_systems),
        *(command.name for command in game.found.rules.commands),
        *(name for cog in cogs for name in (cog.__cog_name__, *(each.name for each in cog.__cog_app_commands__))),
    }


READ_BY_PLAYERS = {
    "bot/campaigns/cog.py": ["boss", "Axis & Allies", "Marked for Death", "boss", "boss"],
    "bot/help.py": ["aacalc"],
    "bot/rosters/cog.py": ["aa"],
    "bot/stats/profiles.py": ["puzzles", "puzzles"],
    "bot/store/personal_tables.py": ["puzzles"],
}
"""What commands that are no game's say of games by way of example; nothing is done by these names."""


def test_nothing_names_a_built_in_game_but_itself() -> None:
    """Whatever one of them has comes from its two folders, as an installed game's comes from its package."""
    built_in = [game for game in Games.discover() if game.found.package is None]
    names = sorted(set().union(*map(names_of, built_in)))
    named = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names))
    own = [ROOT / half / game.found.name for game in built_in for half in ("sim", "bot/games")]
    files = [path for half in ("sim", "bot") for path in (ROOT / half).rglob("*") if path.suffix in SOURCES]
    shared = [path for path in files if not any(path.is_relative_to(folder) for folder in own)]
    found = {path.relative_to(ROOT).as_posix(): named.findall(path.read_text(encoding="utf-8")) for path in shared}
    assert {path: there for path, there in found.items() if there} == READ_BY_PLAYERS


def test_a_presenter_has_at_most_10_methods_that_a_game_must_know() -> None:
    public = [name for name, what in vars(BattlePresenter).items() if callable(what) and not name.startswith("_")]
    assert len(public) <= 10


def test_the_modules_that_rules_name_are_there() -> None:
    for game in games():
        for module in (*game.rules.preload, *game.rules.warm_up):
            assert find_spec(module) is not None, f"{game}: {module}"
        for place in (*game.rules.systems, *(command.run for command in game.rules.commands)):
            assert callable(load_callable(game, place)), f"{game}: {place}"


@pytest.mark.process
def test_the_terminal_has_its_commands(site: Path) -> None:
    install_sample(site)
    listed = run(site, "-m", "sim", "--help")
    assert "pig-odds" in listed.stdout, listed.stderr
    assert run(site, "-m", "sim", "pig-odds", "--hold-at", "20").stdout == "62.5%\n"
    assert run(site, "-m", "sim", "pig", "--seed", "1").stdout.splitlines()[-1].startswith("the ")


WORKERS = """
import asyncio, json
from sim.jobs.battle import Advance, Begin
from sim.jobs.warm_up import preload, warm_up
from sim.workers.queue import PoolLimits
from sim.workers.pool import PoolSimulator
from tests.sim.workers.jobs import Inspect


async def main():
    simulator = PoolSimulator(PoolLimits(workers=1, wall_seconds=60, cost_seconds=60), warm_up, preload=preload())
    await simulator.start()
    try:
        begun = await simulator.run(Begin(system="pig", setup_json='{"goal": 10}'))
        step = await simulator.run(
            Advance(
                system="pig",
                state_json=begun.state_json,
                action_json='{"do": "roll"}',
                seat="first",
                key=bytes(32),
                step=1,
            )
        )
        print(json.dumps([step.events_json, sorted((await simulator.run(Inspect())).modules)]))
    finally:
        await simulator.close()


if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.process
def test_workers_play_it_and_load_no_discord(site: Path) -> None:
    install_sample(site)
    played = run(site, "-c", WORKERS)
    assert played.returncode == 0, played.stderr
    events, modules = json.loads(played.stdout)
    assert '"event":"rolled"' in events
    assert "fracas_pig" in modules
    assert not {"discord", "bot", "aiosqlite"} & set(modules)


@pytest.mark.process
def test_the_offline_table_offers_its_commands(site: Path, tmp_path: Path) -> None:
    install_sample(site)
    with running("--db", str(tmp_path / "table.db"), PYTHONPATH=str(site)) as (process, line):
        address, _, capability = line.partition("#")
        page = fetched(f"{address}api/pages", {"X-Simcord-Capability": capability}, b"{}")
        names = {"X-Simcord-Capability": capability, "X-Simcord-Context": page["context"]["id"]}
        assert "Play Pig, first to the goal" in json.dumps(fetched(f"{address}api/commands", names))
        process.terminate()
        status, _, err = finish(process)
    assert (status, "Traceback" in err) == (0, False)


def fetched(address: str, headers: dict[str, str], data: bytes | None = None) -> Any:  # noqa: ANN401 - any JSON
    """Ask the table's page, as the browser does."""
    request = urllib.request.Request(address, data, headers | {"Content-Type": "application/json"})  # noqa: S310  # our own page on loopback
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:  # noqa: S310  # likewise
        return json.load(response)


ODD = "odd (package fracas-odd 0.1)"
REPAIR = "repair it or uninstall it."


def unloaded(why: str) -> str:
    return f"The game {ODD} can't be loaded{why}"


BROKEN = unloaded(f" (ImportError: no such thing); {REPAIR}")


def both_have(what: str, one: str = "duel (built in)", other: str = ODD) -> str:
    return f"The games {one} and {other} both have {what}; uninstall one of them."


@pytest.mark.process
def test_a_broken_game_stops_the_start_and_is_named(site: Path, tmp_path: Path) -> None:
    write_game(site, "odd", 'raise ImportError("no such thing")')
    started = run(site, "-m", "bot", "--db", str(tmp_path / "table.db"))
    assert (started.returncode, started.stdout) == (1, "")
    assert f"fracas: {BROKEN}\n" in started.stderr
    assert "Traceback" not in started.stderr
    ran = run(site, "-m", "sim", "aa", "-a", "1 t", "-d", "1 i")
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{BROKEN}\n")


async def start() -> None:
    """Find the games and set them up, as a bot does that starts."""
    found = Games.discover()
    db = await open_database(":memory:", found.schemas)
    try:
        await load(Fracas(simulator=InlineSimulator(), db=db, games=found), found)
    finally:
        await db.close()


async def refused_by_the_bot() -> str:
    with pytest.raises(GameError) as caught:
        await start()
    return str(caught.value)


TAKEN = "from sim.duel import RULES as DUEL\nRULES = GameRules(commands=DUEL.commands)"


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("fracas_odd.nowhere:Odd", " (ModuleNotFoundError: "),
        ("fracas_odd:Odd", ": fracas_odd has no Callable called Odd."),
        ("", " (ValueError: "),
    ],
)
async def test_rules_that_are_not_there_stop_the_start_of_the_bot_and_no_other_command(
    place: str, why: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_game(site, "odd", f"RULES = GameRules(systems=({place!r},), commands=(Command('odd', 'help', {place!r}),))")
    assert (await refused_by_the_bot()).startswith(unloaded(why))
    assert main(["odd"]) == 2
    assert capsys.readouterr().err.startswith(unloaded(why))
    assert main(["aa", "-a", "1 t", "-d", "1 i"]) == 0


def test_two_games_with_one_command_of_the_terminal_are_refused(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_game(site, "odd", TAKEN)
    assert main(["aa", "-a", "1 t", "-d", "1 i"]) == 2
    assert capsys.readouterr().err == f"{both_have('a command duel of the terminal')}\n"


def does(what: str, imports: str = "", has: str = "") -> str:
    """Return the source of a half with Discord that does something when it is set up, and has more."""
    return f"{imports}\nasync def setup(bot):\n    {what}\nGAME = Game(setup=setup, {has})"


def adds_command(name: str) -> str:
    group = f"app_commands.Group(name={name!r}, description='-')"
    return does(f"bot.tree.add_command({group})", "from discord import app_commands")


def adds_again(service: str, name: str) -> str:
    """Return the source of a half that registers something of the duel a second time."""
    return does(f"bot.services[{service}][{name!r}] = bot.services[{service}][{name!r}]", IMPORTS[service])


IMPORTS = {
    "RosterLibrary": "from bot.rosters import RosterLibrary",
    "Presenters": "from bot.battles.presenter import Presenters",
    "Queries": "from bot.answers import Queries",
}
PAGE = does(
    "await bot.add_cog(Odd())", "from discord.ext import commands\nclass Odd(commands.Cog, name='B/X duels'): pass"
)
NO_TABLE = does(
    "pass",
    "from bot.store.personal_data import PersonalTable",
    "personal_data=[PersonalTable(table='odds', user_column='user_id')]",
)


def migrates(number: int, sql: str) -> str:
    migration = f"migrations=[Migration({number}, 'odds', {sql!r})]"
    return does("pass", "from bot.store.migrate import Migration", migration)


GAP = migrates(2, "SELECT 1;")
NO_NAME = "The game Big Game (package fracas-Big Game 0.1) needs another name"


@pytest.mark.parametrize(
    ("name", "halves", "sentence"),
    [
        ("Big Game", {}, f"{NO_NAME}: up to 40 of a-z, 0-9 and _, a letter first."),
        ("duel", {}, both_have("the name duel", other="duel (package fracas-duel 0.1)")),
        ("odd", {"rules": 'raise ImportError("no such thing")'}, BROKEN),
        ("odd", {"rules": ""}, unloaded(": fracas_odd has no GameRules called RULES.")),
        ("odd", {"rules": 'RULES = GameRules(systems=("sim.duel.battle.rules:Duel",))'}, both_have("a system 'duel'")),
        ("odd", {"bot": adds_command("duel")}, both_have("a command /duel")),
        ("odd", {"bot": adds_command("privacy")}, both_have("a command /privacy", ODD, "fracas (built in)")),
        ("odd", {"bot": adds_again("RosterLibrary", "duel")}, both_have("a kind of roster 'duel'")),
        ("odd", {"bot": adds_again("Presenters", "duel")}, both_have("a presenter of the system 'duel'")),
        ("odd", {"bot": adds_again("Queries", "duel-odds")}, both_have("a kind of query 'duel-odds'")),
        ("odd", {"bot": PAGE}, both_have("a page 'B/X duels' of /help")),
        ("odd", {"bot": does("raise OSError('no')")}, f"The game {ODD} can't be set up (OSError: no); {REPAIR}"),
        ("odd", {"bot": GAP}, unloaded(f" (ValueError: migrations are numbered from 1 without gaps); {REPAIR}")),
        ("odd", {"bot": NO_TABLE}, "The registry of personal data names what the database doesn't have: odds."),
    ],
)
async def test_a_game_that_is_none_or_has_what_others_have_or_fails_is_refused(
    site: Path, name: str, halves: dict[str, str], sentence: str
) -> None:
    write_game(site, name, **halves)
    assert await refused_by_the_bot() == sentence


async def test_a_column_that_a_game_left_out_is_told_of(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_game(site, "odd", bot=migrates(1, "CREATE TABLE odds (user_id INTEGER) STRICT;"))
    await start()
    (record,) = [record for record in caplog.records if "personal_data_undeclared" in str(vars(record))]
    assert "odds.user_id" in str(vars(record))


async def test_a_game_of_rules_alone_needs_no_half_with_discord(site: Path) -> None:
    write_game(site, "odd")
    assert [game.name for game in games()][-1] == "odd"
    assert "odd" not in [loaded.found.name for loaded in Games.discover()]
