"""`fracas [COMMAND] …`: finds the command, and says in one sentence what keeps it from working.

A command is a function `(argv) -> int` in a module of this package, and a line in `COMMANDS`. Its module is imported
when it is asked for, so that `fracas rules` loads no Discord.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bot.cli.options import COMMANDS, Command, CommandError
from bot.config import SettingsError
from bot.store.errors import StoreError
from sim.core.game_rules import GameError

FAILED, MISUSED = 1, 2

_RUN = Command("", "run:main")

_FOR_OTHERS = frozenset({"replay-site", "rules", "warm"})
"""What these write is nobody's secret, and others may need it: a web server, the bot's user where root compiles."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, without one the bot, and return the exit status.

    0 after an orderly end, 1 with one sentence on stderr if it can't be done, 2 if it was called wrongly.
    """
    argv = sys.argv[1:] if argv is None else argv
    name, rest = (argv[0], argv[1:]) if argv and not argv[0].startswith("-") else ("", argv)
    if name and name not in COMMANDS:
        print(f"fracas: there is no command {name!r}; there are {', '.join(COMMANDS)}.", file=sys.stderr)
        return MISUSED
    module, function = COMMANDS.get(name, _RUN).place.split(":")
    command: Callable[[Sequence[str]], int] = getattr(import_module(f"bot.cli.{module}"), function)
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


def rules(argv: Sequence[str]) -> int:
    """Run a command of the rules, as `python -m sim` has them; return its exit status."""
    return import_module("sim.__main__").main(argv, prog="fracas rules")  # type: ignore[no-any-return]
