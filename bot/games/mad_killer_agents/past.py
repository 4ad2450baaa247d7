"""How a war went: the card of its end, and its film."""

from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.games.mad_killer_agents.map_view import show_view
from bot.games.mad_killer_agents.render import MAX_FILM_BYTES, title
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.interactions import caller_of, defer
from bot.ui.layout import Picture, text_view
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.requests import FilmRequest, WarCardRequest
from sim.workers import Caller


async def war_card(bot: Client, battle: Battle, state: State, caller: Caller | None) -> Picture | None:
    """Return the card of a war that is over; None if the workers are too busy."""
    request = WarCardRequest(state=state, event_batches=await event_batches(bot, battle.id))
    try:
        card = await bot.simulator.once(request, caller)
    except RuleError:
        return None
    return Picture("war.png", card.data, card.alt)


async def show_film(interaction: Interaction, battle: Battle) -> None:
    """Answer a press with the film, for everybody in the channel to see; RuleError if it is too long for one."""
    bot = interaction.client
    state: State = await bot.services[Presenters].of(battle.system).read_state(battle)
    await defer(interaction, private=False)
    request = FilmRequest(event_batches=await event_batches(bot, battle.id), rounds=state.round)
    film = await bot.simulator.once(request, caller_of(interaction))
    if len(film.data) > MAX_FILM_BYTES:
        raise RuleError("This film is too large to show; /battle log has it as a file.")
    picture = Picture("war.gif", film.data, film.alt)
    await show_view(
        interaction, text_view([f"### #{battle.number} Mad Killer Agents: {title(state)}"], picture=picture), picture
    )


async def event_batches(bot: Client, battle_id: int) -> tuple[str, ...]:
    """Return the events of the steps that were not undone, as JSON lists."""
    return tuple(row.events_json for row in await bot.services[BattleRepository].latest_steps(battle_id))
