"""What a bot of any size needs: `python -m tests.bench.scale`, by hand; takes some minutes.

Replays the commands of `mix.toml` with the real bot against the Discord on loopback. Prints what a command costs, what
bots of three sizes need, where the next limits lie, and how long jobs wait for a worker.
"""

import asyncio
import datetime as dt
import os
import platform
import sqlite3
from pathlib import Path

from tests.bench.scale.model import Load, Needs, fewest_workers, limits, needs, simulate
from tests.bench.scale.replay import LONG_SECONDS, Measured, measure

LOADS = [Load(servers, commands=10, peak=3, events=8, messages=30) for servers in (1_000, 100_000, 1_000_000)]
LEAST_WORKERS = 2
MOST_SHOWN = 3
RUSHES = 1, 2, 4
"""How many times the peak is shown in the table of waits."""

MB, GB = 1e6, 1e9
COSTS = "share %", "interact.", "bot ms", "worker ms", "jobs", "stored B", "commits", "requests", "of 50/s", "sent KB"


def show_costs(measured: Measured) -> None:
    """Print the unit costs."""
    print(f"{'a command and its presses':<30}" + "".join(f"{head:>10}" for head in COSTS))
    every = sum(cost.commands for cost in measured.games.values())
    rows = {game: (100 * cost.commands / every, cost.a_command()) for game, cost in measured.games.items()}
    for name, (share, one) in {**rows, "all": (100.0, measured.units.command)}.items():
        figures = [share, one.interactions, 1e3 * one.bot_seconds, 1e3 * one.worker_seconds, one.jobs, one.stored]
        figures += [one.commits, one.requests, one.limited, one.sent / 1e3]
        print(f"{name:<30}" + "".join(f"{figure:>10,.{0 if figure >= 100 else 2}f}" for figure in figures))
    units = measured.units
    print(f"\na gateway event: {1e3 * units.event_seconds:.2f} ms, a message {1e3 * units.message_seconds:.2f} ms")
    print(f"a server: {1e3 * units.server_seconds:.2f} ms at the start, {units.server_bytes / 1e3:.0f} KB")
    print(f"memory: the bot {units.bot_bytes / MB:.0f} MB, a worker {units.worker_bytes / MB:.0f} MB")
    jobs = sorted(measured.jobs)
    parts = ", ".join(f"{part:.0%} within {1e3 * jobs[int(part * len(jobs))]:.0f}" for part in (0.5, 0.9, 0.95, 0.99))
    work = sum(one for one in jobs if one > LONG_SECONDS) / sum(jobs)
    print(f"jobs in ms: {parts}; those over {LONG_SECONDS} s are {work:.0%} of the work")


def show_needs(measured: Measured, bots: list[Needs]) -> None:
    """Print what each load needs, and where the next limits are."""
    rows = {
        "commands/s at peak": [f"{one.at_peak.commands:,.1f}" for one in bots],
        "interactions/s": [f"{one.at_peak.interactions:,.1f}" for one in bots],
        "other gateway events/s": [f"{one.events:,.0f}" for one in bots],
        "shards": [f"{one.shards}" for one in bots],
        "bot processes": [f"{one.processes}" for one in bots],
        "  event loop of each, busy": [f"{one.loop:.1%}" for one in bots],
        "  workers of each": [f"{one.workers}" for one in bots],
        "  memory of each": [f"{one.memory / GB:.1f} GB" for one in bots],
        "workers in a cluster": [f"{one.cluster_workers}" for one in bots],
        "cores that work": [f"{one.loop * one.processes + one.at_peak.worker_seconds:.1f}" for one in bots],
        "database": ["SQLite" if one.processes == 1 else "PostgreSQL" for one in bots],
        "  commits/s": [f"{one.at_peak.commits:,.1f}" for one in bots],
        "  size after 90 days": [f"{one.stored / GB:,.0f} GB" for one in bots],
        "sent to Discord": [f"{8 * one.at_peak.sent / MB:,.1f} Mbit/s" for one in bots],
        "  of its 50 requests/s": [f"{one.at_peak.limited:,.1f}" for one in bots],
        "start of all shards": [f"{one.start_seconds / 60:,.1f} min" for one in bots],
    }
    print(f"\n{'servers':<30}" + "".join(f"{load.servers:>14,}" for load in LOADS))
    for name, figures in rows.items():
        print(f"{name:<30}" + "".join(f"{figure:>14}" for figure in figures))
    print(f"\n{'limit':<50}{'servers':>14}")
    for name, servers in sorted(limits(measured.units, LOADS[0]).items(), key=lambda it: it[1]):
        print(f"{name:<50}{float(f'{servers:.2g}'):>14,.0f}")


def show_waits(measured: Measured, bots: list[Needs]) -> None:
    """Print how long jobs wait in the queue of one process of the largest bot, with its long jobs and without."""
    heads = "".join(f"{head:>10}" for head in ("jobs/s", "workers", "p50", "p95", "p99", "refused"))
    print(f"\n{'waiting for a worker, s':<38}{heads}")
    for name, long in (("long jobs in the cluster", False), ("all jobs here", True)):
        for rush in RUSHES:
            rate = rush * (bots[-1].at_peak.jobs / bots[-1].processes if long else bots[-1].jobs)
            for workers in range(1, MOST_SHOWN + 1):
                waits = simulate(rate, jobs_of(measured, long=long), workers)
                figures = "".join(f"{waits.at(part):>10.2f}" for part in (0.5, 0.95, 0.99))
                print(f"{f'{name}, peak x {rush}':<38}{rate:>10.1f}{workers:>10}{figures}{waits.refused:>10}")


def jobs_of(measured: Measured, *, long: bool) -> list[float]:
    """Return the seconds of the jobs, with long ones or without."""
    return [seconds for seconds in measured.jobs if long or seconds <= LONG_SECONDS]


def main() -> None:
    """Measure and print everything."""
    measured = asyncio.run(measure())
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    processor = next((line.partition(": ")[2] for line in info if "model name" in line), platform.machine())
    today = dt.datetime.now(dt.UTC).date()
    busy = f"{os.cpu_count()} cores, of which {os.getloadavg()[0]:.1f} were wanted"
    print(f"{today}, {processor}, {busy}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}\n")
    show_costs(measured)

    def workers_for(rate: float, long: bool) -> int:
        return fewest_workers(rate, jobs_of(measured, long=long), LEAST_WORKERS)

    bots = [needs(measured.units, load, workers_for) for load in LOADS]
    show_needs(measured, bots)
    show_waits(measured, bots)


if __name__ == "__main__":
    main()
