"""Manual choice of losses: a select menu for each kind of unit, preset to the edition's order of losses.

The menus keep no state. Their custom ids hold the whole choice, `l1:<battle>:<version>:<side>:<kind>:<counts>`; so does
the button's, `l2:<battle>:<version>:<side>:<counts>`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import discord

from bot.answers.document import jump_targets
from bot.battles.items import position_of
from bot.battles.presenter import Position
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.render import ICONS
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui.interactions import PersistentButton, PersistentSelect, acknowledge, edit_reply
from bot.ui.text import text_view
from sim.axis_allies.army import pictured, unit_icon
from sim.axis_allies.battle.losses import loss_text
from sim.axis_allies.battle.rules import default_losses
from sim.axis_allies.battle.runner import placement
from sim.axis_allies.battle.values import Hits, Loss, Losses, Pending, PickLosses, State
from sim.axis_allies.casualties import Slot, unit_of
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, flaw
from sim.core.journal import NOTES
from sim.core.numbers import quantity
from sim.core.values import Side

_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<side>attacker|defender)"
_COUNTS = r"(?P<counts>[0-9]{1,3}(?:\.[0-9]{1,3}){0,15})"


@dataclass(frozen=True, slots=True)
class _Choice:
    """How many of each kind of unit a side may lose, what is left, limited by the hits, and how many it loses."""

    at: Position[State]
    side: Side
    due: Pending
    limits: Mapping[Slot, int]
    counts: Sequence[int]

    @classmethod
    def of(cls, at: Position[State], side: Side, counts: Sequence[int] | None) -> Self:
        """Return the choice, by default the usual one; RuleError if there is nothing to choose."""
        due = at.state.due(side)
        if due is None or not due.awaited:
            raise RuleError(f"The {side} has no losses to choose now.")
        limits: dict[Slot, int] = {}
        hits = due.hits
        for slot, count in placement(at.state, side).left.items():
            most = hits.rest + hits.submarines + (0 if slot == Unit.SUBMARINE else hits.air)
            if unit_of(slot).category is Category.AIR:
                most = hits.total - hits.submarines
            limits |= {slot: min(count, most)} if count else {}
        if counts is None:
            chosen = {loss.slot: loss.count for loss in default_losses(at.state, side)}
            counts = [chosen.get(slot, 0) for slot in limits]
        elif len(counts) != len(limits):
            raise RuleError("These menus are out of date: press the button on the panel again.")
        return cls(at, side, due, limits, counts)

    @property
    def losses(self) -> Losses:
        """What the side loses."""
        chosen = zip(self.limits, self.counts, strict=True)
        return tuple(Loss(slot=slot, count=count) for slot, count in chosen if count)

    @property
    def ids(self) -> str:
        """The end of a custom id."""
        return ".".join(map(str, self.counts))


def casualty_view(at: Position[State], side: Side, counts: Sequence[int] | None = None) -> discord.ui.LayoutView:
    """Return the menus for a side's losses, `counts` chosen so far; RuleError if it has nothing to choose."""
    choice = _Choice.of(at, side, counts)
    problem = flaw(lambda: placement(at.state, side).by_choice(choice.due.hits, choice.losses))
    confirm: discord.ui.Button[Any] = discord.ui.Button(
        label="Confirm losses",
        style=discord.ButtonStyle.danger,
        custom_id=f"l2:{at.battle.id}:{at.battle.version}:{side}:{choice.ids}",
        disabled=problem is not None,
    )
    menus = [[_menu(choice, kind, slot)] for kind, slot in enumerate(choice.limits) if choice.limits[slot]]
    lost = ", ".join(loss_text(loss.slot, loss.count) for loss in choice.losses)
    lines = [
        f"### #{at.battle.number} {ICONS[side]} {quantity(choice.due.hits.total, 'hit')} on the {side}",
        f"You lose: **{pictured(lost) or 'nothing'}**",
        *_why_so(choice.due.hits, choice.limits),
        "-# Hidden until both sides have chosen. After 24 hours, the cheapest units die first.",
    ]
    texts = ["\n".join(lines), *([f"⚠️ {problem}"] if problem else [])]
    return text_view(texts, rows=[*menus, [confirm]])


def _why_so(hits: Hits, slots: Iterable[Slot]) -> Iterator[str]:
    """Yield what the hits may take of a side with these, if not everything."""
    there = {unit_of(slot) for slot in slots}
    dives, flies = Unit.SUBMARINE in there, any(unit.category is Category.AIR for unit in there)
    if hits.planes:
        yield "-# Antiaircraft fire hits planes only."
    limits = [
        *([f"{quantity(hits.submarines, 'hit')} of submarines can't take planes"] if hits.submarines and flies else []),
        *([f"{quantity(hits.air, 'hit')} of planes can't take submarines"] if hits.air and dives else []),
    ]
    if limits:
        yield f"-# As many hits as possible count: {', '.join(limits)}."


def _menu(choice: _Choice, kind: int, slot: Slot) -> discord.ui.Select[Any]:
    battle, chosen = choice.at.battle, choice.counts[kind]
    options = [
        discord.SelectOption(
            label=f"Lose {loss_text(slot, count)}",
            value=str(count),
            default=count == chosen,
            emoji=unit_icon(unit_of(slot)),
        )
        for count in jump_targets(choice.limits[slot] + 1, chosen)
    ]
    custom_id = f"l1:{battle.id}:{battle.version}:{choice.side}:{kind}:{choice.ids}"
    return discord.ui.Select(
        custom_id=custom_id, options=options, placeholder=f"How many {loss_text(slot, 2)[2:]} do you lose?"
    )


async def _load_choice(interaction: Interaction, match: re.Match[str]) -> tuple[Position[State], Side, list[int]]:
    """Return the battle, the side, and the counts so far; RuleError if the choice is over or isn't the user's."""
    side = Side(match["side"])
    at: Position[State] = await position_of(interaction, int(match["battle"]))
    if not at.battle.is_open or not await _only_other_chose(interaction, at.battle, int(match["version"]), side):
        raise RuleError(f"#{at.battle.number} is already {at.progress}: press the button on the panel again.")
    if side not in at.battle.seats_of(interaction.user.id):
        raise RuleError(f"Only the {side} chooses the {side}'s losses.")
    return at, side, [int(count) for count in match["counts"].split(".")]


async def _only_other_chose(interaction: Interaction, battle: Battle, version: int, side: Side) -> bool:
    """Return whether the other side's choice is all that has happened since `version`; it doesn't affect this one."""
    if battle.version == version:
        return True
    since = (await interaction.client.services[BattleRepository].journal(battle.id))[version:]
    other = {"do": "pick-losses", "side": side.other.value}
    return all(
        entry.kind in NOTES or (isinstance(entry.action, dict) and other.items() <= entry.action.items())
        for entry in since
    )


class CasualtySelect(PersistentSelect, template=rf"l1:{_AT}:(?P<kind>[0-9]{{1,2}}):{_COUNTS}"):
    """Menu: how many of a kind of unit are lost."""

    kind = "losses"

    async def pressed(self, interaction: Interaction) -> None:
        """Update the menus."""
        at, side, counts = await _load_choice(interaction, self.match)
        kind = int(self.match["kind"])
        if kind < len(counts) and self.chosen.isascii() and self.chosen.isdecimal():
            counts[kind] = int(self.chosen[:3])
        view = casualty_view(at, side, counts)
        await acknowledge(interaction)
        await interaction.edit_original_response(view=view)


class CasualtyButton(PersistentButton, template=rf"l2:{_AT}:{_COUNTS}"):
    """Button: submits the choice."""

    kind = "losses"

    async def pressed(self, interaction: Interaction) -> None:
        """Submit these losses."""
        at, side, counts = await _load_choice(interaction, self.match)
        action = PickLosses(side=side, losses=_Choice.of(at, side, counts).losses)
        await acknowledge(interaction)
        service = interaction.client.services[BattleService]
        await service.act(interaction, at.battle.id, at.battle.version, f"pick-{side}", action)
        await edit_reply(interaction, f"✅ #{at.battle.number}: losses confirmed.")


CASUALTY_ITEMS = (CasualtySelect, CasualtyButton)
