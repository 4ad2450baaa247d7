"""Cards of duels and dungeons while they are fought: hit points, what the last page cost, and the chances from here."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sim.core.cards.values import MAX_ROWS, DrawnCard, FightCard, FightSide, HealthRow
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.values import Request
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import GROUP_1, Struck
from sim.duel.battle.values import Event as DuelEvent
from sim.duel.battle.values import State as DuelState
from sim.duel.critter import Critter
from sim.duel.dungeon.rules import Dungeon
from sim.duel.dungeon.values import Event as DungeonEvent
from sim.duel.dungeon.values import Phase, Run
from sim.duel.dungeon.values import State as DungeonState
from sim.duel.reports import DuelOdds
from sim.duel.requests import MIN_BATTLES, DuelOddsRequest

_ODDS_SECONDS = 0.15
_TRIES = 100
"""Rooms played out for a chance, to some points."""

_LOOK_AHEAD = b"chances from here"


class DuelCardRequest(Request):
    """Draws the card of a duel from its stored state and the events of its last page, as JSON."""

    max_seconds = 0.5

    state_json: str
    events_json: tuple[str, ...] = ()

    def run(self) -> DrawnCard:
        """Return the card."""
        from sim.core.cards.fight import draw_fight  # noqa: PLC0415  # loads Pillow

        rules = Duel()
        state: DuelState = rules.states.read_json(self.state_json)
        events = [rules.events.read(event) for text in self.events_json for event in json.loads(text)]
        return draw_fight(duel_card(state, events, _duel_odds(state)))


class DungeonCardRequest(Request):
    """Draws the card of a dungeon from its stored state and the events of its last page, as JSON."""

    max_seconds = 0.5

    state_json: str
    events_json: tuple[str, ...] = ()

    def run(self) -> DrawnCard:
        """Return the card."""
        from sim.core.cards.fight import draw_fight  # noqa: PLC0415  # loads Pillow

        rules = Dungeon()
        state: DungeonState = rules.states.read_json(self.state_json)
        events = [rules.events.read(event) for text in self.events_json for event in json.loads(text)]
        return draw_fight(dungeon_card(state, events, _room_chance(state)))


def duel_card(state: DuelState, events: Iterable[DuelEvent], odds: DuelOdds | None) -> FightCard:
    """Return the card of a duel."""
    blows = _Blows.of(events)
    critters = state.setup.critters
    size = len(state.setup.group1)
    rows = [
        blows.row(number, critter, points, critters, f"Fighter {number + 1}")
        for number, (critter, points) in enumerate(zip(critters, state.hp, strict=True))
    ]
    chances = (None, None) if odds is None else (odds.p_win_first, odds.p_win_second)
    sides = [
        _side(group[0].name if len(group) == 1 else f"Group {number}", part, chance)
        for number, (group, part, chance) in enumerate(
            zip((state.setup.group1, state.setup.group2), (rows[:size], rows[size:]), chances, strict=True), start=1
        )
    ]
    title = f"Round {state.round}" if state.round else "Before the fight"
    aside = "" if odds is None else "chances from here"
    if state.ending is not None:
        title = "Nobody wins" if state.winner is None else f"{sides[0 if state.winner == GROUP_1 else 1].name} wins"
        aside = _after(state.round)
    rough = odds is not None and odds.method == "simulated"
    return FightCard(title=title, aside=aside, left=sides[0], right=sides[1], rough=rough)


def dungeon_card(state: DungeonState, events: Iterable[DungeonEvent], chance: float | None) -> FightCard:
    """Return the card of a dungeon; `chance`: of the heroes to win this room."""
    blows = _Blows.of(events)
    foes = state.foes
    heroes = tuple(hero.critter for hero in state.heroes)
    everybody = heroes + (() if foes is None else foes.met.critters)
    rows = [
        blows.row(number, hero.critter, hero.hp, everybody, f"Hero {number + 1}")
        for number, hero in enumerate(state.heroes)
    ]
    left = _side("Heroes", rows, chance)
    right = None
    if foes is not None and state.phase is Phase.FIGHT:
        monsters = [
            blows.row(len(heroes) + number, critter, points, everybody, f"Monster {number + 1}")
            for number, (critter, points) in enumerate(zip(foes.met.critters, foes.hp, strict=True))
        ]
        right = _side("Monsters", monsters, None if chance is None else 1 - chance)
    title = f"Room {state.room} of {state.setup.rooms}" if state.room else "At the gate"
    aside = f"round {state.round}" if state.phase is Phase.FIGHT and state.round else ""
    if state.phase is Phase.CLEARED:
        aside = "cleared"
    elif state.phase is Phase.OVER:
        aside = "over"
    return FightCard(title=title, aside=aside, left=left, right=right, rough=True)


def _side(name: str, rows: Sequence[HealthRow], chance: float | None) -> FightSide:
    # The living come first if there are too many to show.
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
        note = "dead" if killer is None else f"killed by {everybody[killer].name}"
        lost = min(self.damage.get(number, 0), critter.hp - left)
        return HealthRow.of(critter.name, left, critter.hp, lost, note, instead)


def _after(rounds: int) -> str:
    return f"after {rounds} {'round' if rounds == 1 else 'rounds'}"


def _duel_odds(state: DuelState) -> DuelOdds | None:
    """Return the odds from here; None if the duel is over, if it can never end, or if they take long."""
    if state.ending is not None:
        return None
    first, second = (
        tuple(state.setup.critters[number].model_copy(update={"hp": state.hp[number]}) for number in group)
        for group in state.living
    )
    try:
        request = DuelOddsRequest(group1=first, group2=second, battles=MIN_BATTLES)
        return request.run() if request.cost() <= _ODDS_SECONDS else None
    except RuleError:
        return None


def _room_chance(state: DungeonState) -> float | None:
    """Return the heroes' chance to win this room, from rooms played out; None outside a fight, or if they take long."""
    rules, run = Dungeon(), Run()
    if state.phase is not Phase.FIGHT or _TRIES * rules.cost(state, run) / 10 > _ODDS_SECONDS:
        return None
    won = 0
    for number in range(_TRIES):
        after = rules.step(state, run, "", SeededDice(_LOOK_AHEAD, number)).state
        won += bool(after.alive) and after.phase is not Phase.FIGHT
    return won / _TRIES
