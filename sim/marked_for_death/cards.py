"""Cards of Marked for Death: a checked roster, the odds of a battle, and a battle while it is fought."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from typing_extensions import override

from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, FightCard, SheetCard
from sim.core.numbers import ROUNDING, about_rounds, quantity
from sim.core.values import Ending
from sim.marked_for_death import battle as b
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.odds import OddsRequest
from sim.marked_for_death.reports import CheckReport, OddsReport
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import Bonds, FighterCard
from sim.marked_for_death.tokens import Best, Token, TokenCard, TokenSide

_EVEN = 0.5
_SMALLEST = 0.01
"""The smallest chance beside the title."""
_MAX_END_LETTERS = 40  # of six names beside who did most and the notes: a card has at most 30 KB
_MAX_LONG_ROWS = 5  # with longer names
_CARD_BATTLES = 2_000  # a chance to two points
_CARD_ODDS_SECONDS = 1.0  # estimated, and that several times too high
_CARD_STEPS = 3  # the last ones, whose events a card has while the battle goes on
_MAX_EVENTS = 500_000  # characters of a battle's events that its last card is drawn from
_MAX_LIVE_EVENTS = 30_000  # the same while the battle goes on
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
        notes=(" · ".join([*chances, *filter(None, [about_rounds(report.mean_rounds)])]),),
    )


def _survival(report: OddsReport, camp: Camp, chance: float) -> v.FightSide:
    present = [(number, one) for number, one in enumerate(report.side(camp), start=1) if not one.sits_out]
    present.sort(key=lambda numbered: -numbered[1].p_survives)
    rows = tuple(
        v.HealthRow(
            name=one.name,
            left=one.p_survives,
            figures=report.percent(one.p_survives),
            instead=_nameless(camp, number),
        )
        for number, one in present[: v.MAX_ROWS]
    )
    # What a simulation never saw may happen all the same.
    doubt = 0.0 if report.method == "exact" else ROUNDING
    chance = min(max(chance, doubt), 1 - doubt)
    return v.FightSide(name=camp.title(), rows=rows, chance=chance, more=len(present) - len(rows))


def _nameless(camp: Camp, number: int) -> str:
    """Return what stands for a name that no font can draw."""
    return f"{camp.title().removesuffix('s')} {number}"


def check_card(report: CheckReport, name: str) -> SheetCard:
    """Return the card of a checked roster called `name`: every fighter's hit points and experience."""
    fighters = report.cards
    shown = fighters[: v.MAX_SHEET_ROWS]
    most = max(card.hp for card in fighters)
    return SheetCard(
        title=name[: v.MAX_LINE],
        aside=quantity(len(report.warnings), "warning") if report.warnings else "no warnings",
        facts=(
            v.Fact(label="Fighters", figure=f"{len(fighters):,}"),
            v.Fact(label="Hit points", figure=f"{sum(max(0, card.hp) for card in fighters):,}"),
            v.Fact(label="Total XP", figure=f"{sum(card.total_xp for card in fighters):,}"),
        ),
        rows=tuple(_checked(number, card, most) for number, card in enumerate(shown, start=1)),
        more=len(fighters) - len(shown),
    )


def _checked(number: int, card: FighterCard, most: int) -> v.HealthRow:
    fights = card.hp > 0
    return v.HealthRow(
        name=card.name,
        left=card.hp / most if fights else 0.0,
        figures=f"{card.hp:,} HP · {card.total_xp:,} XP" if fights else "sits out",
        instead=f"Fighter {number}",
        gone=not fights,
    )


def battle_card(
    state: b.State, events: Sequence[b.Event], odds: OddsReport | None, course: Sequence[v.Chances] = ()
) -> TokenCard:
    """Return the card of a battle: everyone's hit points, what the last round cost, who fell to whom, the chances.

    At its end also who took down most, for all events, and what the `course` of the chances says.
    """
    chances = (None, None) if odds is None else (odds.p_heroes, odds.p_villains)
    heroes, villains = (_side(camp, state, events, chance) for camp, chance in zip(Camp, chances, strict=True))
    title = f"Round {state.round}" if state.round else "Before round 1"
    ends = {} if odds is None else odds.ends
    rest = (
        f"{end} {100 * chance:.0f}%" for end, chance in ends.items() if end not in set(Camp) and chance >= _SMALLEST
    )
    aside = " · ".join(rest)
    if state.ending is not None:
        drawn = "Both sides fall" if state.ending is Ending.MUTUAL else "Undecided"
        title = f"{state.winner.title()} win" if state.winner else drawn
        aside = f"after {quantity(state.round, 'round')}" if state.round else ""
    return TokenCard(
        title=title,
        aside=aside,
        sides=(heroes, villains),
        best=None if state.ending is None else _best(state, events),
        notes=() if state.ending is None else tuple(_luck(state.winner, course)),
    )


def _side(camp: Camp, state: b.State, events: Sequence[b.Event], chance: float | None) -> TokenSide:
    force = state.side(camp)
    last = next((event for event in reversed(events) if isinstance(event, b.Fought)), None)
    before = {} if last is None else dict(last.side(camp))
    fates = {event.name: _fate(event) for event in events if isinstance(event, b.Fell) and event.camp is camp}
    tokens = [_token(one, _nameless(camp, number), before, fates) for number, one in enumerate(force, start=1)]
    # Who was just hurt comes first, the long dead last.
    order = sorted(range(len(tokens)), key=lambda at: (tokens[at].is_out and not tokens[at].lost, not tokens[at].lost))
    letters = sum(len(tokens[at].name) for at in order[: v.MAX_ROWS])
    most = v.MAX_ROWS if state.ending is None or letters <= _MAX_END_LETTERS else _MAX_LONG_ROWS
    chosen: dict[int | None, int] = {at: place for place, at in enumerate(sorted(order[:most]))}
    bonds = Bonds.of([combatant.fighter for combatant in force])
    bound = chosen if state.ending is None else {}
    rows = tuple(
        token.model_copy(update={"guards": bound.get(bonds.guarded[at]), "follows": bound.get(bonds.linked[at])})
        for at, token in enumerate(tokens)
        if at in chosen
    )
    return TokenSide(name=camp.title(), rows=rows, more=len(tokens) - len(rows), chance=chance)


def _token(one: b.Combatant, instead: str, before: Mapping[str, int], fates: Mapping[str, str]) -> Token:
    """Return a fighter's token; `before`, `fates`: hit points at the beginning of the last round, and who fell how."""
    name, most = one.fighter.name, max(one.fighter.hp, one.hp, 1)
    return Token(
        name=name,
        instead=instead,
        hp=one.hp,
        most=most,
        lost=max(0, min(most, before.get(name, one.hp)) - max(0, one.hp)),
        fate="sits out" if one.fighter.hp <= 0 else fates.get(name, "fallen"),
    )


def _luck(winner: Camp | None, course: Sequence[v.Chances]) -> Iterator[str]:
    """Yield how likely the winners were to win, and which round decided it."""
    if winner is None or not course:
        return
    chance = course[0][list(Camp).index(winner)]
    favored, known = chance >= _EVEN, v.rough_percent(chance)
    had = f"{winner} were {known} favorites" if favored else f"{winner} had {known}"
    start = v.verdict(chance, "")
    yield f"{start}: {had}" if start else f"{had[:1].upper()}{had[1:]}"
    if decisive := v.decisive_round(course):
        yield f"Round {decisive} decided it"


def complete(events: Sequence[b.Event]) -> bool:
    """Return whether these are all events of a battle, from its beginning on."""
    return any(isinstance(event, b.Started) for event in events)


def _best(state: b.State, events: Sequence[b.Event]) -> Best | None:
    """Return who took down most, the first of several, if that is known and more than one."""
    counts = Counter((event.camp.other, name) for event in events if isinstance(event, b.Fell) for name in event.by)
    if not counts or not complete(events):
        return None
    (camp, name), most = counts.most_common(1)[0]
    force = [one.fighter.name for one in state.side(camp)]
    if most <= 1 or name not in force:
        return None
    instead = _nameless(camp, force.index(name) + 1)
    return Best(name=name, instead=instead, side=list(Camp).index(camp), takedowns=most)


def course_states(state: b.State, events: Sequence[b.Event]) -> Iterator[b.State]:
    """Yield the state at the beginning of each round of a battle whose referee changed nothing."""
    for event in events:
        if isinstance(event, b.Fought):
            fought, sides = event.number - 1, {}
            for camp in Camp:
                hp = dict(event.side(camp))
                sides[camp.value] = tuple(
                    one.model_copy(update={"hp": hp.get(one.fighter.name, 0), "fought": fought})
                    for one in state.side(camp)
                )
            yield state.model_copy(update={"round": fought, **sides})


def _fate(event: b.Fell) -> str:
    if not event.by:
        return "fallen" if event.linked_to is None else f"with {event.linked_to}"
    first, *others = event.by
    return f"by {first} +{len(others)}" if others else f"by {first}"


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
        state: b.State = rules.states.read_json(self.state_json)
        events = rules.events.read_lists(self.events_json)
        if state.ending is not None:
            return battle_card(state, events, None, _course(state, events) if self.engines else ()).draw()
        odds = _odds_from(state, _CARD_BATTLES) if self.engines else None
        known = odds is not None and odds.cost() <= _CARD_ODDS_SECONDS
        return battle_card(state, events, odds.run() if odds is not None and known else None).draw()


def panel_card(state: b.State, state_json: str, events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a battle, see `sim.jobs.replay_page`; of a long one it has the last rounds only."""
    whole = sum(map(len, events_json)) <= (_MAX_LIVE_EVENTS if state.ending is None else _MAX_EVENTS)
    shown = events_json if whole else events_json[-_CARD_STEPS:]
    return BattleCardRequest(state_json=state_json, events_json=tuple(shown))


def _odds_from(state: b.State, battles: int) -> OddsRequest:
    return OddsRequest(
        heroes=b.current_roster(state, Camp.HEROES),
        villains=b.current_roster(state, Camp.VILLAINS),
        max_rounds=None if state.max_rounds is None else state.max_rounds - state.round,
        battles=battles,
    )


def _course(state: b.State, events: Sequence[b.Event]) -> tuple[v.Chances, ...]:
    """Return both sides' chances at the beginning of each round and at the end.

    Empty if that takes long, for parts of a battle, and if the referee changed anything.
    """
    if not complete(events) or any(isinstance(event, b.Changed | b.PulledOut) for event in events):
        return ()
    rounds = enumerate(islice(course_states(state, events), _MAX_COURSE + 1))
    # The first has as many battles as the panel's odds before round 1: both say the same.
    requests = [_odds_from(before, _COURSE_BATTLES if at else _CARD_BATTLES) for at, before in rounds]
    if not 0 < len(requests) <= _MAX_COURSE or sum(request.cost() for request in requests) > _COURSE_SECONDS:
        return ()
    odds = [request.run() for request in requests]
    end = (float(state.winner is Camp.HEROES), float(state.winner is Camp.VILLAINS))
    return (*((report.p_heroes, report.p_villains) for report in odds), end)
