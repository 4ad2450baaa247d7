"""The rules in a terminal: `python -m sim SYSTEM …` prints what a player would read."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from sim import __version__
from sim.axis_allies import console as axis_allies
from sim.boss_fight import console as boss_fight
from sim.core.caret import point_at
from sim.core.errors import RuleError, TextError
from sim.duel import console as duel
from sim.jobs import console as verify
from sim.mad_killer_agents import console as mad_killer_agents
from sim.marked_for_death import console as marked_for_death

INPUT_ERROR = 2
"""Exit status for input that can't be used, as argparse has it."""

CONSOLES = (axis_allies, marked_for_death, boss_fight, duel, mad_killer_agents, verify)
"""The modules that add commands, in the order of the list."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 with a message on stderr for wrong input.

    `verify` returns 1 for a journal that doesn't match.
    """
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int | None] = arguments.command
    try:
        status = command(arguments) or 0
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads, such as `head`, has seen enough; what is flushed at the end must find somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except TextError as error:
        for problem in error.problems:
            print(*point_at(error.text, problem.span), problem.sentence(), sep="\n", file=sys.stderr)
        return INPUT_ERROR
    except RuleError as error:
        print(*error.sentences, sep="\n", file=sys.stderr)
        return INPUT_ERROR
    else:
        return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sim", description="Fracas's rules without Discord.")
    parser.add_argument("--version", action="version", version=f"Fracas {__version__}")
    systems = parser.add_subparsers(required=True, metavar="SYSTEM")
    for console in CONSOLES:
        console.add_commands(systems)
    return parser


if __name__ == "__main__":
    sys.exit(main())
