"""The rows of the terminal: commands of `python -m sim`, the start of Python included."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from tests.bench.rows import Row

COMMANDS = {
    "--help": 200,
    "aa -a 6_tanks -d 10_inf": 350,
    "aa-read 6_tanks_vs_10_inf": 350,
    "aa-odds -a 6_tanks -d 10_inf": 800,
    "mka-battle 5@3 2@1": None,
    "duel --seed 1 --no-pause": None,
    "duel-odds 8_hp 6_hp": None,
    "boss-exchange hero:_V --boss Mossback": None,
}
"""The commands, blanks within an argument as `_`, and what each may take at most, None for nothing in particular."""


def rows() -> Iterator[Row]:
    """Yield a row for each command."""
    for command, limit in COMMANDS.items():
        arguments = [argument.replace("_", " ") for argument in command.split()]
        program = [sys.executable, "-m", "sim", *arguments]
        run = partial(subprocess.run, program, capture_output=True, check=True)
        yield Row(f"sim {' '.join(arguments)}", run, limit, clock=of_children)


def of_children() -> float:
    """Return the seconds of processor time of all processes that this one started and that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system
