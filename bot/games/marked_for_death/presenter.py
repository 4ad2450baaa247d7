"""Presents battles between two rosters, which `/mfd start` opens."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import JsonValue

from bot.battles import presenter as p
from bot.battles.opponents import Character
from bot.battles.timetable import Timed, Timetable
from bot.client import Client, Interaction
from bot.games.marked_for_death.items import AMEND, PULL_OUT, fighter_fields, fighter_lists, read_amend
from bot.games.marked_for_death.questions import ChangeHandler
from bot.games.marked_for_death.render import PANEL_ROUNDS, battle_content
from bot.store.battle import Battle
from bot.store.database import off_loop
from bot.ui.interactions import reply
from bot.ui.modals import Fields, text_field
from bot.ui.text import plain
from sim.core.battle import Seat
from sim.core.errors import RuleError
from sim.core.journal import Entry, JournalRow
from sim.csv.table import read_whole
from sim.marked_for_death.battle import values as v
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.cards import panel_card
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import Bonds, short_line
from sim.marked_for_death.tables import roster_csv
from sim.workers import Caller

_MAX_DIGITS = 6
_LEFT_BEHIND = 2
_FEW = 3
"""Fighters of a roster on the line that tells who fights."""


class RosterBattlePresenter(
    p.BattlePresenter[v.State, v.Event],
    Timed[v.State],
    p.HasForms[v.State],
    p.HasFiles[v.State],
    p.PlayedByBot[v.State],
):
    """Presents battles between rosters."""

    title = "Marked for Death"
    time_up = "the next round is fought"
    colors: ClassVar[Mapping[Seat, str]] = {Camp.HEROES.value: "🔵", Camp.VILLAINS.value: "🟠"}
    buttons = ("next-round", "run-out", "pull-out", "amend", "reinforce")
    bot_actions = frozenset({"next-round", "run-out"})
    system = RosterBattle()

    def __init__(self, bot: Client, change: ChangeHandler) -> None:
        super().__init__(bot)
        self._change = change

    async def panel(
        self, battle: Battle, state: v.State, steps: Sequence[JournalRow], caller: Caller | None
    ) -> p.PanelContent:
        """Return both sides and what happened last."""
        size = sum(len(step.events_json) for step in steps[-PANEL_ROUNDS:])
        events = [step.events_json for step in steps]
        picture = await self.card(panel_card(state, battle.state_json, events), caller, battle)
        return battle_content(state, await off_loop(size, self._latest_events, steps), picture)

    def fighters(self, battle: Battle, state: v.State) -> str:
        """Return both rosters by their first fighters, and the referee."""
        sides = (p.names_text([plain(one.fighter.name) for one in state.side(camp)], _FEW) for camp in Camp)
        people = [f"{p.holder_text(place)} ({place.seat})" for place in battle.places]
        return ", ".join([" v ".join(sides), *people])

    def shown_line(self, line: str) -> str:
        """Leave out of a fighter's numbers what says nothing."""
        return short_line(line)

    def timetable(self, _state: v.State) -> Timetable:
        """Return no limit: the referee is in no hurry."""
        return Timetable()

    async def files(
        self, battle: Battle, state: v.State, _entries: Sequence[Entry], _caller: Caller | None
    ) -> dict[str, bytes]:
        """Return both current rosters, to go on from."""
        files = v.FINAL_FILES.items()
        return await off_loop(
            len(battle.state_json),
            lambda: {name: roster_csv(v.current_roster(state, camp)) for camp, name in files},
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
                await self._change.open(interaction, offer.battle)
            case name if name in {AMEND, PULL_OUT}:
                camps = [camp for camp in Camp if camp == seat] or list(Camp)
                view = fighter_lists(offer.battle, offer.state, name, camps)
                await reply(interaction, view)
            case _:
                return False
        return True

    async def fields(self, offer: p.Offer[v.State], values: Mapping[str, str], _user_id: int) -> Fields:
        """Return the fields for the number of rounds, or for a fighter."""
        if offer.legal.name == AMEND:
            return fighter_fields(values)
        hint = f"1 to {v.MAX_ROUNDS:,}; stops early if a side falls"
        return [text_field("rounds", "Rounds", values.get("rounds"), max_length=_MAX_DIGITS, hint=hint)]

    async def read_form(
        self, _interaction: Interaction, offer: p.Offer[v.State], values: Mapping[str, str]
    ) -> v.Run | v.Amend:
        """Read the number of rounds, or the fighter."""
        if offer.legal.name == AMEND:
            return read_amend(values, offer.state)
        try:
            rounds = read_whole(values.get("rounds", "").strip())
        except ValueError as error:
            raise RuleError(f"Rounds: {error}.") from None
        if not 1 <= rounds <= v.MAX_ROUNDS:
            raise RuleError(f"Rounds: choose from 1 to {v.MAX_ROUNDS:,}.")
        return v.Run(rounds=rounds)

    def _latest_events(self, steps: Sequence[JournalRow]) -> tuple[v.Event, ...]:
        """Read the events of the last rounds only, for the panel."""
        events: list[JsonValue] = []
        starts: list[int] = []
        for step in reversed(steps):
            events = [*step.events, *events]
            starts = [at for at, event in enumerate(events) if isinstance(event, dict) and event["event"] == "round"]
            if len(starts) >= PANEL_ROUNDS:
                break
        return self.system.events.read_all(events[starts[-PANEL_ROUNDS:][0] if starts else 0 :])
