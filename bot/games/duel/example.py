"""The example in `/help`: a duel of two barbarians, for everybody in the channel."""

from bot.client import Interaction
from bot.games.duel.start_battle import open_duel, seats_of, words_here
from bot.ui.interactions import caller_of, defer
from bot.ui.options import new_dice_seed
from sim.duel.requests import RivalsRequest


async def run_example(interaction: Interaction) -> None:
    """Roll two barbarians and open their duel."""
    words = await words_here(interaction)
    seats = seats_of(interaction.user.id, {}, "anyone", interaction.client.user)
    await defer(interaction, private=False)
    request = RivalsRequest(seed=new_dice_seed())
    first, second = await interaction.client.simulator.once(request, caller_of(interaction))
    await open_duel(interaction, ((first,), (second,)), words, "anyone", seats)
