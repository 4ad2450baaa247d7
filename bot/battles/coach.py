"""The coach of battles that are over: `/battle coach` and the button behind "More"."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from discord import app_commands

from bot.battles.endings import Ending
from bot.battles.presenter import Position, Presenters
from bot.client import Interaction
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui.interactions import caller_of, defer, reply, show_view
from bot.ui.options import choices_with
from bot.ui.text import Picture, text_view
from sim.core.cards.coach import CoachCardRequest
from sim.core.coach import HasCoach
from sim.core.journal import active_steps
from sim.jobs.coach import CoachBattle, coach_of

MAX_AIM = 20


async def aim_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer what a coach of any game may count."""
    systems = [each.system for each in interaction.client.services[Presenters].values()]
    aims = {aim: what for system in systems if isinstance(system, HasCoach) for aim, what in system.coach.aims.items()}
    return choices_with(aims, typed)


async def show_coach(interaction: Interaction, battle: Battle, aim: str | None = None, *, private: bool = True) -> None:
    """Show what luck and decisions have done in a battle that is over; RuleError if its game has no coach."""
    if battle.is_open:
        await reply(interaction, text_view([f"#{battle.number} isn't over yet: ask the coach at the end."]))
        return
    coach = coach_of(battle.system)
    job = CoachBattle(battle.system, battle.head_row.setup_json, (), aim, branch_json=battle.branch)
    job.cost()  # a refusal is private
    await defer(interaction, private=private)
    bot, caller = interaction.client, caller_of(interaction)
    rows = active_steps(await bot.services[BattleRepository].journal_rows(battle.id))
    steps = tuple((row.n, row.action_json, row.events_json) for row in rows)
    job = replace(job, steps=steps)
    report = await bot.simulator.through(job, lambda: bot.simulator.in_parts(job, caller))
    own = [side for side in coach.sides if side in battle.seats_of(interaction.user.id)]
    card = CoachCardRequest(
        title="The coach",
        aside=f"#{battle.number}, {coach.aims[report.aim]}",
        report=report.seen_by(own[0] if own else coach.sides[0]),
        you=len(own) == 1,
    )
    picture = Picture.of("coach.png", await bot.simulator.run(card, caller))
    told = f"### 🎓 The coach on #{battle.number}"
    note = "-# Luck and decisions add up to the result minus the start: `/help command:battle coach`"
    await show_view(interaction, text_view([told, note], picture=picture), picture)


def _has_coach(at: Position[Any]) -> bool:
    return isinstance(system := at.presenter.system, HasCoach) and system.coach.knows(at.state)


COACH = Ending("The coach", "🎓", show_coach, _has_coach)
