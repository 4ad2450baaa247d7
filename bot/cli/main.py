"""`fracas [COMMAND] …`: finds the command, and says in one sentence what keeps it from working.

A command is a module of this package with `main(argv) -> int`, and a line in `COMMANDS`. It is imported when it is
asked for, so that `fracas rules` loads no Discord.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bot.cli.errors import CommandError
from bot.config import SettingsError
from bot.store.errors import StoreError
from sim.core.game_rules import GameError

FAILED, MISUSED = 1, 2

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

_RUN = "run"

_FOR_OTHERS = frozenset({"replay-site", "rules", "warm"})
"""What these write is nobody's secret, and others may need it: a web server, the bot's user where root compiles."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, without one the bot, and return the exit status.

    0 after an orderly end, 1 with one sentence on stderr if it can't be done, 2 if it was called wrongly.
    """
    argv = sys.argv[1:] if argv is None else argv
    name, rest = (argv[0], argv[1:]) if argv and not argv[0].startswith("-") else (_RUN, argv)
    if name not in COMMANDS and name != _RUN:
        print(f"fracas: there is no command {name!r}; there are {', '.join(COMMANDS)}.", file=sys.stderr)
        return MISUSED
    command: Callable[[Sequence[str]], int] = import_module(f"bot.cli.{name.replace('-', '_')}").main
    before = os.umask(0o077)  # no other user may read what is made, from its first moment on
    if name in _FOR_OTHERS:
        os.umask(before)
    try:
        return command(rest)
    except (CommandError, SettingsError, StoreError, GameError) as error:
        print(f"fracas: {error}", file=sys.stderr)
        return FAILED
    finally:
        os.umask(before)
