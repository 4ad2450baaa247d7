"""Who may do what to a battle: decided by the database and the member's permissions, whatever a button says."""

from collections.abc import Sequence
from typing import Any

from bot.battles.presenter import BattlePresenter, Seating
from bot.battles.render import called, holder
from bot.client import Interaction
from bot.store.battles.battle import Battle
from sim.core.battle import ANYONE, REFEREE, LegalAction, Seat
from sim.core.errors import RuleError


def is_referee(interaction: Interaction) -> bool:
    """Tell whether the user may manage messages here; in direct messages nobody is a referee."""
    return interaction.guild_id is not None and interaction.permissions.manage_messages


def seat_for(presenter: BattlePresenter, battle: Battle, choice: LegalAction[Any], interaction: Interaction) -> Seat:
    """Return the seat in which the user makes a choice; RuleError when they may not."""
    user_id = interaction.user.id
    own = battle.seats_of(user_id)
    if found := next((seat for seat in choice.seats if seat in own), None):
        return found
    bots = {place.seat for place in battle.places if place.is_bot}
    ours = own or user_id == battle.starter_id
    for seat in choice.seats:
        if seat == ANYONE:
            return seat
        if seat in bots and choice.name in presenter.bot_plays and ours:
            return seat
        if seat == REFEREE and is_referee(interaction):
            return seat
    raise RuleError(_only(battle, choice))


def seat_or_referee(battle: Battle, interaction: Interaction) -> Seat:
    """Return the user's seat, or the referee's; RuleError for anybody else."""
    own = battle.seats_of(interaction.user.id)
    if own:
        return own[0]
    if is_referee(interaction):
        return REFEREE
    raise RuleError(f"Only those who fight in #{battle.number}, or somebody who may manage messages, can do that.")


def others(battle: Battle, user_id: int) -> set[int]:
    """Return the people who fight in the battle beside this one."""
    return {place.user_id for place in battle.places if place.user_id is not None} - {user_id}


def expect_ready(presenter: BattlePresenter, battle: Battle) -> None:
    """Raise RuleError when somebody is still missing."""
    free = [place.seat for place in battle.places if place.is_open]
    if free and not presenter.party:
        raise RuleError(f"#{battle.number} waits for {' and '.join(map(called, free))}: press Join to take part.")


async def expect_time(presenter: BattlePresenter, battle: Battle, choice: LegalAction[Any], now: float) -> None:
    """Raise RuleError for a choice whose time hasn't come; `now` in Unix seconds."""
    due = await presenter.opens_at(battle, choice)
    if now < due:
        raise RuleError(f"It is somebody else's turn. If nothing happens before, you may press this <t:{due}:R>.")


def expect_new(battle: Battle, user_id: int, seatings: Sequence[Seating]) -> None:
    """Raise RuleError when somebody who takes part already comes once more."""
    own = set(battle.seats_of(user_id)) - {REFEREE, *(seating.seat for seating in seatings if not seating.taken)}
    if own and any(seating.taken and seating.seat not in own for seating in seatings):
        raise RuleError("You take part already.")


def _only(battle: Battle, choice: LegalAction[Any]) -> str:
    places = {place.seat: place for place in battle.places}
    who = [f"{called(seat)} ({holder(places[seat])})" for seat in choice.seats if seat in places]
    return f"Only {' or '.join(who) or 'a referee'} can do that."
