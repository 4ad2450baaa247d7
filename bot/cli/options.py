"""What several commands take."""

import argparse
from pathlib import Path

from bot.cli.main import COMMANDS


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return a parser for `fracas COMMAND`."""
    says = COMMANDS[command]
    return argparse.ArgumentParser(prog=f"fracas {command}", description=f"{says[0].upper()}{says[1:]}.")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add the option `--db`."""
    parser.add_argument("--db", type=Path, metavar="FILE", help="the database (default: FRACAS_DB or fracas.db)")
