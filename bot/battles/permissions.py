"""Who may do what in a battle, by the database and the member's permissions alone."""

from collections.abc import Sequence
from typing import Any

from bot.battles.presenter import AnyPresenter, DropIn, HasRematches, PlayedByBot, holder_text, mixin_of
from bot.client import Interaction
from bot.store.battles.battle import Battle
from bot.store.battles.transactions import SeatChange
from bot.ui.error_replies import MarkdownError
from sim.core.battle import ANYONE, JOIN, REFEREE, LegalAction, Seat
from sim.core.errors import RuleError
from sim.core.narration import seat_phrase

_ALREADY = "You are already in this battle."


def is_referee(interaction: Interaction, battle: Battle | None = None) -> bool:
    """Return whether the user may manage messages here, or was made the referee of this battle.

    In direct messages nobody may manage messages.
    """
    if battle is not None and interaction.user.id == battle.referee:
        return True
    return interaction.guild_id is not None and interaction.permissions.manage_messages


def seat_for(presenter: AnyPresenter, battle: Battle, legal: LegalAction[Any], interaction: Interaction) -> Seat:
    """Return the seat in which the user may take an action; RuleError if they may not."""
    user_id = interaction.user.id
    own = battle.seats_of(user_id)
    if found := next((seat for seat in legal.seats if seat in own), None):
        return found
    bots = {place.seat for place in battle.places if place.is_bot}
    bot_actions = mixin_of(presenter, PlayedByBot).bot_actions
    ours = own or user_id == battle.starter_id
    for seat in legal.seats:
        if seat == ANYONE:
            return seat
        if seat in bots and legal.name in bot_actions and ours:
            return seat
        if seat == REFEREE and is_referee(interaction, battle):
            return seat
    raise MarkdownError(_only_text(battle, legal))


def is_outside(battle: Battle, interaction: Interaction) -> bool:
    """Return whether the user is a referee who has no seat in a battle: only then nobody else has to agree."""
    return is_referee(interaction, battle) and not battle.seats_of(interaction.user.id)


def expect_outside(battle: Battle, interaction: Interaction) -> None:
    """Raise RuleError unless the user is a referee who has no seat in a battle."""
    if not is_outside(battle, interaction):
        raise RuleError(f"Only a referee who has no seat in #{battle.number} can do that alone.")


def seat_or_referee(battle: Battle, interaction: Interaction) -> Seat:
    """Return the user's seat, or the referee's; RuleError for anybody else."""
    own = battle.seats_of(interaction.user.id)
    if own:
        return own[0]
    if is_referee(interaction, battle):
        return REFEREE
    raise RuleError(f"Only those who fight in #{battle.number}, or somebody who may manage messages can do that.")


def other_participants(battle: Battle, user_id: int) -> set[int]:
    """Return the user ids of the other participants."""
    return {place.user_id for place in battle.places if place.user_id is not None} - {user_id}


def expect_ready(presenter: AnyPresenter, battle: Battle) -> None:
    """Raise RuleError if a seat is still free."""
    free = [place.seat for place in battle.places if place.is_open]
    if free and not isinstance(presenter, DropIn):
        raise RuleError(
            f"#{battle.number} is waiting for {' and '.join(map(seat_phrase, free))}: press Join to take the seat."
        )


def may_join(presenter: AnyPresenter, battle: Battle, state: object) -> bool:
    """Return whether anybody could join, if joining isn't closed."""
    if isinstance(presenter, DropIn):
        return battle.is_open and JOIN in presenter.system.legal(state)
    return any(place.is_open for place in battle.places)


def may_unseat(presenter: AnyPresenter, battle: Battle, state: object, seat: Seat) -> bool:
    """Return whether somebody can still be taken out of the battle: usually as long as nothing has happened."""
    return presenter.may_unseat(state, seat) if isinstance(presenter, DropIn) else battle.steps == 0


def may_swap(presenter: AnyPresenter, battle: Battle) -> bool:
    """Return whether a rematch with the sides swapped is another battle."""
    sides = mixin_of(presenter, HasRematches).sides
    places = [place for place in battle.places if place.seat in sides]
    holders = {(place.user_id, place.is_bot) for place in places}
    is_played = isinstance(presenter, PlayedByBot) or not any(place.is_bot for place in places)
    return len(holders) == len(sides) > 1 and is_played


def is_contest(presenter: AnyPresenter, battle: Battle, state: object) -> bool:
    """Return whether people fight against each other, and nobody else: only such battles can be rated."""
    if isinstance(presenter, DropIn):
        return presenter.is_contest(state)
    fighters = [place for place in battle.places if place.seat != REFEREE]
    people = [place.user_id for place in fighters if place.user_id is not None]
    return len(fighters) > 1 and len({*people}) == len(people) and not any(place.is_bot for place in fighters)


def expect_unseated(battle: Battle, user_id: int) -> None:
    """Raise RuleError if the user already has a part in a battle, so that no form asks in vain."""
    if set(battle.seats_of(user_id)) - {REFEREE}:
        raise RuleError(_ALREADY)


def expect_new(battle: Battle, user_id: int, seat_changes: Sequence[SeatChange]) -> None:
    """Raise RuleError if the user already holds a seat and would take another one."""
    own = set(battle.seats_of(user_id)) - {REFEREE, *(change.seat for change in seat_changes if not change.here)}
    if own and any(change.here and change.seat not in own for change in seat_changes):
        raise RuleError(_ALREADY)


def _only_text(battle: Battle, legal: LegalAction[Any]) -> str:
    places = {place.seat: place for place in battle.places}
    who = [f"{seat_phrase(seat)} ({holder_text(places[seat])})" for seat in legal.seats if seat in places]
    return f"Only {' or '.join(who) or 'a referee'} can do that."
