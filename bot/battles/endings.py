"""The row below a battle that is over, what stands behind its button "More", and what a game adds to them.

Features add their buttons: `bot.services[Endings]["chapter"] = Ending("Next chapter", "📖", open_chapter)`.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import discord

from bot.battles.panel import LABEL, consent_button
from bot.battles.presenter import PlayedByBot, Position, mixin_of
from bot.client import Interaction, Named
from bot.store.battle import Battle, Place
from bot.ui import Button
from sim.core.battle import AnyState, Seat


@dataclass(frozen=True, slots=True)
class Rematch:
    """A battle to open after another one: its setup, and every seat; `first`: as of `BattleService.open`."""

    setup: Any
    places: Sequence[Place]
    first: Sequence[tuple[object, Seat]] = ()


class HasRematches:
    """A game whose battles lead on to more than the same setup again.

    `sides`: the two seats that may be swapped in a rematch.
    """

    sides: ClassVar[tuple[Seat, ...]] = ()

    def rematch(self, again: Rematch, _battle: Battle, _state: AnyState, *, swap: bool) -> Rematch:  # noqa: ARG002  # for a game whose setup changes with the sides
        """Return the battle that a rematch opens.

        `again`: the same setup, and the same people in their seats, or with `swap` in those of the other side; where
        players come and go, nobody. RuleError if there can be none.
        """
        return again

    def sequel(self, _battle: Battle, _state: AnyState) -> Button | None:
        """Return the button that opens what follows a battle that is over, such as the next opponent of a ladder."""
        return None


@dataclass(frozen=True, slots=True)
class Ending:
    """A button below battles that are over, and its answer to a press.

    `fits`: whether a battle has it. `first`: it stands in the row, the others behind "More".
    """

    label: str
    emoji: str
    answer: Callable[[Interaction, Battle], Awaitable[None]]
    fits: Callable[[Position[Any]], bool] = lambda _: True
    first: bool = False


class Endings(Named[Ending]):
    """The buttons that features add below battles that are over, by their names."""

    sort = "a button of ended battles"

    def row(self, at: Position[Any], watch: str | None) -> Iterator[Button]:
        """Build the row; `watch`: the link to the battle's replay."""
        battle = at.battle
        yield consent_button(battle, "rematch", "same", "Rematch", "🔁")
        if (sequel := mixin_of(at.presenter, HasRematches).sequel(battle, at.state)) is not None:
            yield sequel
        yield from self._own(at, first=True)
        if battle.guild_id is not None:
            yield consent_button(battle, "share", "where", "Share", "📣")
        if watch is not None:
            yield discord.ui.Button(label=LABEL, emoji="🎬", url=watch)
        yield consent_button(battle, "more", "all", "More", "📎")

    def more(self, at: Position[Any]) -> Iterator[Button]:
        """Build the buttons behind "More"."""
        battle, chance = at.battle, at.presenter.chance_in(at.state)
        # Swapped sides make another battle only where each has another holder; a bot there has to know the game.
        sides = mixin_of(at.presenter, HasRematches).sides
        places = [place for place in battle.places if place.seat in sides]
        is_played = isinstance(at.presenter, PlayedByBot) or not any(place.is_bot for place in places)
        if is_played and len({(place.user_id, place.is_bot) for place in places}) == len(sides) > 1:
            yield consent_button(battle, "rematch", "swap", "Rematch, sides swapped", "🔄")
        yield from at.presenter.extra_buttons(battle, at.state)
        yield from self._own(at, first=False)
        yield consent_button(battle, "log", "files", "Log and files", "🗂️")
        yield consent_button(battle, "fair", "dice", chance.question, chance.icon)

    def _own(self, at: Position[Any], *, first: bool) -> Iterator[Button]:
        for name, ending in sorted(self.items()):  # the same order in every game
            if ending.first is first and ending.fits(at):
                yield consent_button(at.battle, "over", name, ending.label, ending.emoji)
