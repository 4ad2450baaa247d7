"""Rules of the battle: a referee fights it round by round and may change the sides in between; its log."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from sim.core.battle import CLOCK, REFEREE, IllegalActionError, LegalAction, RuleBook
from sim.core.names import listed, name_key
from sim.core.numbers import quantity
from sim.core.values import Ending, Paused
from sim.marked_for_death import battle as v
from sim.marked_for_death.battle import runner as r
from sim.marked_for_death.battle.campaign import RosterCampaign
from sim.marked_for_death.roster import MAX_FIGHTERS, Buff, Camp, Fighter, Roster, index_by_key, trimmed
from sim.marked_for_death.stats import SITS_OUT, FighterCard
from sim.marked_for_death.tables import BONUS_HP, FIELDS, NAME


def roster_changes(before: Roster, after: Roster) -> tuple[str, ...]:
    """Return a sentence for each fighter that `after` adds, removes or changes; the order of rows doesn't matter."""
    known = {fighter.key: fighter for fighter in before.fighters}
    found = []
    for fighter in after.fighters:
        old = known.pop(fighter.key, None)
        if old is None:
            found.append(f"{fighter.name} joins with {fighter.hp} HP.")
        elif changes := list(_fighter_changes(old, fighter)):
            found.append(f"{fighter.name}: {', '.join(changes)}.")
    return (*found, *(f"{fighter.name} is gone." for fighter in known.values()))


def _reinforce(runner: r.RosterRunner, action: v.Reinforce) -> None:
    changes = roster_changes(v.current_roster(runner.state, action.camp), action.roster)
    if not changes:
        raise IllegalActionError("This roster changes nothing.")
    runner.change(**{f"{action.camp}_spare": action.roster.spare_buffs})
    runner.put(action.camp, r.combatants(action.roster), v.Changed(camp=action.camp, changes=changes))


def _amend(runner: r.RosterRunner, action: v.Amend) -> None:
    """Change, rename or add a fighter."""
    fighters = v.current_roster(runner.state, action.camp).fighters
    by_key = index_by_key(fighters)
    at = by_key.get(action.fighter.key)
    if action.replaces is not None:
        old = by_key.get(name_key(action.replaces))
        if old is None:
            raise IllegalActionError(f"The {action.camp} have no fighter called {action.replaces}.")
        if at not in {None, old}:
            raise IllegalActionError(f"The {action.camp} already have a fighter called {action.fighter.name}.")
        if at is None:
            _rename(runner, action.camp, old, action.fighter)
            return
    if at is None and len(fighters) == MAX_FIGHTERS:
        raise IllegalActionError(f"The {action.camp} already have {MAX_FIGHTERS} fighters, the most allowed.")
    new = v.Combatant(fighter=action.fighter, hp=action.fighter.hp)
    place = len(fighters) if at is None else at
    after = (*fighters[:place], action.fighter, *fighters[place + 1 :])
    changes = roster_changes(Roster(fighters=fighters), Roster(fighters=after))
    if not changes:
        raise IllegalActionError("This changes nothing.")
    force = runner.state.side(action.camp)
    runner.put(action.camp, (*force[:place], new, *force[place + 1 :]), v.Changed(camp=action.camp, changes=changes))


def _rename(runner: r.RosterRunner, camp: Camp, at: int, new: Fighter) -> None:
    """Change and rename the fighter at `at`; fighters that name it follow."""
    side = runner.state.side(camp)
    old = v.current_fighter(side[at])
    force = [combatant.model_copy(update={"fighter": _renamed(combatant.fighter, old, new.name)}) for combatant in side]
    force[at] = v.Combatant(fighter=_renamed(new, old, new.name), hp=new.hp)
    changes = ", ".join(_fighter_changes(_renamed(old, old, new.name), force[at].fighter))
    sentence = f"{old.name} is now called {new.name}{f': {changes}' if changes else ''}."
    runner.put(camp, force, v.Changed(camp=camp, changes=(sentence,)))


def _renamed(fighter: Fighter, old: Fighter, name: str) -> Fighter:
    """Return a fighter in whose row `name` stands for `old`, as its own name and wherever it is named."""

    def follow(other: str) -> str:
        return name if name_key(other) == old.key else other

    return fighter.model_copy(
        update={
            "name": follow(fighter.name),
            "bodyguard_for": fighter.bodyguard_for and follow(fighter.bodyguard_for),
            "linked_to": fighter.linked_to and follow(fighter.linked_to),
            "buffs": tuple(
                buff.model_copy(update={"who": tuple(dict.fromkeys(map(follow, buff.who)))}) for buff in fighter.buffs
            ),
        }
    )


def _pull_out(runner: r.RosterRunner, action: v.PullOut) -> None:
    if runner.seat in set(Camp) - {action.camp}:
        raise IllegalActionError(f"You lead the {runner.seat}: you can pull out only them.")
    force = runner.state.side(action.camp)
    key = name_key(action.name)
    found = next((combatant for combatant in force if combatant.fighter.key == key), None)
    if found is None:
        raise IllegalActionError(f"Nobody among the {action.camp} is called {action.name}.")
    if not found.stands:
        raise IllegalActionError(f"{found.fighter.name} isn't standing.")
    left = tuple(combatant for combatant in force if combatant is not found)
    if not any(combatant.stands for combatant in left):
        raise IllegalActionError(f"{found.fighter.name} is the last of the {action.camp} standing.")
    led = runner.seat != REFEREE
    runner.put(action.camp, left, v.PulledOut(camp=action.camp, name=found.fighter.name, hp=found.hp, led=led))


def _fighter_changes(old: Fighter, new: Fighter) -> Iterator[str]:
    if old.name != new.name:
        yield f"written {old.name} before"
    if old.hp != new.hp:
        change = "healed" if new.hp > old.hp else "weakened"
        if new.hp <= 0:
            change = "out of the fight"
        elif old.hp <= 0:
            change = "back in the fight"
        yield f"{change}, HP {old.hp} → {new.hp}"
    for column, field in FIELDS.items():
        was, now = getattr(old, field), getattr(new, field)
        if was != now and column not in {NAME, BONUS_HP}:
            yield f"{column} {_value_text(was)} → {_value_text(now)}"
    if old.buffs != new.buffs:
        yield f"buffs {_buffs_text(old.buffs)} → {_buffs_text(new.buffs)}"


def _value_text(value: object) -> str:
    if value is None:
        return "no one"
    return str(trimmed(value) if isinstance(value, Decimal) else value)


def _buffs_text(buffs: tuple[Buff, ...]) -> str:
    text = "; ".join(
        f"{buff.name or 'without a name'} for {', '.join(buff.who) or 'nobody'} ({buff.offense:+}, {buff.defense:+})"
        for buff in buffs
    )
    return text or "none"


class RosterBattle(RuleBook[v.Setup, v.State, v.Action, v.Event]):
    """The battle of two rosters, run by a referee; where the sides are led, each leader fights and pulls out, too."""

    name = "mfd-battle"
    rules = 1
    seats = (*(camp.value for camp in Camp), REFEREE, CLOCK)
    campaign = RosterCampaign()
    runner = r.RosterRunner
    steps: ClassVar[Mapping[str, Callable[[r.RosterRunner, Any], None]]] = {
        "next-round": lambda runner, _: runner.fight(),
        "run": lambda runner, action: runner.run(action.rounds),
        "reinforce": _reinforce,
        "amend": _amend,
        "pull-out": _pull_out,
    }
    throws = staticmethod(r.throws)

    def begin(self, setup: v.Setup) -> v.State:
        """Return the state before the first round, already over if a side has nobody with HP."""
        state = v.State(
            heroes=r.combatants(setup.heroes),
            villains=r.combatants(setup.villains),
            heroes_spare=setup.heroes.spare_buffs,
            villains_spare=setup.villains.spare_buffs,
            max_rounds=setup.max_rounds,
            led=setup.led,
        )
        r.check_round_size(state)
        return r.with_ending(state)

    def legal(self, state: v.State) -> tuple[LegalAction[v.Action], ...]:
        """Return the legal actions."""
        if state.ending is not None:
            return ()
        judge = (REFEREE,)
        seats = (*(camp.value for camp in Camp), *judge) if state.led else judge
        return (
            LegalAction("next-round", "Next round", (*seats, CLOCK), v.NextRound()),
            LegalAction("run-out", "Fight to the end", seats, v.Run()),
            LegalAction("run", "Fight some rounds", judge, None),
            LegalAction("reinforce", "Change a roster", judge, None),
            LegalAction("amend", "Change a fighter", judge, None),
            LegalAction("pull-out", "Pull a fighter out", seats, None),
        )

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return a rough upper bound on the seconds that `apply` takes."""
        size = r.max_round_size(state)
        if isinstance(action, v.NextRound):
            return size.seconds
        if not isinstance(action, v.Run):
            return r.RoundSize(size.fighters, 0, 0).seconds
        rounds = min(action.rounds or r.ROUNDS_PER_STEP, r.ROUNDS_PER_STEP)
        # The last round may exceed the limits of a step.
        step = r.RoundSize(r.RECORDS_PER_STEP, r.RECORDS_PER_STEP, r.DICE_PER_STEP).seconds + size.seconds
        return min(rounds * size.seconds, step)

    def legal_name(self, action: v.Action) -> str:
        """Return the name of the legal action: only a referee counts the rounds of a run."""
        return "run-out" if action == v.Run() else action.do

    def lines(self, events: tuple[v.Event, ...]) -> list[str]:
        """Return the log of `events`; what is within a round is indented by two spaces."""
        return [line for event in events for line in _event_lines(event)]


_MAX_NAMED = 10
"""The most survivors that the last line names; it counts more."""


def _event_lines(event: v.Event) -> Iterator[str]:
    match event:
        case v.Started():
            for camp in Camp:
                yield f"The {camp}:"
                yield from (f"  {card_line(card)}" for card in event.side(camp))
        case v.Fought():
            yield from _round_lines(event)
        case v.Fell(linked_to=str(leader)):
            yield f"  {event.name} falls with {leader}"
        case v.Fell(by=by):
            yield f"  {listed(by)} {'takes' if len(by) == 1 else 'take'} down {event.name} ({event.hp} HP)"
        case v.Changed():
            yield f"The referee changes the {event.camp}:"
            yield from (f"  {change}" for change in event.changes)
        case v.PulledOut():
            own, called = f"{event.name} leaves", f"The referee takes {event.name} out of"
            yield f"{own if event.led else called} the {event.camp}, with {event.hp} HP."
        case Paused():
            yield f"{_count(event.rounds, 'round')} fought, and the battle goes on."
        case v.Ended():
            yield ending_line(event)


def card_line(card: FighterCard) -> str:
    """Return a fighter's line, marked if it sits out."""
    return card.line() if card.hp > 0 else card.line() + SITS_OUT


def _round_lines(event: v.Fought) -> Iterator[str]:
    yield f"Round {event.number}: {' against '.join(_numbers(event))}"
    hp = {camp: [fighter[1] for fighter in event.side(camp)] for camp in Camp}
    for camp in Camp:
        own, other, left = event.side(camp), event.side(camp.other), hp[camp.other]
        for attacker, drawn, struck, hits, blocks in event.attacks(camp):
            target = other[drawn][0] if struck == drawn else f"{other[drawn][0]}, but {other[struck][0]} steps in"
            result = "no damage"
            if hits > blocks:
                before, left[struck] = left[struck], left[struck] - hits + blocks
                result = f"{hits - blocks} damage, HP {before} → {left[struck]}"
            yield f"  {own[attacker][0]} attacks {target}: {_count(hits, 'hit')}, {_count(blocks, 'block')}: {result}"


def ending_line(end: v.Ended) -> str:
    """Return the line that ends a battle: winner and survivors."""
    after = f" after {_count(end.rounds, 'round')}" if end.rounds else ""
    if end.winner is not None:
        stand = [f"{name} ({hp} HP)" for name, hp in end.heroes or end.villains]
        standing = "stands" if len(stand) == 1 else "stand"
        return f"The {end.winner} win{after}: {listed(stand) if len(stand) <= _MAX_NAMED else len(stand)} {standing}"
    if end.ending is Ending.MUTUAL:
        return f"Both sides are gone{after}: nobody wins"
    return f"Undecided{after}{', the limit' if after else ''}: {' and '.join(_numbers(end))} stand"


def _numbers(event: v.Fought | v.Ended) -> tuple[str, str]:
    return quantity(len(event.heroes), "hero", "heroes"), quantity(len(event.villains), "villain")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
