"""Prints the CPU seconds of commands in a terminal, the start of Python included: `python -m tests.bench.terminal`.

Each runs five times, after one run that compiles what isn't yet; the least counts.
"""

import os
import subprocess
import sys

_TIMES = 5

COMMANDS = {
    "--help": 0.2,
    "aa -a 6_tanks -d 10_inf": 0.35,
    "aa-read 6_tanks_vs_10_inf": 0.35,
    "aa-odds -a 6_tanks -d 10_inf": 0.8,
    "mka-battle 5@3 2@1": None,
    "duel --seed 1 --no-pause": None,
    "duel-odds 8_hp 6_hp": None,
    "boss-exchange hero:_V --boss Mossback": None,
}
"""The commands, blanks within an argument as `_`, and what each may take at most, None for nothing in particular."""


def main() -> None:
    """Print a line for each command."""
    print(f"{'seconds':>8} {'at most':>8}  python -m sim")
    for command, limit in COMMANDS.items():
        arguments = [argument.replace("_", " ") for argument in command.split()]
        _seconds(arguments)
        least = min(_seconds(arguments) for _ in range(_TIMES))
        print(f"{least:>8.2f} {'' if limit is None else f'{limit:.2f}':>8}  {' '.join(arguments)}")


def _seconds(arguments: list[str]) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-m", "sim", *arguments], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
