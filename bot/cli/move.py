"""`fracas move FROM TO`: copies a whole database into an empty one, of either engine, and compares them."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from bot.cli.options import CommandError, parser_of, place
from bot.config import Server
from bot.game import Games
from bot.store.moving import move
from bot.store.opening import open_database
from sim.core.numbers import quantity


def main(argv: Sequence[str]) -> int:
    """Copy, and say what was copied and what comes next."""
    parser = parser_of("move")
    parser.add_argument("source", type=place, metavar="FROM", help="the database, a file or postgresql://…; it stays")
    parser.add_argument("target", type=place, metavar="TO", help="an empty database, or a file that isn't there yet")
    arguments = parser.parse_args(argv)
    if isinstance(arguments.source, Path) and not arguments.source.is_file():
        raise CommandError(f"There is no database {arguments.source}.")
    rows = asyncio.run(_move(arguments.source, arguments.target))
    for table, number in sorted(rows.items()):
        print(f"{table:<24} {quantity(number, 'row')}")
    print(f"Copied, read again and compared: {arguments.target} holds what {arguments.source} holds.")
    print("Let FRACAS_DB name it before the next start.")
    return 0


async def _move(source: Path | Server, target: Path | Server) -> Mapping[str, int]:
    migrations = Games.discover().migrations
    async with AsyncExitStack() as stack:
        old = await open_database(source, games=migrations)
        stack.push_async_callback(old.close)
        new = await open_database(target, games=migrations)
        stack.push_async_callback(new.close)
        return await move(old, new)
