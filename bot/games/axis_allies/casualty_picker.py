"""Choosing losses by hand: one list for each kind of unit, filled with what would be lost by score.

The lists remember nothing: their ids hold the whole choice, `l1:<battle>:<version>:<side>:<kind>:<counts>`, and so does
that of the button, `l2:<battle>:<version>:<side>:<counts>`.
"""

import re
from collections.abc import Sequence
from typing import Any, Self

import discord

from bot.answers.paginator import jump_targets
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.render.signs import ICONS
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.interactions import acknowledged, handled
from bot.ui.layout import text_view
from bot.ui.text import counted
from sim.axis_allies.battle import Loss, PickLosses, State, default_losses
from sim.axis_allies.battle.course import standing
from sim.axis_allies.battle.losses import named
from sim.axis_allies.battle.values import Losses, Pending
from sim.axis_allies.odds.orders import Slot, category
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.outcomes import Side

_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<side>attacker|defender)"
_COUNTS = r"(?P<counts>[0-9]{1,3}(?:\.[0-9]{1,3}){0,9})"


def loss_view(battle: Battle, state: State, side: Side, counts: Sequence[int] | None) -> discord.ui.LayoutView:
    """Lay out the lists for a side's losses, `counts` chosen so far; RuleError when it has nothing to choose now."""
    due = _due(state, side)
    most = _most(state, side, due)
    if counts is None:
        chosen = {loss.slot: loss.count for loss in default_losses(state, side)}
        counts = [chosen.get(slot, 0) for slot in most]
    elif len(counts) != len(most):
        raise RuleError("These lists are of another battle; please press the panel's button again.")
    problem = _problem(state, side, due, _losses(most, counts))
    view = text_view([_headline(battle, side, due, most, counts), *([f"⚠️ {problem}"] if problem else [])])
    for at, (slot, limit) in enumerate(most.items()):
        if limit:
            view.add_item(discord.ui.ActionRow(_list(battle, side, at, slot, limit, counts)))
    view.add_item(
        discord.ui.ActionRow(
            discord.ui.Button(
                label="Lose these",
                style=discord.ButtonStyle.danger,
                custom_id=f"l2:{battle.id}:{battle.version}:{side}:{_joined(counts)}",
                disabled=problem is not None,
            )
        )
    )
    view.stop()
    return view


def _due(state: State, side: Side) -> Pending:
    due = state.due(side)
    if due is None or not due.awaited:
        raise RuleError(f"The {side} has no losses to choose now.")
    return due


def _most(state: State, side: Side, due: Pending) -> dict[Slot, int]:
    """Return how many of each kind may be lost: what is there, and no more than the hits that may fall on it."""
    here = standing(state, side)
    return {
        slot: min(left, _hits_on(slot, due)) for slot, left in zip(here.muster.slots, here.left, strict=True) if left
    }


def _hits_on(slot: Slot, due: Pending) -> int:
    hits = due.hits.total
    if category(slot) is Category.AIR:
        hits -= due.hits.submarines
    if slot == Unit.SUBMARINE:
        hits -= due.hits.air
    return hits


def _losses(most: dict[Slot, int], counts: Sequence[int]) -> Losses:
    return tuple(Loss(slot=slot, count=count) for slot, count in zip(most, counts, strict=True) if count)


def _problem(state: State, side: Side, due: Pending, losses: Losses) -> str | None:
    """Return why the rules don't allow these losses, None when they do."""
    try:
        standing(state, side).by_choice(due.hits, losses)
    except RuleError as error:
        return str(error)
    return None


def _headline(battle: Battle, side: Side, due: Pending, most: dict[Slot, int], counts: Sequence[int]) -> str:
    chosen = ", ".join(named(slot, count) for slot, count in zip(most, counts, strict=True) if count) or "nothing"
    return "\n".join(
        [
            f"### #{battle.number} {ICONS[side]} {counted(due.hits.total, 'hit')} on the {side}",
            f"You lose: **{chosen}**",
            "-# The other side sees it when both have chosen. Without a choice, the lowest score goes after 24 hours.",
        ]
    )


def _list(battle: Battle, side: Side, at: int, slot: Slot, limit: int, counts: Sequence[int]) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=f"Lose {named(slot, count)}", value=str(count), default=count == counts[at])
        for count in jump_targets(limit + 1, counts[at])
    ]
    custom_id = f"l1:{battle.id}:{battle.version}:{side}:{at}:{_joined(counts)}"
    return discord.ui.Select(custom_id=custom_id, options=options, placeholder=f"Lose how many {named(slot, 2)[2:]}?")


def _joined(counts: Sequence[int]) -> str:
    return ".".join(map(str, counts))


async def _current(interaction: Interaction, battle_id: int, version: int, side: Side) -> tuple[Battle, State]:
    """Return the battle whose losses the user may choose; RuleError when that is over, or isn't theirs."""
    battle = await interaction.client.services[BattleService].find(battle_id)
    presenter = interaction.client.services[Presenters].of(battle.system)
    state: State = await presenter.read_state(battle)
    if not battle.is_open or not await _only_other_chose(interaction, battle, version, side):
        progress = presenter.progress(battle, state)
        raise RuleError(f"#{battle.number} is already {progress}; press the panel's button again.")
    if side not in battle.seats_of(interaction.user.id):
        raise RuleError(f"Only the {side} chooses the {side}'s losses.")
    return battle, state


async def _only_other_chose(interaction: Interaction, battle: Battle, version: int, side: Side) -> bool:
    """Tell whether nothing has happened since `version` but the other side's choice: that spoils nobody's own."""
    if battle.version == version:
        return True
    since = (await interaction.client.services[BattleRepository].journal(battle.id))[version:]
    other = {"do": "pick-losses", "side": side.other.value}
    return all(isinstance(entry.action, dict) and other.items() <= entry.action.items() for entry in since)


class LossList(discord.ui.DynamicItem[discord.ui.Select[Any]], template=rf"l1:{_AT}:(?P<kind>[0-9]):{_COUNTS}"):
    """How many of one kind of unit are lost."""

    def __init__(self, item: discord.ui.Select[Any], match: re.Match[str]) -> None:
        super().__init__(item)
        self.battle_id, self.version = int(match["battle"]), int(match["version"])
        self.side = Side(match["side"])
        self.kind = int(match["kind"])
        self.counts = [int(count) for count in match["counts"].split(".")]

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a select, as the template says
        cls, _interaction: Interaction, item: discord.ui.Select[Any], match: re.Match[str], /
    ) -> Self:
        """Make the list that was used."""
        return cls(item, match)

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]  # narrower
        """Show the choice as it is now."""
        async with handled(interaction, "losses"):
            battle, state = await _current(interaction, self.battle_id, self.version, self.side)
            chosen = self.item.values[0]
            if self.kind < len(self.counts) and chosen.isascii() and chosen.isdecimal():
                self.counts[self.kind] = int(chosen[:3])
            await interaction.response.edit_message(view=loss_view(battle, state, self.side, self.counts))


class LossButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"l2:{_AT}:{_COUNTS}"):
    """The choice is made."""

    def __init__(self, item: discord.ui.Button[Any], match: re.Match[str]) -> None:
        super().__init__(item)
        self.battle_id, self.version = int(match["battle"]), int(match["version"])
        self.side = Side(match["side"])
        self.counts = [int(count) for count in match["counts"].split(".")]

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: Interaction, item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, match)

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]  # narrower
        """Choose these losses."""
        async with handled(interaction, "losses"):
            battle, state = await _current(interaction, self.battle_id, self.version, self.side)
            most = _most(state, self.side, _due(state, self.side))
            if len(most) != len(self.counts):
                raise RuleError("These lists are of another battle; please press the panel's button again.")
            action = PickLosses(side=self.side, losses=_losses(most, self.counts))
            if await acknowledged(interaction):
                await interaction.client.services[BattleService].act(
                    interaction, battle.id, battle.version, f"pick-{self.side}", action
                )
                await interaction.edit_original_response(view=text_view([f"✅ #{battle.number}: chosen."]))


LOSS_ITEMS = (LossList, LossButton)
