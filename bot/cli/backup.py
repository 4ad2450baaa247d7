"""`fracas backup FILE`: a checked copy of the database, by the bot if it runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bot.cli.options import add_database, expect_file, parser_of
from bot.config import load_settings
from bot.control import ask
from bot.store.copying import copy_unused

COMMAND = "backup"


def main(argv: Sequence[str]) -> int:
    """Make the copy and say how large it is."""
    parser = parser_of("backup")
    parser.add_argument("file", type=Path, metavar="FILE", help="the copy; there must be no such file yet")
    add_database(parser)
    arguments = parser.parse_args(argv)
    database = expect_file(arguments.db or load_settings().db, "back it up with pg_dump")
    file = arguments.file.absolute()
    asyncio.run(_back_up(database, file))
    print(f"{database} is backed up to {file} ({file.stat().st_size / 1e6:.1f} MB), and the copy is whole.")
    return 0


async def _back_up(database: Path, file: Path) -> None:
    if await ask(database, COMMAND, str(file)) is None:
        await copy_unused(database, file)
