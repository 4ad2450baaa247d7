"""What several commands take."""

import argparse
from pathlib import Path

from bot.cli.errors import CommandError
from bot.cli.main import COMMANDS
from bot.config import Server, database_place


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
