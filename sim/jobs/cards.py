"""The card of any game's battle: the one that its panel shows."""

from collections.abc import Callable, Sequence
from typing import Any

from sim.core.cards.requests import CardRequest
from sim.jobs.discovery import games, load_callable, load_module, system

PanelCard = Callable[[Any, str, Sequence[str]], CardRequest | None]
"""A game's `panel_card`: from a state, the same as JSON, and the events of all steps so far (each as a JSON list)
to the request of the card; None where there is nothing to draw. Nothing of them may be hidden.
"""


def panel_card(name: str, state: object, events_json: Sequence[str]) -> CardRequest | None:
    """Return the request of the card of a battle of the system `name`; None where it has none.

    `events_json`: of all steps so far that were not undone. RuleError if there is no such system.
    """
    rules = system(name)
    for game in games():
        if game.rules.cards is not None and any(
            load_callable(game, place)().name == name for place in game.rules.systems
        ):
            draw: PanelCard = load_module(game, game.rules.cards).panel_card
            return draw(state, rules.states.write_json(state), events_json)
    return None
