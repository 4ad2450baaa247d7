"""Battles whose dice a beacon has a part in: named, sealed, awaited, fought; and what goes wrong with each of these."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import discord
import pytest
from simcord import MemberActor

from bot.battles import BattleService, sealing
from bot.battles.presenter import DICE, Presenters
from bot.battles.sealing import SealService
from bot.beacon import BeaconClient
from bot.store.battles import BattleRepository
from sim.core.beacon import BEACONS
from sim.core.journal import Journal
from sim.core.seal import LEAD_SECONDS, made_at
from sim.jobs.luck import luck_lines
from tests.beacon import CHAIN, sign
from tests.bot.battles.fights import begin, end, expect_match, more, stored
from tests.bot.conftest import Table, answer, expect_in, text_of


class Rounds:
    """The beacon's rounds, which come when a test lets them come."""

    def __init__(self) -> None:
        self.out = asyncio.Event()
        self.asked: list[int] = []

    async def signature(self, _client: object, _beacon: object, number: int) -> str:
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
        (SealService, "_has_come", SealService._has_come),
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
    await asyncio.gather(*table.bot.services[SealService]._work.values())
    await table.env.settle()


async def test_a_battle_with_everybody_in_is_fought_when_its_round_has_come_and_told_by_its_check(
    table: Table, rounds: Rounds
) -> None:
    panel = await begin(table)
    battle = await stored(table)
    assert battle.seal is not None
    assert battle.seal.due == int(made_at(panel.id)) + LEAD_SECONDS
    expect_in(text_of(panel), f"🎲 The dice come <t:{battle.seal.due + 1}:R>.", f"-# Seal `{battle.seal.hash}`")
    assert battle.key is None
    await come(table, rounds)
    battle = await stored(table)
    assert battle.seal is not None
    assert battle.seal_id is not None
    assert battle.seal.signature == sign(battle.seal.round)
    assert battle.seal.hash in table.env.backend.get_message(table.channel.id, battle.seal_id).content
    link = f"https://discord.com/channels/{battle.guild_id}/{battle.channel_id}/{battle.seal_id}"
    expect_in(text_of(panel), f"[Sealed]({link}) before round {battle.seal.round}")
    await table.press(panel, "Next round")
    assert (await stored(table)).steps == 1
    await expect_match(table)
    await end(table)
    told = text_of(await table.run("battle verify", number=1))
    expect_in(told, "✅ Match", f"round {battle.seal.round} of {CHAIN.name}", "The signature belongs to that round.")
    expect_in(told, "The message was posted 3.0 s before the round was due.")
    dice = text_of(await more(table, panel, DICE.question))
    expect_in(dice, "Nobody can choose these dice, not even the host:", f"[the seal]({link})")
    assert len(dice.split("\n\n")[1].split()) <= 60
    battle = await stored(table)
    entries = await table.bot.services[BattleRepository].journal(battle.id)
    lucks = list(luck_lines(Journal(battle.head, entries, battle.revealed, battle.outcome)))
    assert [line.partition(":")[0] for line in lucks] == ["attacker", "defender"]


async def test_who_has_waited_for_too_long_presses_again(
    table: Table, rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "PATIENCE_SECONDS", 1)
    panel = await begin(table)
    pressed = await table.press(panel, "Next round")
    await table.env.advance_time(1)
    expect_in(text_of(pressed.followups[-1]), "#1 waits: ", "It hasn't come yet: please press again later.")
    await come(table, rounds)
    await table.press(panel, "Next round")
    assert (await stored(table)).steps == 1


async def test_who_opens_a_fight_to_be_in_it_at_once_need_not_press_again(table: Table, rounds: Rounds) -> None:
    page = answer(await table.ann.click(await table.run("help"), custom_id="h2:boss-fights"))
    opened = await table.ann.click(page, custom_id="h3:boss-fights")
    battle = await stored(table)
    assert battle.seal is not None
    expect_in(text_of(answer(opened)), "waiting for players", f"🎲 The dice come <t:{battle.seal.due + 1}:R>.")
    told = opened.followups[-1]
    expect_in(text_of(told), "🎲 Your press is taken <t:", f"round {rounds.asked[0]} of {CHAIN.name}")
    await come(table, rounds)
    assert (await stored(table)).steps == 1
    expect_in(text_of(answer(opened)), "round 1", "🙋 **ann** joins")
    assert any(sent.method == "DELETE" and sent.path.endswith(f"/{told.id}") for sent in table.env.http_requests)
    await expect_match(table)


async def test_who_waits_for_a_late_beacon_reads_that_a_referee_ended_the_battle(
    table: Table, rounds: Rounds, judge: MemberActor
) -> None:
    table.clock.now += 60
    panel = await begin(table)
    pressed = await table.press(panel, "Next round")
    expect_in(text_of(panel), f"{CHAIN.name} doesn't answer: the battle waits.")
    await end(table, by=judge)
    await asyncio.gather(*table.bot.services[SealService]._work.values())
    await table.env.settle()
    expect_in(text_of(pressed.followups[-1]), "#1 is over")
    await come(table, rounds)
    battle = await stored(table)
    assert (battle.is_open, battle.outcome, battle.key) == (False, None, None), "nothing follows the end"


@pytest.mark.usefixtures("rounds")
async def test_the_clock_names_the_round_where_nobody_has_pressed(table: Table) -> None:
    panel = await begin(table, attacker=None, defender=None)
    battle = await stored(table)
    (fight, *_) = (await table.bot.services[Presenters].position(battle)).legal_actions
    assert not await table.bot.services[BattleService].time_out(battle, None, fight.action)
    seal = (await stored(table)).seal
    assert seal is not None
    expect_in(text_of(panel), f"🎲 The dice come <t:{seal.due + 1}:R>.")


async def held_up(*_: object, **_named: object) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("why", ["late", "forbidden", "held up"])
async def test_a_seal_that_cannot_be_posted_is_told_and_the_battle_is_fought_but_not_rated(
    table: Table, rounds: Rounds, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """The round is due before the message could come, the bot may not post it, or Discord holds it up."""
    if why == "late":
        table.clock.now += LEAD_SECONDS
    elif why == "forbidden":
        table.env.inject_error("POST", f"/channels/{table.channel.id}/messages", status=403, code=50013)
    else:
        monkeypatch.setattr(discord.PartialMessageable, "send", held_up)
    panel = await begin(table)
    if why == "held up":
        await table.env.advance_time(LEAD_SECONDS)
    await come(table, rounds)
    battle = await stored(table)
    assert battle.key is not None
    assert battle.seal_id is None
    assert not battle.may_be_rated
    expect_in(text_of(panel), "🎲 Not sealed")


async def test_a_server_chooses_and_its_ladder_may_want_sealed_dice(
    table: Table, rounds: Rounds, judge: MemberActor
) -> None:
    assert "need both ends" in text_of(await table.run("battle settings", by=judge, beacon="off", quiet_to="8:00"))
    expect_in(text_of(await table.run("battle settings", by=judge, zone="Europe/Berlin")), "here are sealed")
    expect_in(text_of(await table.run("battle settings", by=judge, beacon="off")), "from the bot's secret seed alone")
    await table.run("ladder open", by=judge, sealed=True)
    panel = await begin(table)
    battle = await stored(table)
    assert (battle.chain, battle.rates_sealed, battle.may_be_rated, rounds.asked) == (None, True, False, [])
    expect_in(text_of(panel), "🎲 Dice without a public beacon", "Not rated: its dice aren't sealed")
