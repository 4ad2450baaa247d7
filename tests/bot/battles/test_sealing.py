"""Battles whose dice a beacon has a part in: named, sealed, awaited, fought; and what goes wrong with each of these."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from simcord import ResponseMessage

from bot.battles.sealing import SealService
from bot.beacon import BeaconClient
from bot.store.battle import Battle
from sim.core.beacon import BEACONS
from sim.core.seal import LEAD_SECONDS, posted_ms
from tests.beacon import CHAIN, sign
from tests.bot.battles.fights import begin, end, expect_match, stored
from tests.bot.conftest import Table, expect_in, text_of


class Rounds:
    """The beacon's rounds, which come when a test lets them come."""

    def __init__(self) -> None:
        self.out = asyncio.Event()
        self.asked: list[int] = []

    async def signature(self, _client: object, number: int) -> str:
        """Return a round's signature once it is out."""
        self.asked.append(number)
        await self.out.wait()
        return sign(number)


@pytest.fixture
async def rounds(table: Table, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rounds]:
    """Let the table's new battles name rounds of the tests' beacon."""
    rounds = Rounds()
    monkeypatch.setitem(BEACONS, CHAIN.chain, CHAIN)
    monkeypatch.setattr(BeaconClient, "beacon", CHAIN)
    for kind, name, wait in (
        (BeaconClient, "signature", rounds.signature),
        (SealService, "_seal", SealService._seal),
        (SealService, "wait", SealService.wait),
    ):
        monkeypatch.setattr(kind, name, waiting(table, wait))
    table.bot.services[BeaconClient].chain = CHAIN.chain
    table.clock.now = table.env.now().timestamp()
    yield rounds
    await table.bot.services[SealService].close()


def waiting(table: Table, wait: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return what simcord doesn't wait for before it lets a test go on."""

    async def external(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # of any function
        return await table.env.external_wait(wait(*arguments, **named), reason="the beacon")

    return external


async def come(table: Table, rounds: Rounds) -> None:
    """Let the round come, and wait until its battles have their dice."""
    rounds.out.set()
    await asyncio.gather(*table.bot.services[SealService].tasks)
    await table.env.settle()


async def sealed(table: Table, rounds: Rounds) -> tuple[ResponseMessage, Battle]:
    """Open a battle, and let its round come."""
    panel = await begin(table)
    await come(table, rounds)
    return panel, await stored(table)


async def test_a_battle_with_everybody_in_names_its_round_and_is_fought_when_it_has_come(
    table: Table, rounds: Rounds
) -> None:
    panel = await begin(table)
    battle = await stored(table)
    assert battle.seal is not None
    assert battle.seal.due == posted_ms(panel.id) // 1000 + LEAD_SECONDS
    expect_in(text_of(panel), f"🎲 The dice come <t:{battle.seal.due}:R>.", f"-# Seal `{battle.seal.hash}`")
    assert battle.key is None
    await come(table, rounds)
    battle = await stored(table)
    assert battle.seal is not None
    assert battle.seal.signature == sign(battle.seal.round)
    await table.press(panel, "Fight round 1")
    assert (await stored(table)).steps == 1
    await expect_match(table)
    await end(table)
    await expect_match(table)
