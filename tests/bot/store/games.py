"""Battles of the real games in the real store, without a bot: each step is one of the legal actions, by chance."""

from random import Random

from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.battles.transactions import Commit, OpeningHook
from sim.core.journal import Kind, seal_row
from sim.jobs.battle import Advance, Begin
from tests.bot.store.toy import ended, read
from tests.conformance.example import example_of, registered
from tests.conformance.plays import choice

GUILD = 100


async def opened(
    battles: BattleRepository,
    choose: Random,
    *,
    channel: int,
    interaction: int | None = None,
    hook: OpeningHook | None = None,
) -> Battle:
    """Open a battle of any game."""
    example = example_of(choose.choice(registered()))
    setup = choose.choice([*example.setups.values()])
    begun = Begin(system=example.system.name, setup_json=example.system.setups.write_json(setup)).run()
    return await battles.open(
        system=example.system.name,
        rules=example.system.rules,
        setup_json=begun.setup_json,
        state_json=begun.state_json,
        channel_id=channel,
        guild_id=GUILD,
        starter_id=1,
        seats={"first": 1, "second": 2},
        interaction_id=interaction,
        seed=choose.randbytes(32),
        hook=hook,
    )


async def advance(battles: BattleRepository, battle: Battle, choose: Random, interaction: int | None = None) -> Battle:
    """Commit a step of the battle as it was read; end it where no step is possible."""
    example = example_of(battle.system)
    chosen = choice(example, example.system.states.read(battle.state), choose)
    if chosen is None:
        return await ended(battles, battle, interaction)
    _, seat, action = chosen
    result = Advance(
        system=battle.system,
        state_json=battle.state_json,
        action_json=example.system.actions.write_json(action),
        seat=seat,
        seed=battle.seed,
        step=battle.next_step,
    ).run()
    row = seal_row(
        battle.previous_hash,
        battle.version + 1,
        seat=seat,
        state_hash=result.state_hash,
        action_json=result.action_json,
        events_json=result.events_json,
    )
    closing = None
    if result.outcome is not None:
        closing = seal_row(row.hash, row.n + 1, kind=Kind.END, seat=seat, state_hash=result.state_hash)
    rows = [row] if closing is None else [row, closing]
    commit = Commit(rows, result.state_json, result.outcome)
    await battles.commit(battle.id, battle.version, interaction, commit)
    return await read(battles, battle.id)
