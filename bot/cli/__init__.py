"""`fracas [COMMAND] …`: finds the command, and says in one sentence what keeps it from working.

A command is a function in a module of this package, and a line in `COMMANDS`. It is given its parser, and may return an
exit status. Its module is imported when it is asked for, so that `fracas rules` loads no Discord.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from typing_extensions import override

from bot.config import OperatorError, Server, database_place
from sim.core.game_rules import GameError

FAILED, MISUSED = 1, 2

COMMANDS = {
    "check": ("look whether everything is in place, and say what to do", ".check:main"),
    "sync": ("register the commands on Discord, everywhere or in one server", ".run:sync"),
    "backup": ("copy the database to a file, also while the bot runs", ".database:backup"),
    "restore": ("put a backup in the database's place", ".database:restore"),
    "move": ("copy the database from a file to PostgreSQL, or back, and compare", ".database:move_database"),
    "rules": ("the rules in this terminal, without Discord", ":rules"),
    "replay-site": ("build the site where you can watch a battle and check its dice", ".run:build_site"),
    "worker": ("work for the bots of a cluster, on a machine of its own", ".cluster:work"),
    "scheduler": ("hand the jobs of a cluster's bots to its workers", ".cluster:schedule"),
    "warm": ("compile the rules' kernels, so that the first start is quick", ".run:compile_kernels"),
}
"""What each command does, for help texts, and its function from here, as `.module:function`."""


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, which adds its arguments and calls `parse_args`; `typed`: what comes after its name."""

    typed: Sequence[str] = ()

    @override
    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read what was typed."""
        return super().parse_args(self.typed)


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add the option `--db`."""
    parser.add_argument(
        "--db",
        type=place,
        metavar="PLACE",
        help="the database, a file or postgresql://… (default: FRACAS_DB or fracas.db)",
    )


def place(text: str) -> Path | Server:
    """Read what names a database; argparse.ArgumentTypeError."""
    try:
        return database_place(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} must be {error}") from None


def expect_file(database: Path | Server, instead: str) -> Path:
    """Return the file of a database; OperatorError, with what to do `instead`, for one on a server."""
    if isinstance(database, Server):
        raise OperatorError(f"{database} is no file: {instead}.")
    return database


def stop_at_signals() -> asyncio.Event:
    """Return what SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


_FOR_OTHERS = frozenset({"replay-site", "rules", "warm"})
"""What these write is nobody's secret, and others may need it: a web server, the bot's user where root compiles."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, without one the bot, and return the exit status.

    0 after an orderly end, 1 with one sentence on stderr if it can't be done, 2 if it was called wrongly.
    """
    argv = sys.argv[1:] if argv is None else argv
    name, typed = (argv[0], argv[1:]) if argv and not argv[0].startswith("-") else ("", argv)
    if name and name not in COMMANDS:
        print(f"fracas: there is no command {name!r}; there are {', '.join(COMMANDS)}.", file=sys.stderr)
        return MISUSED
    says, function = COMMANDS[name] if name else ("", ".run:main")
    parser = CommandParser(prog=f"fracas {name}".strip(), description=f"{says[:1].upper()}{says[1:]}.")
    parser.typed = typed
    command: Callable[[CommandParser], int | None] = resolve_name(f"bot.cli{function}")
    before = os.umask(0o077)  # no other user may read what is made, from its first moment on
    if name in _FOR_OTHERS:
        os.umask(before)
    try:
        return command(parser) or 0
    except (OperatorError, GameError) as error:
        print(f"fracas: {error}", file=sys.stderr)
        return FAILED
    finally:
        os.umask(before)


def rules(parser: CommandParser) -> int:
    """Run a command of the rules, as `python -m sim` has them; return its exit status."""
    return import_module("sim.__main__").main(parser.typed, parser.prog)  # type: ignore[no-any-return]
