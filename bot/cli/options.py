"""What several commands share: their names, their options, their error."""

import argparse
from pathlib import Path
from typing import NamedTuple

from bot.config import Server, database_place


class Command(NamedTuple):
    """What a command does, for help texts, and its function here, as `module:function`: `(argv) -> int`."""

    says: str
    place: str


COMMANDS = {
    "check": Command("look whether everything is in place, and say what to do", "check:main"),
    "sync": Command("register the commands on Discord, everywhere or in one server", "sync:main"),
    "backup": Command("copy the database to a file, also while the bot runs", "database:backup"),
    "restore": Command("put a backup in the database's place", "database:restore"),
    "move": Command("copy the database from a file to PostgreSQL, or back, and compare", "database:move"),
    "rules": Command("the rules in this terminal, without Discord", "main:rules"),
    "replay-site": Command("build the site on which anybody can watch a battle and check its dice", "build:build_site"),
    "worker": Command("work for the bots of a cluster, on a machine of its own", "cluster:work"),
    "scheduler": Command("hand the jobs of a cluster's bots to its workers", "cluster:schedule"),
    "warm": Command("compile the rules' kernels, so that the first start is quick", "build:compile_kernels"),
}


class CommandError(Exception):
    """A command can't be done; `str(error)` is one plain sentence for the operator."""


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return a parser for `fracas COMMAND`."""
    says = COMMANDS[command].says
    return argparse.ArgumentParser(prog=f"fracas {command}", description=f"{says[0].upper()}{says[1:]}.")


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
    """Return the file of a database; CommandError, with what to do `instead`, for one on a server."""
    if isinstance(database, Server):
        raise CommandError(f"{database} is no file: {instead}.")
    return database
