"""Measures rules, cards, the store and the terminal: `python -m tests.bench [WORD ...] [--against TREE]`, by hand.

Prints the milliseconds of processor time of each row whose name has one of the words, the least and the median of many
repeats, beside what it may take, and how many times the least other programs took. With `--against`, the other
checkout's own `tests.bench` is asked in turns with this one, and the ratio of the least of each is printed.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from sim.jobs.warm_up import warm_up
from tests.bench.rows import Row

MODULES = ("axis_allies", "boss_fight", "cards", "duel", "mad_killer_agents", "marked_for_death", "store", "terminal")
ROUNDS = 3
HERE = Path(__file__).resolve().parents[2]


def rows(words: Sequence[str]) -> Iterator[Row]:
    """Yield the rows whose names have one of the words, all without a word."""
    for module in MODULES:
        for row in import_module(f"tests.bench.{module}").rows():
            if not words or any(word.casefold() in f"{module} {row.name}".casefold() for word in words):
                yield row


def show(words: Sequence[str]) -> None:
    """Print the table of this checkout."""
    print(f"{'milliseconds of processor time':<62}{'least':>10}{'median':>10}{'limit':>8}")
    for row in rows(words):
        least, middle = row.measure()
        limit = "" if row.limit is None else f"{row.limit:g}"
        told = ", ".join(filter(None, (row.note, *(f"{who} x{ms / least:,.1f}" for who, ms in row.peers.items()))))
        print(f"{row.name:<62}{least:>10.4g}{middle:>10.4g}{limit:>8}  {told}".rstrip(), flush=True)
    print(f"Most memory resident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB.")


def compare(words: Sequence[str], other: Path) -> None:
    """Print the least of each row in both checkouts, and their ratio."""
    runs: dict[Path, list[dict[str, float]]] = {HERE: [], other: []}
    for number in range(ROUNDS):
        for tree in (other, HERE) if number % 2 else (HERE, other):
            runs[tree].append(_measured(tree, words))
    print(f"{'least milliseconds of processor time':<62}{'there':>10}{'here':>10}{'ratio':>8}")
    for name in runs[HERE][0]:
        if name in runs[other][0]:
            there, here = (min(run[name] for run in runs[tree]) for tree in (other, HERE))
            print(f"{name:<62}{there:>10.4g}{here:>10.4g}{here / there:>8.2f}")


def _measured(tree: Path, words: Sequence[str]) -> dict[str, float]:
    own = tree / ".venv/bin/python"
    program = [str(own) if own.exists() else sys.executable, "-m", "tests.bench", "--json", *words]
    done = subprocess.run(program, cwd=tree, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def main() -> None:
    """Measure and print; all of it takes some minutes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--against", type=Path, metavar="TREE")
    parser.add_argument("--json", action="store_true", help="the least of each row, for a comparison")
    arguments = parser.parse_args()
    if arguments.against is not None:
        compare(arguments.words, arguments.against.resolve())
        return
    warm_up()
    if arguments.json:
        print(json.dumps({row.name: row.measure()[0] for row in rows(arguments.words)}))
    else:
        show(arguments.words)


if __name__ == "__main__":
    main()
