"""Lists and a form to edit a fighter between rounds, or to pull one out.

The custom id of a list is `f1:<battle>:<version>:<what>:<camp>`; its values are indices of fighters in their side.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import discord

from bot.battles.items import BattleForms
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.marked_for_death.render import ICONS
from bot.store.battle import Battle
from bot.ui.interactions import PersistentSelect, acknowledge, edit_reply, origin_of
from bot.ui.modals import text_field
from bot.ui.text import MAX_CHOICES, MAX_ENTRY, shorten, text_view, utf16_length
from sim.core.errors import RuleError
from sim.csv.table import read_decimal
from sim.marked_for_death import tables as t
from sim.marked_for_death.battle.values import Amend, Combatant, PullOut, State, current_fighter
from sim.marked_for_death.roster import BASE_HP, MAX_NAME, Buff, Camp, Fighter
from sim.marked_for_death.stats import EXHAUSTION

AMEND, PULL_OUT = "amend", "pull-out"
_NUMBERS = (t.XP, t.BONUS_XP, t.BONUS_HP, t.BONUS_TO_HIT, t.BONUS_TO_DEFEND, t.AOE)
_HP = f"HP are {BASE_HP} + BonusHP; ToDefend falls by {EXHAUSTION} a round"
_MAX_NUMBERS = 400
_LONG_BUFFS = "The buffs are too long for a form and stay as they are"
_MAX_NAME_UNITS = 2 * MAX_NAME  # UTF-16 units: an emoji takes two; the rules count characters
_BUFF_PARTS = 4
_PLACEHOLDERS = {AMEND: "Edit one of the {camp} …", PULL_OUT: "Pull one of the {camp} out …"}


def form_values_of(camp: Camp, fighter: Fighter | None, name: str = "") -> dict[str, str]:
    """Return the form's values for a fighter, or for a new one named `name`; `replaces`: whom it was opened for."""
    cells = {t.NAME: name} if fighter is None else t.fighter_cells(fighter)
    return {
        "camp": camp.value,
        "replaces": "" if fighter is None else fighter.name,
        "name": cells[t.NAME],
        "numbers": "\n".join(f"{column}: {cells.get(column, '')}" for column in _NUMBERS),
        "guards": cells.get(t.BODYGUARD_FOR, ""),
        "linked": cells.get(t.LINKED_TO, ""),
        "buffs": "\n".join(
            f"{buff.name} | {', '.join(buff.who)} | {buff.offense} | {buff.defense}"
            for buff in ([] if fighter is None else fighter.buffs)
        ),
    }


def fighter_fields(values: Mapping[str, str]) -> Sequence[discord.ui.Label[Any]]:
    """Return the fields for one fighter; buffs too long for a field are omitted and don't change."""
    buffs = values.get("buffs", "")
    fits = utf16_length(buffs) <= MAX_ENTRY
    linked_hint = None if fits else _LONG_BUFFS
    fields = [
        text_field("name", t.NAME, values.get("name"), max_length=_MAX_NAME_UNITS),
        text_field("numbers", "Numbers", values.get("numbers"), max_length=_MAX_NUMBERS, hint=_HP, long=True),
        text_field("guards", t.BODYGUARD_FOR, values.get("guards"), max_length=_MAX_NAME_UNITS),
        text_field("linked", t.LINKED_TO, values.get("linked"), max_length=_MAX_NAME_UNITS, hint=linked_hint),
    ]
    if fits:
        hint = "such as: Teamwork | Tom, Summoner | 0.1 | 0.12"
        fields.append(text_field("buffs", "Buffs, a line each", buffs, max_length=MAX_ENTRY, hint=hint, long=True))
    return fields


def read_amend(values: Mapping[str, str], state: State) -> Amend:
    """Read the form; RuleError lists everything wrong with it, and refuses a new fighter with another one's name."""
    cells = {
        t.NAME: values.get("name", ""),
        t.BODYGUARD_FOR: values.get("guards", ""),
        t.LINKED_TO: values.get("linked", ""),
    }
    known = {column.casefold(): column for column in _NUMBERS}
    for line in filter(None, map(str.strip, values.get("numbers", "").splitlines())):
        column, _, text = line.partition(":")
        if column.strip().casefold() not in known:
            raise RuleError(f"Numbers: there is no {shorten(column.strip(), 20)}. Use {', '.join(_NUMBERS)}.")
        cells[known[column.strip().casefold()]] = text
    camp = next((camp for camp in Camp if camp == values.get("camp")), None)
    if camp is None:
        raise RuleError("This form is out of date: press the button on the panel again.")
    fighter = t.read_fighter(cells, tuple(_buffs(values.get("buffs", ""))))
    replaces = values.get("replaces")  # forms of earlier versions don't say
    if replaces == "" and any(combatant.fighter.key == fighter.key for combatant in state.side(camp)):
        raise RuleError(f"The {camp} already have a fighter called {fighter.name}.")
    return Amend(camp=camp, fighter=fighter, replaces=replaces or None)


def _buffs(text: str) -> Iterator[Buff]:
    for number, line in enumerate(filter(None, map(str.strip, text.splitlines())), start=1):
        # A name may contain a bar, usually without blanks around it.
        parts = f" {line} ".split(" | ")
        parts = [part.strip() for part in (parts if len(parts) == _BUFF_PARTS else line.split("|"))]
        if len(parts) != _BUFF_PARTS:
            raise RuleError(f"Buffs, line {number}: write name | who | BuffOffense | BuffDefense.")
        try:
            offense, defense = (read_decimal(part, decimal_comma=True) if part else Decimal(0) for part in parts[2:])
            who = tuple(filter(None, map(str.strip, parts[1].split(","))))
            yield Buff(name=parts[0], who=who, offense=offense, defense=defense)
        except ValueError as error:  # also pydantic's for names and numbers beyond the limits
            raise RuleError(f"Buffs, line {number}: {str(error).splitlines()[0].rstrip('.')}.") from None


def fighter_lists(battle: Battle, state: State, what: str, camps: Sequence[Camp]) -> discord.ui.LayoutView:
    """Return a list of fighters for each of these sides, the living first, to edit or pull out one of them."""
    parts = ["### Which fighter?"]
    if any(len(state.side(camp)) > MAX_CHOICES for camp in camps):
        command = "edit" if what == AMEND else "pull"
        parts.append(f"-# A list shows {MAX_CHOICES}; `/mfd {command}` finds any fighter by name.")
    rows: list[list[discord.ui.Select[Any]]] = []
    for camp in camps:
        options = _options(state.side(camp), only_living=what == PULL_OUT)
        custom_id = f"f1:{battle.id}:{battle.version}:{what}:{camp}"
        placeholder = _PLACEHOLDERS[what].format(camp=camp)
        if options:
            rows.append([discord.ui.Select(custom_id=custom_id, placeholder=placeholder, options=options)])
    return text_view(parts, rows=rows)


def _options(force: Sequence[Combatant], *, only_living: bool) -> list[discord.SelectOption]:
    order = sorted(range(len(force)), key=lambda at: not force[at].stands)
    return [
        discord.SelectOption(label=force[at].fighter.name, description=f"{force[at].hp} HP", value=str(at))
        for at in order
        if force[at].stands or not only_living
    ][:MAX_CHOICES]


async def edit_fighter(
    interaction: Interaction, battle: Battle, camp: Camp, combatant: Combatant | None, name: str = ""
) -> None:
    """Open the form for a fighter, or for a new one named `name`; the interaction must be unanswered."""
    offer = (await interaction.client.services[Presenters].position(battle)).offer(AMEND)
    values = form_values_of(camp, None if combatant is None else current_fighter(combatant), name)
    await interaction.client.services[BattleForms].open(interaction, offer, values)


class FighterList(
    PersistentSelect,
    template=r"f1:(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<what>amend|pull-out):(?P<camp>heroes|villains)",
):
    """A list of one side's fighters."""

    kind = "{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the form, or pull the fighter out."""
        service = interaction.client.services[BattleService]
        camp, version = Camp(self.match["camp"]), int(self.match["version"])
        battle = await service.find(int(self.match["battle"]), origin_of(interaction))
        async with service.explain_conflicts(interaction):
            service.expect(battle, version)
        state: State = (await interaction.client.services[Presenters].position(battle)).state
        force, chosen = state.side(camp), self.chosen
        if not (chosen.isascii() and chosen.isdecimal() and len(chosen) < len("10000") and int(chosen) < len(force)):
            raise RuleError("This list is out of date: press the button on the panel again.")
        combatant = force[int(chosen)]
        if self.match["what"] == AMEND:
            await edit_fighter(interaction, battle, camp, combatant)
        else:
            await acknowledge(interaction)
            action = PullOut(camp=camp, name=combatant.fighter.name)
            await service.act(interaction, battle.id, version, PULL_OUT, action)
            await edit_reply(interaction, f"🚪 {ICONS[camp]} pulled out.")
