"""Cards of duels and dungeons: hit points, what the last page cost, the chances from here, at the end what decided."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from sim.core.battle import NamedActionT, RuleBook, StateT
from sim.core.cards.card import Card
from sim.core.cards.draw import draw_fight
from sim.core.cards.requests import CardRequest
from sim.core.cards.values import MAX_ROWS, FightCard, FightSide, HealthRow
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.values import Ending
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import GROUP_1, GROUP_2, RoundBegan, Struck
from sim.duel.battle.values import Event as DuelEvent
from sim.duel.battle.values import Run as RunDuel
from sim.duel.battle.values import State as DuelState
from sim.duel.critter import Critter
from sim.duel.dungeon.rules import Dungeon
from sim.duel.dungeon.values import Event as DungeonEvent
from sim.duel.dungeon.values import Hero, Phase, Run
from sim.duel.dungeon.values import State as DungeonState
from sim.duel.end_card import ODDS_SECONDS, duel_notes, dungeon_notes
from sim.duel.group_text import group_name
from sim.duel.requests import MIN_BATTLES, DuelOddsRequest
from sim.duel.words import DEFAULT_WORDS

_SECONDS = 0.5
_SECONDS_PER_CHARACTER = 1e-7  # of events, read to draw a card; measured, rounded up

_TRIES = 100
"""Fights played out for a chance, to some points."""

_MOST_TURNS = 8_000
"""Turns in these fights; measured: some hundredths of a second."""

_LOOK_AHEAD = b"chances from here"

_MONSTERS = "Monsters"
_NAME_ROOM = 26
"""Characters of a side's name, in a title and on the bar."""


class _CardRequest(CardRequest):
    """Draws the card of a battle from its stored state and the events of its last pages, as JSON.

    What was lost is that of the last page. At the end all pages are needed, to tell what decided it.
    """

    state_json: str
    events_json: tuple[str, ...] = ()

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_PER_CHARACTER * sum(map(len, self.events_json))


class DuelCardRequest(_CardRequest):
    """Draws the card of a duel."""

    @override
    def draw(self) -> Card:
        rules = Duel()
        state: DuelState = rules.states.read_json(self.state_json)
        pages = _pages(rules, self.events_json)
        if not self.engines:
            return draw_fight(duel_card(state, pages, _morale_chances(state), engines=False))
        return draw_fight(duel_card(state, pages, _duel_chances(state), _first_chances(state)))


class DungeonCardRequest(_CardRequest):
    """Draws the card of a dungeon."""

    @override
    def draw(self) -> Card:
        rules = Dungeon()
        state: DungeonState = rules.states.read_json(self.state_json)
        return draw_fight(dungeon_card(state, _pages(rules, self.events_json), _room_chance(state)))


def panel_card(
    state: DuelState | DungeonState, state_json: str, events_json: Sequence[str]
) -> DuelCardRequest | DungeonCardRequest | None:
    """Return the card of a duel or a dungeon, see `sim.jobs.battle`; None of a dungeon without heroes.

    Before the end, the events of the last page are enough.
    """
    pages = tuple(events_json if state.ending is not None else events_json[-1:])
    if isinstance(state, DuelState):
        return DuelCardRequest(state_json=state_json, events_json=pages)
    return DungeonCardRequest(state_json=state_json, events_json=pages) if state.heroes else None


def _pages(rules: RuleBook[Any, Any, Any, Any], events_json: Iterable[str]) -> list[list[Any]]:
    return [list(map(rules.events.read, json.loads(text))) for text in events_json]


@dataclass(frozen=True, slots=True)
class Chances:
    """Of both sides to win from here; `rough`: to some points."""

    first: float
    second: float
    rough: bool = False


def duel_card(
    state: DuelState,
    pages: Sequence[Sequence[DuelEvent]],
    chances: Chances | None,
    at_first: Chances | None = None,
    *,
    engines: bool = True,
) -> FightCard:
    """Return the card of a duel; `pages`: the events of the last pages, of all of them at the end.

    `chances`: from here; `at_first`: those that groups had before the fight, for its end. `engines`: as of the request.
    """
    blows = _Blows.of(pages[-1] if pages else ())
    critters = state.setup.critters
    size = len(state.setup.group1)
    rows = [
        blows.row(number, critter, points, critters, f"Fighter {number + 1}")
        for number, (critter, points) in enumerate(zip(critters, state.hp, strict=True))
    ]
    for number in state.fled:
        rows[number] = rows[number].model_copy(update={"figures": "fled", "gone": True})
    groups = (state.setup.group1, rows[:size]), (state.setup.group2, rows[size:])
    each = (None, None) if chances is None else (chances.first, chances.second)
    left, right = (
        _side(group_name(group, _NAME_ROOM), part, chance) for (group, part), chance in zip(groups, each, strict=True)
    )
    title = f"Round {state.round}" if state.round else "Before the fight"
    aside = "" if chances is None else "chances from here"
    notes: tuple[str, ...] = ()
    if state.ending is not None:
        title = _duel_end(state, left, right)
        aside = f"after {state.round} {'round' if state.round == 1 else 'rounds'}"
        first = None if at_first is None else at_first.first if state.winner == GROUP_1 else at_first.second
        notes = duel_notes(state, [event for page in pages for event in page], first, engines=engines)
    rough = chances is not None and chances.rough
    return FightCard(title=title, aside=aside, left=left, right=right, rough=rough, notes=notes)


def _duel_end(state: DuelState, left: FightSide, right: FightSide) -> str:
    if state.winner is None:
        return "Nobody wins"
    won, fighters = (left, state.setup.group1) if state.winner == GROUP_1 else (right, state.setup.group2)
    return f"{won.name[:1].upper()}{won.name[1:]} {'wins' if len(fighters) == 1 else 'win'}"


def dungeon_card(state: DungeonState, pages: Sequence[Sequence[DungeonEvent]], chance: float | None) -> FightCard:
    """Return the card of a dungeon; `pages` as of a duel, `chance`: of the heroes to win this room."""
    blows = _Blows.of(pages[-1] if pages else ())
    foes = state.foes
    heroes = tuple(hero.critter for hero in state.heroes)
    everybody = heroes + (() if foes is None else foes.met.critters)
    rows = [
        _with_experience(blows.row(number, hero.critter, hero.hp, everybody, f"Hero {number + 1}"), hero)
        for number, hero in enumerate(state.heroes)
    ]
    left = _side("Heroes", rows, chance)
    right = None
    if foes is not None and state.phase is Phase.FIGHT:
        monsters = [
            blows.row(len(heroes) + number, critter, points, everybody, f"Monster {number + 1}")
            for number, (critter, points) in enumerate(zip(foes.met.critters, foes.hp, strict=True))
        ]
        right = _side(_MONSTERS, monsters, None if chance is None else 1 - chance)
    title, aside = _dungeon_title(state)
    notes = dungeon_notes(state, [event for page in pages for event in page]) if state.ending is not None else ()
    return FightCard(title=title, aside=aside, left=left, right=right, rough=True, notes=notes)


def _dungeon_title(state: DungeonState) -> tuple[str, str]:
    """Return the title and what stands beside it."""
    rooms = state.setup.rooms
    if state.ending is Ending.RETREAT:
        return f"Home after room {state.room}", f"of {rooms}"
    if state.ending is not None:
        won = f"All {rooms} rooms won" if rooms > 1 else "The dungeon is won"
        return won if state.alive else f"Lost in room {state.room} of {rooms}", f"level {state.setup.level}"
    if not state.room:
        return "At the gate", f"{rooms} {'room' if rooms == 1 else 'rooms'}, level {state.setup.level}"
    aside = f"round {state.round}" if state.round else ""
    return f"Room {state.room} of {rooms}", "won" if state.phase is Phase.CLEARED else aside


def _with_experience(row: HealthRow, hero: Hero) -> HealthRow:
    if row.gone or not hero.experience:
        return row
    return row.model_copy(update={"figures": f"{row.figures} · {hero.experience:,} XP"})


def _side(name: str, rows: Sequence[HealthRow], chance: float | None) -> FightSide:
    # Those who still fight come first if there are too many to show.
    order = sorted(range(len(rows)), key=lambda at: rows[at].gone)
    shown = tuple(rows[at] for at in sorted(order[:MAX_ROWS]))
    return FightSide(name=name, rows=shown, chance=chance, more=len(rows) - len(shown))


@dataclass
class _Blows:
    """Of the last page: damage taken, and who killed whom."""

    damage: dict[int, int] = field(default_factory=dict)
    killer: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[object]) -> "_Blows":
        blows = cls()
        for event in events:
            if isinstance(event, Struck) and event.damage:
                blows.damage[event.target] = blows.damage.get(event.target, 0) + event.damage
                if not event.left:
                    blows.killer[event.target] = event.who
        return blows

    def row(self, number: int, critter: Critter, left: int, everybody: Sequence[Critter], instead: str) -> HealthRow:
        killer = self.killer.get(number)
        note = "dead" if killer is None else f"fell to {everybody[killer].name}"
        lost = min(self.damage.get(number, 0), critter.hp - left)
        return HealthRow.of(critter.name, left, critter.hp, lost, note, instead)


def _first_chances(state: DuelState) -> Chances | None:
    """Return the chances that groups had before a fight that is over; None for one against one."""
    if state.ending is None or len(state.setup.critters) == 2:  # noqa: PLR2004 - its notes have exact chances
        return None
    return _duel_chances(Duel().begin(state.setup))


def _duel_chances(state: DuelState) -> Chances | None:
    """Return the chances from here; None if the duel is over, if it can never end, or if they take long."""
    if state.ending is not None:
        return None
    if _has_morale(state):
        return _morale_chances(state)
    first, second = (
        tuple(state.setup.critters[number].model_copy(update={"hp": state.hp[number]}) for number in group)
        for group in state.living
    )
    try:
        request = DuelOddsRequest(group1=first, group2=second, battles=MIN_BATTLES)
        if request.cost() > ODDS_SECONDS:
            return None
        odds = request.run()
    except RuleError:
        return None
    return Chances(odds.p_win_first, odds.p_win_second, rough=odds.method == "simulated")


def _has_morale(state: DuelState) -> bool:
    return state.setup.morale and len(state.setup.critters) > 2  # noqa: PLR2004 - one alone has nobody's fall to fear


def _morale_chances(state: DuelState) -> Chances | None:
    """Return the chances from here if morale matters, from fights played out by the rules; None as `_duel_chances`."""
    if state.ending is not None or not _has_morale(state):
        return None
    setup = state.setup.model_copy(update={"words": DEFAULT_WORDS, "narrated": False})
    state = state.model_copy(update={"setup": setup, "telling": None})
    return _played_out(Duel(), state, RunDuel(), lambda after: after.winner)


def _room_chance(state: DungeonState) -> float | None:
    """Return the heroes' chance to win this room; None outside a fight, or if it takes long."""
    if state.phase is not Phase.FIGHT:
        return None
    setup = state.setup.model_copy(update={"words": DEFAULT_WORDS})
    state = state.model_copy(update={"setup": setup, "telling": None})
    chances = _played_out(Dungeon(), state, Run(), lambda after: GROUP_1 if after.alive else GROUP_2)
    return None if chances is None else chances.first


def _played_out(
    rules: RuleBook[Any, StateT, NamedActionT, Any],
    state: StateT,
    run: NamedActionT,
    winner: Callable[[StateT], str | None],
) -> Chances | None:
    """Return the chances from fights played out by the rules; None if they take too many turns."""
    wins = {GROUP_1: 0, GROUP_2: 0}
    turns = 0
    for number in range(_TRIES):
        step = rules.step(state, run, "", SeededDice(_LOOK_AHEAD, number))
        turns += sum(len(event.order) for event in step.events if isinstance(event, RoundBegan))
        if turns > _MOST_TURNS:
            return None
        won = winner(step.state)
        if won is not None:
            wins[won] += 1
    return Chances(wins[GROUP_1] / _TRIES, wins[GROUP_2] / _TRIES, rough=True)
