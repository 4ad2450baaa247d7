"""Cards of Marked for Death: the odds of a battle, and a battle while it is fought."""

from collections.abc import Iterable, Sequence

from sim.core.cards.values import MAX_ROWS, FightCard, FightSide, HealthRow
from sim.core.numbers import rounded_percent
from sim.marked_for_death.battle.values import Combatant, Event, Fell, Fought, State
from sim.marked_for_death.reports import FighterOdds, OddsReport
from sim.marked_for_death.roster import Camp


def odds_card(report: OddsReport) -> FightCard:
    """Return the card of the odds: both sides' chances, and how likely each fighter survives."""
    exact = report.method == "exact"
    chances = {Camp.HEROES: report.p_heroes, Camp.VILLAINS: report.p_villains}
    ahead = max(chances, key=lambda camp: chances[camp])
    nobody = report.p_both_fall + report.p_undecided
    subject, chance = (ahead.title(), chances[ahead]) if chances[ahead] >= nobody else ("Nobody", nobody)
    verb = "wins" if subject == "Nobody" else "win"
    left, right = (_survival(report, camp, chances[camp], exact=exact) for camp in Camp)
    return FightCard(
        title=f"{subject} {verb} {rounded_percent(chance, exact=exact)} of the time",
        aside="who survives",
        left=left,
        right=right,
    )


def _survival(report: OddsReport, camp: Camp, chance: float, *, exact: bool) -> FightSide:
    present = sorted(
        (fighter for fighter in report.side(camp) if not fighter.sits_out), key=lambda fighter: -fighter.p_survives
    )
    rows = tuple(_survivor(fighter, exact=exact) for fighter in present[:MAX_ROWS])
    return FightSide(name=camp.title(), rows=rows, chance=min(1.0, chance), more=len(present) - len(rows))


def _survivor(fighter: FighterOdds, *, exact: bool) -> HealthRow:
    share = min(1.0, fighter.p_survives)
    return HealthRow(name=fighter.name, left=share, figures=rounded_percent(share, exact=exact))


def battle_card(state: State, events: Sequence[Event], odds: OddsReport | None) -> FightCard:
    """Return the card of a battle: hit points, what the last round cost, who fell to whom, the chances from here."""
    before, fell = _last_round(events)
    sides = []
    for camp in Camp:
        force = state.force(camp)
        rows = [_row(camp, number, combatant, before, fell) for number, combatant in enumerate(force, start=1)]
        # Who was just hurt comes first, the long dead last.
        order = sorted(range(len(rows)), key=lambda at: (rows[at].gone and not rows[at].lost, not rows[at].lost))
        chosen = sorted(order[:MAX_ROWS])
        chance = None if odds is None else min(1.0, odds.p_heroes if camp is Camp.HEROES else odds.p_villains)
        shown = tuple(rows[at] for at in chosen)
        sides.append(FightSide(name=camp.title(), rows=shown, chance=chance, more=len(rows) - len(shown)))
    title = f"Round {state.round}" if state.round else "Before round 1"
    aside = "" if odds is None else "chances from here"
    if state.ending is not None:
        title = "Nobody wins" if state.winner is None else f"{state.winner.title()} win"
        aside = f"after {state.round} {'round' if state.round == 1 else 'rounds'}"
    rough = odds is not None and odds.method == "simulated"
    return FightCard(title=title, aside=aside, left=sides[0], right=sides[1], rough=rough)


Fallen = dict[tuple[Camp, str], str]
"""What became of a fighter, in a few words."""


def _last_round(events: Iterable[Event]) -> tuple[dict[tuple[Camp, str], int], Fallen]:
    """Return the hit points at the beginning of the last round, and what became of those who fell."""
    before: dict[tuple[Camp, str], int] = {}
    fell: Fallen = {}
    for event in events:
        if isinstance(event, Fought):
            before = {(camp, name): hp for camp in Camp for name, hp in event.fighters(camp)}
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
        instead=f"{camp.title().removesuffix('s')} {number}",
    )
