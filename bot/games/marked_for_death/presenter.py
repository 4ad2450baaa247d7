"""Presents battles between two rosters; lists and a form to edit a fighter between rounds, or to pull one out.

The custom id of a list is `f1:<battle>:<version>:<what>:<camp>`; its values are indices of fighters in their side.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

import discord

from bot.battles import BattleService
from bot.battles import presenter as p
from bot.battles.items import FormQuery, position_of
from bot.battles.opponents import Character
from bot.battles.panel import latest_events
from bot.battles.timetable import Timed, Timetable
from bot.client import Interaction
from bot.games.marked_for_death.questions import open_change
from bot.games.marked_for_death.render import PANEL_ROUNDS, battle_content
from bot.store.battle import Battle
from bot.store.database import off_loop
from bot.ui import MAX_CHOICES, MAX_ENTRY, plain, shorten, text_view, utf16_length
from bot.ui import options as o
from bot.ui.interactions import PersistentSelect, acknowledge, edit_reply, reply
from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.journal import JournalRow
from sim.csv import read_decimal
from sim.marked_for_death import battle as v
from sim.marked_for_death import tables as t
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.cards import panel_card
from sim.marked_for_death.roster import BASE_HP, MAX_NAME, Buff, Camp, Fighter
from sim.marked_for_death.stats import EXHAUSTION, Bonds, short_line
from sim.workers.queue import Caller

AMEND, PULL_OUT = "amend", "pull-out"
_NUMBERS = (t.XP, t.BONUS_XP, t.BONUS_HP, t.BONUS_TO_HIT, t.BONUS_TO_DEFEND, t.AOE)
_HP = f"HP are {BASE_HP} + BonusHP; ToDefend falls by {EXHAUSTION} a round"
_MAX_NUMBERS = 400
_MAX_NAME_UNITS = 2 * MAX_NAME  # UTF-16 units: an emoji takes two; the rules count characters
_BUFF_PARTS = 4
_MAX_DIGITS = 6
_LEFT_BEHIND = 2
_FEW = 3
"""Fighters of a roster on the line that tells who fights."""


class RosterBattlePresenter(p.BattlePresenter[v.State, v.Event], Timed, p.HasForms, p.HasFiles, p.PlayedByBot):
    """Presents battles between rosters."""

    title = "Marked for Death"
    time_up = "the next round is fought"
    clock = Timetable()  # no limit: the referee is in no hurry
    colors: ClassVar[Mapping[Seat, str]] = {Camp.HEROES.value: "🔵", Camp.VILLAINS.value: "🟠"}
    buttons = ("next-round", "run-out", "pull-out", "amend", "reinforce")
    bot_actions = frozenset({"next-round", "run-out"})
    system = RosterBattle()

    async def panel(self, battle: Battle, state: v.State, steps: p.Steps, caller: Caller | None) -> p.PanelContent:
        """Return both sides and what happened last."""
        size = sum(len(step.events_json) for step in steps[-PANEL_ROUNDS:])
        events = [step.events_json for step in steps]
        picture = await self.card(panel_card(state, battle.state_json, events), caller, battle)
        return battle_content(state, await off_loop(size, self._latest_events, steps), picture)

    def fighters(self, battle: Battle, state: v.State) -> str:
        """Return both rosters by their first fighters, and the referee."""
        sides = (p.names_text([plain(one.fighter.name) for one in state.side(camp)], _FEW) for camp in Camp)
        people = [f"{p.holder_text(place)} ({place.seat})" for place in battle.places]
        return f"{' vs '.join(sides)} · {', '.join(people)}"

    def shown_line(self, line: str) -> str:
        """Leave out of a fighter's numbers what says nothing."""
        return short_line(line)

    async def files(
        self, battle: Battle, state: v.State, _entries: Sequence[JournalRow], _caller: Caller | None
    ) -> p.Files:
        """Return both current rosters, to go on from."""
        files = v.FINAL_FILES.items()
        return await off_loop(
            len(battle.state_json),
            lambda: {name: t.roster_csv(v.current_roster(state, camp)) for camp, name in files},
        )

    async def bot_move(self, _battle: Battle, state: v.State, seat: Seat, character: Character) -> v.PullOut | None:
        """Pull out somebody who is badly hurt, as long as two others stand."""
        force = state.side(Camp(seat))
        standing = [at for at, one in enumerate(force) if one.stands]
        followers = Bonds.of([one.fighter for one in force]).followers
        if state.ending is not None or len(standing) <= _LEFT_BEHIND:
            return None
        for at in standing:
            is_hurt = force[at].hp <= character.spares < force[at].fighter.hp
            if is_hurt and (character.everybody or any(force[other].stands for other in followers[at])):
                return v.PullOut(camp=Camp(seat), name=force[at].fighter.name)
        return None

    async def ask(self, interaction: Interaction, offer: p.Offer[v.State], seat: Seat) -> bool:
        """Ask for a changed roster, or which fighter; a form asks for the number of rounds."""
        match offer.legal.name:
            case "reinforce":
                await open_change(interaction, offer.battle)
            case name if name in {AMEND, PULL_OUT}:
                camps = [camp for camp in Camp if camp == seat] or list(Camp)
                view = fighter_lists(offer.battle, offer.state, name, camps)
                await reply(interaction, view)
            case _:
                return False
        return True

    async def fields(self, offer: p.Offer[v.State], values: o.Typed, _user_id: int) -> o.Fields:
        """Return the fields for the number of rounds, or for a fighter."""
        if offer.legal.name == AMEND:
            return fighter_fields(values)
        hint = f"1 to {v.MAX_ROUNDS:,}; stops early if a side falls"
        return o.entry_fields({"rounds": o.Entry("Rounds", _MAX_DIGITS, hint)}, values)

    async def read_form(self, _interaction: Interaction, offer: p.Offer[v.State], values: o.Typed) -> v.Run | v.Amend:
        """Read the number of rounds, or the fighter."""
        if offer.legal.name == AMEND:
            return read_amend(values, offer.state)
        return v.Run(rounds=o.read_number(values.get("rounds", ""), "Rounds", 1, v.MAX_ROUNDS))

    def _latest_events(self, steps: p.Steps) -> tuple[v.Event, ...]:
        """Read the events of the last rounds only, for the panel."""
        events = latest_events(steps, lambda kinds: kinds.count("round") >= PANEL_ROUNDS)
        starts = [at for at, event in enumerate(events) if isinstance(event, dict) and event["event"] == "round"]
        return self.system.events.read_all(events[starts[-PANEL_ROUNDS:][0] if starts else 0 :])


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


def fighter_fields(values: o.Typed) -> o.Fields:
    """Return the fields for one fighter; buffs too long for a field are omitted and don't change."""
    fits = utf16_length(values.get("buffs", "")) <= MAX_ENTRY
    linked_hint = None if fits else "The buffs are too long for a form and stay as they are"
    entries = {
        "name": o.Entry(t.NAME, _MAX_NAME_UNITS),
        "numbers": o.Entry("Numbers", _MAX_NUMBERS, _HP, long=True),
        "guards": o.Entry(t.BODYGUARD_FOR, _MAX_NAME_UNITS),
        "linked": o.Entry(t.LINKED_TO, _MAX_NAME_UNITS, linked_hint),
    }
    if fits:
        hint = "such as: Teamwork | Tom, Summoner | 0.1 | 0.12"
        entries["buffs"] = o.Entry("Buffs, a line each", MAX_ENTRY, hint, long=True)
    return o.entry_fields(entries, values)


def read_amend(values: o.Typed, state: v.State) -> v.Amend:
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
    return v.Amend(camp=camp, fighter=fighter, replaces=replaces or None)


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


def fighter_lists(battle: Battle, state: v.State, what: str, camps: Sequence[Camp]) -> discord.ui.LayoutView:
    """Return a list of fighters for each of these sides, the living first, to edit or pull out one of them."""
    parts = ["### Which fighter?"]
    if any(len(state.side(camp)) > MAX_CHOICES for camp in camps):
        command = "edit" if what == AMEND else "pull"
        parts.append(f"-# A list shows {MAX_CHOICES}; `/mfd {command}` finds any fighter by name.")
    rows: list[list[discord.ui.Select[Any]]] = []
    for camp in camps:
        force = state.side(camp)
        options = [
            discord.SelectOption(label=force[at].fighter.name, description=f"{force[at].hp} HP", value=str(at))
            for at in sorted(range(len(force)), key=lambda at: not force[at].stands)
            if force[at].stands or what == AMEND
        ][:MAX_CHOICES]
        custom_id = f"f1:{battle.id}:{battle.version}:{what}:{camp}"
        placeholder = f"Edit one of the {camp} …" if what == AMEND else f"Pull one of the {camp} out …"
        if options:
            rows.append([discord.ui.Select(custom_id=custom_id, placeholder=placeholder, options=options)])
    return text_view(parts, rows=rows)


async def edit_fighter(
    interaction: Interaction, at: p.Position[v.State], camp: Camp, combatant: v.Combatant | None, name: str = ""
) -> None:
    """Open the form for a fighter, or for a new one named `name`; the interaction must be unanswered."""
    values = form_values_of(camp, None if combatant is None else v.current_fighter(combatant), name)
    await FormQuery.of(at.offer(AMEND), values).send_form(interaction)


@PersistentSelect.matching(
    r"f1:(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<what>amend|pull-out):(?P<camp>heroes|villains)", "{what}"
)
async def fighter_list(menu: PersistentSelect, interaction: Interaction) -> None:
    """Open the form of one of a side's fighters, or pull the fighter out."""
    service = interaction.client.services[BattleService]
    camp, version = Camp(menu.match["camp"]), int(menu.match["version"])
    at: p.Position[v.State] = await position_of(interaction, int(menu.match["battle"]))
    async with service.explain_conflicts(interaction):
        service.expect(at.battle, version)
    combatant = {str(number): one for number, one in enumerate(at.state.side(camp))}.get(menu.chosen)
    if combatant is None:
        raise RuleError("This list is out of date: press the button on the panel again.")
    if menu.match["what"] == AMEND:
        await edit_fighter(interaction, at, camp, combatant)
    else:
        await acknowledge(interaction)
        action = v.PullOut(camp=camp, name=combatant.fighter.name)
        await service.act(interaction, at.battle.id, version, PULL_OUT, action)
        await edit_reply(interaction, f"🚪 {plain(action.name)} is out of #{at.battle.number}.")
