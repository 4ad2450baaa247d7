"""Cards of Marked for Death: a checked roster, the odds of a battle, and a battle while it is fought."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from typing_extensions import override

from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, draw_fight
from sim.core.cards.values import (
    MAX_LINE,
    MAX_ROWS,
    MAX_SHEET_ROWS,
    MAX_WIDE_ROWS,
    Chances,
    Fact,
    FightCard,
    FightSide,
    HealthRow,
    SheetCard,
    winners_luck,
)
from sim.core.numbers import ROUNDING, quantity
from sim.core.values import Ending
from sim.marked_for_death.battle.rules import RosterBattle, joined
from sim.marked_for_death.battle.values import (
    Changed,
    Combatant,
    Event,
    Fell,
    Fought,
    PulledOut,
    Started,
    State,
    current_roster,
)
from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.reports import CheckReport, FighterOdds, OddsReport
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import FighterCard

_ENDINGS = {Ending.MUTUAL: "Both sides fall", Ending.ROUND_LIMIT: "Undecided"}
_MAX_BEST = 3
"""Fighters who share a place that are named."""
_SMALLEST = 0.01
"""The smallest chance beside the title."""
_CARD_BATTLES = 2_000  # a chance to two points
_CARD_ODDS_SECONDS = 1.0  # estimated, and that several times too high
_CARD_STEPS = 3  # the last ones, whose events a card has while the battle goes on
_MAX_EVENTS = 500_000  # characters of a battle's events that its last card is drawn from
_MAX_COURSE = 12  # rounds whose chances fit a card
_COURSE_SECONDS = 2.0
_COURSE_BATTLES = 500  # a chance to four points: enough to see which round moved it most


def odds_card(report: OddsReport) -> FightCard:
    """Return the card of the odds: both sides' chances, and how likely each fighter survives."""
    left, right = (
        _survival(report, camp, chance)
        for camp, chance in ((Camp.HEROES, report.p_heroes), (Camp.VILLAINS, report.p_villains))
    )
    others = [end for end in report.ends if end not in set(Camp) and report.ends[end] > 0]
    chances = [f"{end.capitalize()} {report.percent(report.ends[end])}" for end in others]
    return FightCard(
        title=report.headline(),
        aside="who survives",
        left=left,
        right=right,
        notes=(" · ".join([*chances, *filter(None, [report.rounds_text()])]),),
    )


def _survival(report: OddsReport, camp: Camp, chance: float) -> FightSide:
    present = sorted(
        (fighter for fighter in report.side(camp) if not fighter.sits_out), key=lambda fighter: -fighter.p_survives
    )
    rows = tuple(_survivor(report, fighter) for fighter in present[:MAX_ROWS])
    # What a simulation never saw may happen all the same.
    doubt = 0.0 if report.method == "exact" else ROUNDING
    chance = min(max(chance, doubt), 1 - doubt)
    return FightSide(name=camp.title(), rows=rows, chance=chance, more=len(present) - len(rows))


def _survivor(report: OddsReport, fighter: FighterOdds) -> HealthRow:
    share = min(1.0, fighter.p_survives)
    number = 1 + [one.name for one in report.side(fighter.camp)].index(fighter.name)
    return HealthRow(
        name=fighter.name, left=share, figures=report.percent(share), instead=_nameless(fighter.camp, number)
    )


def _nameless(camp: Camp, number: int) -> str:
    """Return what stands for a name that no font can draw."""
    return f"{camp.title().removesuffix('s')} {number}"


def check_card(report: CheckReport, name: str) -> SheetCard:
    """Return the card of a checked roster called `name`: every fighter's hit points and experience."""
    fighters = report.cards
    shown = fighters[:MAX_SHEET_ROWS]
    most = max(card.hp for card in fighters)
    return SheetCard(
        title=name[:MAX_LINE],
        aside=quantity(len(report.warnings), "warning") if report.warnings else "no warnings",
        facts=(
            Fact(label="Fighters", figure=f"{len(fighters):,}"),
            Fact(label="Hit points", figure=f"{sum(max(0, card.hp) for card in fighters):,}"),
            Fact(label="Total XP", figure=f"{sum(card.total_xp for card in fighters):,}"),
        ),
        rows=tuple(_checked(number, card, most) for number, card in enumerate(shown, start=1)),
        wide=len(shown) <= MAX_WIDE_ROWS,
        more=len(fighters) - len(shown),
    )


def _checked(number: int, card: FighterCard, most: int) -> HealthRow:
    fights = card.hp > 0
    return HealthRow(
        name=card.name,
        left=card.hp / most if fights else 0.0,
        figures=f"{card.hp:,} HP · {card.total_xp:,} XP" if fights else "sits out",
        instead=f"Fighter {number}",
        gone=not fights,
    )


def battle_card(
    state: State, events: Sequence[Event], odds: OddsReport | None, course: Sequence[Chances] = ()
) -> FightCard:
    """Return the card of a battle: hit points, what the last round cost, who fell to whom, the chances from here.

    At its end also who took down most, for all events, and the `course` of the chances.
    """
    before, fell = _last_round(events)
    sides = []
    for camp in Camp:
        force = state.side(camp)
        rows = [_row(camp, number, combatant, before, fell) for number, combatant in enumerate(force, start=1)]
        # Who was just hurt comes first, the long dead last.
        order = sorted(range(len(rows)), key=lambda at: (rows[at].gone and not rows[at].lost, not rows[at].lost))
        chosen = sorted(order[:MAX_ROWS])
        chance = None if odds is None else min(1.0, odds.p_heroes if camp is Camp.HEROES else odds.p_villains)
        shown = tuple(rows[at] for at in chosen)
        sides.append(FightSide(name=camp.title(), rows=shown, chance=chance, more=len(rows) - len(shown)))
    title = f"Round {state.round}" if state.round else "Before round 1"
    aside = "" if odds is None else " · ".join([*_neither(odds), "chances from here"])
    if state.ending is not None:
        title = f"{state.winner.title()} win" if state.winner else _ENDINGS.get(state.ending, "Nobody wins")
        aside = f"after {quantity(state.round, 'round')}" if state.round else ""
    rough = odds is not None and odds.method == "simulated"
    luck = [winners_luck(course[0][list(Camp).index(state.winner)])] if state.winner is not None and course else []
    return FightCard(
        title=title,
        aside=aside,
        left=sides[0],
        right=sides[1],
        rough=rough,
        course=tuple(course),
        notes=() if state.ending is None else (*luck, *_takedowns(events)),
    )


def _neither(odds: OddsReport) -> Iterator[str]:
    """Yield how likely neither side wins, by how it ends, in whole percents."""
    for end, chance in odds.ends.items():
        if end not in set(Camp) and chance >= _SMALLEST:
            yield f"{end} {100 * chance:.0f}%"


def complete(events: Sequence[Event]) -> bool:
    """Return whether these are all events of a battle, from its beginning on."""
    return any(isinstance(event, Started) for event in events)


def _takedowns(events: Sequence[Event]) -> Iterator[str]:
    """Yield who took down most, if that is known and more than one."""
    counts = Counter(name for event in events if isinstance(event, Fell) for name in event.by)
    most = max(counts.values(), default=0)
    if most <= 1 or not complete(events):
        return
    names = [name for name, count in counts.items() if count == most]
    if len(names) <= _MAX_BEST:
        yield f"Most takedowns: {joined(names)} ({most}{' each' if len(names) > 1 else ''})"


def course_states(state: State, events: Sequence[Event]) -> Iterator[State]:
    """Yield the state at the beginning of each round of a battle whose referee changed nothing."""
    fought: Counter[tuple[Camp, str]] = Counter()
    for event in events:
        if isinstance(event, Fought):
            forces = {camp: dict(event.side(camp)) for camp in Camp}
            yield state.model_copy(
                update={
                    "round": event.number - 1,
                    **{camp.value: tuple(_then(camp, state, forces[camp], fought)) for camp in Camp},
                }
            )
            fought.update((camp, name) for camp in Camp for name in forces[camp])


def _then(camp: Camp, state: State, hp: Mapping[str, int], fought: Counter[tuple[Camp, str]]) -> Iterator[Combatant]:
    for combatant in state.side(camp):
        name = combatant.fighter.name
        yield combatant.model_copy(update={"hp": hp.get(name, 0), "fought": fought[camp, name]})


Fallen = dict[tuple[Camp, str], str]
"""What became of a fighter, in a few words."""


def _last_round(events: Iterable[Event]) -> tuple[dict[tuple[Camp, str], int], Fallen]:
    """Return the hit points at the beginning of the last round, and what became of those who fell."""
    before: dict[tuple[Camp, str], int] = {}
    fell: Fallen = {}
    for event in events:
        if isinstance(event, Fought):
            before = {(camp, name): hp for camp in Camp for name, hp in event.side(camp)}
        elif isinstance(event, Fell):
            by = event.by[0] if len(event.by) == 1 else f"{len(event.by)} at once"
            fell[event.camp, event.name] = f"fell with {event.linked_to}" if event.linked_to else f"fell to {by}"
    return before, fell


def _row(camp: Camp, number: int, combatant: Combatant, before: dict[tuple[Camp, str], int], fell: Fallen) -> HealthRow:
    name = combatant.fighter.name
    lost = before.get((camp, name), combatant.hp) - max(0, combatant.hp)
    return HealthRow.of(
        name,
        combatant.hp,
        max(combatant.fighter.hp, combatant.hp, 1),
        lost,
        note="sits out" if combatant.fighter.hp <= 0 else fell.get((camp, name), "fallen"),
        instead=_nameless(camp, number),
    )


class BattleCardRequest(CardRequest):
    """Draws the card of a battle from its stored state and the events of its last steps, as JSON.

    It has the chances from here unless they take long.
    """

    max_seconds = 1.0

    state_json: str
    events_json: tuple[str, ...] = ()

    @override
    def draw(self) -> Card:
        rules = RosterBattle()
        state: State = rules.states.read_json(self.state_json)
        events = rules.events.read_lists(self.events_json)
        if state.ending is not None:
            return draw_fight(battle_card(state, events, None, _course(state, events) if self.engines else ()))
        return draw_fight(battle_card(state, events, _odds_of_card(state) if self.engines else None))


def panel_card(state: State, state_json: str, events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a battle, see `sim.jobs.replay_page`; of a long one it has the last rounds only."""
    whole = state.ending is not None and sum(map(len, events_json)) <= _MAX_EVENTS
    shown = events_json if whole else events_json[-_CARD_STEPS:]
    return BattleCardRequest(state_json=state_json, events_json=tuple(shown))


def _odds_of_card(state: State) -> OddsReport | None:
    request = _odds_from(state, _CARD_BATTLES)
    return request.run() if request.cost() <= _CARD_ODDS_SECONDS else None


def _odds_from(state: State, battles: int) -> OddsRequest:
    return OddsRequest(
        heroes=current_roster(state, Camp.HEROES),
        villains=current_roster(state, Camp.VILLAINS),
        max_rounds=None if state.max_rounds is None else state.max_rounds - state.round,
        battles=battles,
    )


def _course(state: State, events: Sequence[Event]) -> tuple[Chances, ...]:
    """Return both sides' chances at the beginning of each round and at the end.

    Empty if that takes long, for parts of a battle, and if the referee changed anything.
    """
    if not complete(events) or any(isinstance(event, Changed | PulledOut) for event in events):
        return ()
    rounds = tuple(islice(course_states(state, events), _MAX_COURSE + 1))
    requests = [_odds_from(before, _COURSE_BATTLES) for before in rounds]
    if not 0 < len(requests) <= _MAX_COURSE or sum(request.cost() for request in requests) > _COURSE_SECONDS:
        return ()
    odds = [request.run() for request in requests]
    end = (float(state.winner is Camp.HEROES), float(state.winner is Camp.VILLAINS))
    return (*((min(1.0, report.p_heroes), min(1.0, report.p_villains)) for report in odds), end)
