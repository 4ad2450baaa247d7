"""The client as handlers know it: its services by type, the simulator, the clocks, the metrics."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.connection import ReconnectingBot
from bot.discord_internals import matches
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from sim.jobs.release import version
from sim.workers import Simulator

T = TypeVar("T")


class NameTakenError(Exception):
    """Two games want the same name; `name` says which, such as "a kind of roster 'aa'"."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there already is {name}")
        self.name = name


class Services:
    """A registry keyed by type: `services[BattleService]` is the bot's battle service.

    The composition root and the games add services; handlers look them up through the interaction's client. So no layer
    depends on the layers above it, and games can add their own repositories.
    """

    def __init__(self) -> None:
        self._by_type: dict[type[object], object] = {}

    def add(self, service: T, kind: type[object] | None = None) -> T:
        """Register a service under its type, or that of an ancestor; ValueError if there already is one."""
        kind = kind or type(service)
        if kind in self._by_type:
            raise ValueError(f"two services of the type {kind.__name__}")
        self._by_type[kind] = service
        return service

    def __getitem__(self, kind: type[T]) -> T:
        """Return the service of a type; KeyError if nobody registered one."""
        return cast("T", self._by_type[kind])


@dataclass(frozen=True)
class Policies:
    """The addresses of the operator's privacy policy and terms of use, and for how long backups are kept.

    None for what there isn't.
    """

    privacy: str | None = None
    terms: str | None = None
    backup_days: int | None = None

    def links(self) -> list[str]:
        """Return a link to each, in Markdown."""
        named = {"Privacy policy": self.privacy, "Terms of use": self.terms}
        return [f"[{name}]({address})" for name, address in named.items() if address]


AnyItem: TypeAlias = discord.ui.DynamicItem[Any]


class Client(ReconnectingBot):
    """The connection to Discord, and what handlers share.

    `clock` returns Unix seconds, `monotonic` seconds that never decrease. The simulator and the database outlive the
    client; their opener closes them. `shards`: how many connections share the servers; None for what Discord advises.
    `shard_ids`: which of them this process has; None for all. `identifying`: what one shard of all processes does at a
    time.
    """

    def __init__(
        self,
        *,
        simulator: Simulator,
        metrics: Metrics | None = None,
        shards: int | None = 1,
        shard_ids: Sequence[int] | None = None,
        identifying: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        tree_cls: type[app_commands.CommandTree[Any]] = app_commands.CommandTree,
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice here, nothing to warn of
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(
            shards=shards,
            shard_ids=shard_ids,
            identifying=identifying,
            metrics=metrics or Metrics(version()),
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            tree_cls=tree_cls,
            allowed_mentions=discord.AllowedMentions.none(),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            max_messages=None,
        )
        self.clock = clock
        self.monotonic = monotonic
        self.simulator = CachingSimulator(simulator, self.metrics)
        self.services = Services()
        self._items: list[type[AnyItem]] = []
        self.metrics.latency_from(lambda: self.latency)
        self.started_at = time.perf_counter()

    def add_items(self, *items: type[AnyItem]) -> None:
        """Register persistent buttons and selects."""
        self.add_dynamic_items(*items)
        self._items.extend(items)

    def has_item(self, press: discord.Interaction[Any]) -> bool:
        """Return whether a registered item matches the pressed one."""
        custom_id = str(dict(press.data or {}).get("custom_id", ""))
        return matches(self._items, custom_id)


Interaction: TypeAlias = discord.Interaction[Client]
