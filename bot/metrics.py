"""Counts and measures for Prometheus."""

import platform
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

JOB_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
ANSWER_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 15.0, 60.0)
"""Discord takes a first answer for 3 s."""

LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0)
MAX_NAMES = 100
OTHER = "other"

# A command with its groups, or a word of ours: no id begins with a letter.
_NAME = re.compile("[a-z][a-z0-9_-]{0,31}( [a-z][a-z0-9_-]{0,31}){0,2}")

HOUSE = "house"
"""The game of jobs that are of none."""

Asked = Literal["command", "click"]
"""What is answered: a command, or a click on a button, a select or a form."""

Result = Literal["ok", "refused", "failed"]
JobResult = Literal["ok", "refused", "failed", "cancelled"]


class _Names(dict[str, str]):
    """Lets through the first MAX_NAMES names that look like one; the rest become "other".

    Every label value costs memory for good, here and in whatever collects it.
    """

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, name) if len(self) < MAX_NAMES and _NAME.fullmatch(name) else OTHER


class Metrics:
    """The metrics of one bot, in a registry of their own; those that need no more are the library's own.

    Labels (commands, clicks, games, reasons) are words of the program, never ids or what players typed; what doesn't
    look like a word, and each name after the first 100 of its sort, counts as "other".
    """

    def __init__(self, version: str) -> None:
        self.registry = registry = CollectorRegistry()

        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        seconds = partial(Histogram, registry=registry)
        job_seconds, answer_seconds = partial(seconds, buckets=JOB_SECONDS), partial(seconds, buckets=ANSWER_SECONDS)

        commands = counter("fracas_commands", "Commands answered.", ["name", "result"])
        command_seconds = answer_seconds("fracas_command_seconds", "From a command to its answer.", ["name"])
        clicks = counter("fracas_clicks", "Component clicks answered.", ["kind", "result"])
        click_seconds = answer_seconds("fracas_click_seconds", "From a click to its answer.", ["kind"])
        self._answers: Mapping[Asked, tuple[Counter, Histogram, _Names]] = {
            "command": (commands, command_seconds, _Names()),
            "click": (clicks, click_seconds, _Names()),
        }
        self._jobs = job_seconds("fracas_job_seconds", "From asking the workers to their answer.", ["game", "result"])
        self._refused = counter("fracas_jobs_refused", "Jobs refused or stopped.", ["reason"])
        self.queue = gauge("fracas_queue_jobs", "Jobs that wait for a worker, and that have one.", ["state"])
        self.queue_seconds = job_seconds("fracas_queue_seconds", "How long jobs waited for a worker.")
        self.started = counter("fracas_jobs_started", "Jobs that got a worker, parts included.", ["place"])
        self.cluster = gauge("fracas_cluster_processes", "Processes of the cluster that work for this bot.")
        for place in ("local", "cluster"):
            self.started.labels(place)
        self.lag = seconds(
            "fracas_event_loop_lag_seconds", "How late the event loop woke a sleeper.", buckets=LAG_SECONDS
        )
        self.latency = gauge("fracas_latency_seconds", "The gateway's heartbeat latency, over all shards.")
        self._shard_latency = gauge("fracas_shard_latency_seconds", "A shard's heartbeat latency.", ["shard"])
        self._shard_connected = gauge("fracas_shard_connected", "Whether a shard has a session now.", ["shard"])
        self.reconnects = counter("fracas_shard_reconnects", "Sessions taken up again, or replaced.", ["shard", "how"])
        self.database = gauge("fracas_database_bytes", "The size of the database's files.", ["file"])
        self.unavailable = gauge("fracas_database_unavailable", "Whether the database can't be used now.", ["reason"])
        self.outbox = gauge("fracas_outbox_battles", "Battles with changes that no panel shows yet.")
        self.outbox_age = gauge("fracas_outbox_age_seconds", "For how long the oldest of them has waited.")
        self.backup = gauge("fracas_backup_timestamp_seconds", "When the last backup was made, in Unix seconds.")
        for unknown in (self.latency, self.backup):  # not measured is not 0
            unknown.set(float("nan"))
        self.beacon_waiting = gauge("fracas_beacon_rounds", "Rounds of the beacon that battles wait for.")
        self.beacon_away = gauge("fracas_beacon_away_seconds", "For how long no host of the beacon has answered.")
        build = gauge("fracas_build_info", "What is running; always 1.", ["version", "python"])
        build.labels(version, platform.python_version()).set(1)
        ProcessCollector(registry=registry)
        self._reasons, self._games = _Names(), _Names()

    def answered(self, what: Asked, name: str, result: Result, seconds: float) -> None:
        """Count a command by its full name, such as "battle verify", or a click by the kind of what was clicked."""
        answers, durations, names = self._answers[what]
        name = names[name]
        answers.labels(name, result).inc()
        durations.labels(name).observe(seconds)

    def job(self, game: str, result: JobResult, seconds: float) -> None:
        """Count a game's calculation that took `seconds`, waiting for a worker included."""
        self._jobs.labels(self._games[game], result).observe(seconds)

    def job_refused(self, reason: str) -> None:
        """Count a calculation that was refused or stopped, by a word such as "cost", "time" or "memory"."""
        self._refused.labels(self._reasons[reason]).inc()

    def shard_from(self, shard: int, latency: Callable[[], float], connected: Callable[[], bool]) -> None:
        """Ask for the state of a shard, by its number, whenever the metrics are read."""
        self._shard_latency.labels(str(shard)).set_function(latency)
        self._shard_connected.labels(str(shard)).set_function(connected)
        for how in ("resumed", "identified"):  # a series that begins with its first event hides it from rate()
            self.reconnects.labels(str(shard), how)

    def render(self) -> bytes:
        """Return everything counted, in the Prometheus text format (`CONTENT_TYPE_LATEST`)."""
        return generate_latest(self.registry)
