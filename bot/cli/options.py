"""What several commands share: their names, their options, their error."""

import argparse
from pathlib import Path

from bot.config import Server, database_place

COMMANDS = {
    "check": "look whether everything is in place, and say what to do",
    "sync": "register the commands on Discord, everywhere or in one server",
    "backup": "copy the database to a file, also while the bot runs",
    "restore": "put a backup in the database's place",
    "move": "copy the database from a file to PostgreSQL, or back, and compare",
    "rules": "the rules in this terminal, without Discord",
    "replay-site": "build the site on which anybody can watch a battle and check its dice",
    "worker": "work for the bots of a cluster, on a machine of its own",
    "scheduler": "hand the jobs of a cluster's bots to its workers",
    "warm": "compile the rules' kernels, so that the first start is quick",
}
"""What each command does, for help texts."""


class CommandError(Exception):
    """A command can't be done; `str(error)` is one plain sentence for the operator."""


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return a parser for `fracas COMMAND`."""
    says = COMMANDS[command]
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
