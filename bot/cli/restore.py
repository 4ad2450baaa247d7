"""`fracas restore FILE`: puts a backup in the place of the database."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bot.cli.options import add_database, expect_file, parser_of
from bot.config import load_settings
from bot.game import Games
from bot.store.migrate import bundled
from bot.store.restoring import restore


def main(argv: Sequence[str]) -> int:
    """Restore, and say what was done and what comes next."""
    parser = parser_of("restore")
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup; it stays as it is")
    add_database(parser)
    arguments = parser.parse_args(argv)
    settings = load_settings()
    database = expect_file(arguments.db or settings.db, "restore it with pg_restore")
    migrations = bundled()
    done = asyncio.run(restore(arguments.file, database, migrations, Games.discover().migrations))
    print(f"{database} is restored from {arguments.file} (schema {done.contents.version}).")
    if done.contents.version < len(migrations):
        print("The next start of the bot brings it up to date.")
    if done.kept is not None:
        print(f"The database from before is kept as {done.kept}; the bot deletes it after {settings.copy_days} days.")
    return 0
