"""The rules in a terminal: `python -m sim COMMAND …` prints what a player would read.

A command's game is imported once the command is called: the parser needs only the names, and the games give these.
"""

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from typing_extensions import override

from sim.core import RuleError, error_lines
from sim.core.game_rules import Command, GameError, GameRules
from sim.jobs import expect_one, games, load_callable
from sim.jobs.kernel_cache import use_kernel_cache_with_numba
from sim.jobs.release import VersionAction

INPUT_ERROR = 2
"""Exit status for input that can't be used, as argparse has it."""

UNWRITTEN = 1
"""Exit status where what was worked out can't be written, as to a full disk."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

_HELP = "show this help and exit"

_OWN = (
    Command("verify", "check a battle's journal: every row is done again", "sim.jobs.console:verify_battle"),
    Command("dice", "print the rolls of a battle's step, from its seed and its beacon", "sim.jobs.console:roll_dice"),
    Command("luck", "tell the luck of a battle's dice, from its journal", "sim.jobs.console:luck"),
    Command("coach", "split a battle's result into luck and decisions, from its journal", "sim.jobs.console:coach"),
)


def main(argv: Sequence[str] | None = None, prog: str = "python -m sim") -> int:
    """Run one command and return its exit status: 0, or 2 with a message on stderr for wrong input.

    `prog` is what the help calls the program. `verify` returns 1 for a journal that doesn't match.
    """
    use_kernel_cache_with_numba()
    _mend_streams()
    try:
        status: int = _parser(prog).parse_args(argv).command.run()
        sys.stdout.flush()
    except GameError as error:
        print(error, file=sys.stderr)
        return INPUT_ERROR
    except OSError as error:
        # What is flushed at the end must find somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # who reads, such as `head`, has seen enough
            return 0
        print(f"The output can't be written: {error.strerror}.", file=sys.stderr)
        return UNWRITTEN
    except KeyboardInterrupt:
        return INTERRUPTED
    except RuleError as error:
        print(*error_lines(error), sep="\n", file=sys.stderr)
        return INPUT_ERROR
    else:
        return status


def _mend_streams() -> None:
    """Have closed streams lead nowhere, and spell out what a stream's encoding doesn't have."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays open
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _CommandParser(argparse.ArgumentParser):
    """The parser of a command, which is loaded and adds its arguments when it is called; `above`: the program's."""

    above: argparse.ArgumentParser
    load: Callable[[], Callable[[argparse.ArgumentParser], int | None]]
    _typed: Sequence[str] = ()

    def run(self) -> int:
        """Run the command and return its exit status."""
        return self.load()(self) or 0

    @override
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Keep what was typed until the command has added its arguments."""
        self._typed = args
        return argparse.Namespace(command=self), []

    @override
    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read what was typed."""
        try:
            self.add_argument("-h", "--help", action="help", help=_HELP)
        except argparse.ArgumentError:  # -h is something else here
            self.add_argument("--help", action="help", help=_HELP)
        found, rest = super().parse_known_args(self._typed)
        if any(value in ([], "--") for value in vars(found).values()):  # what argparse reads in --option=--
            self.error("-- is no value")
        if rest:
            self.above.error(f"unrecognized arguments: {' '.join(rest)}")
        return found


def _parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser with every game's commands; GameError for two of the same name."""
    parser = argparse.ArgumentParser(prog=prog, description="Fracas's rules without Discord.")
    parser.add_argument("--version", action=VersionAction)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_CommandParser)
    owners: dict[str, object] = {}
    for owner, rules in (*((game, game.rules) for game in games()), ("fracas (built in)", GameRules(commands=_OWN))):
        for command in rules.commands:
            expect_one(owners.setdefault(command.name, owner), owner, f"a command {command.name} of the terminal")
            line = f"{rules.title}: {command.help}" if rules.title else command.help
            own_parser = commands.add_parser(command.name, help=line, add_help=False)
            own_parser.above, own_parser.load = parser, partial(load_callable, owner, command.run)
    return parser


if __name__ == "__main__":
    # A quick command is over before there is garbage worth looking for: this is a quarter of its time.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    sys.exit(main())
