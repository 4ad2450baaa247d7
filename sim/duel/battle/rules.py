"""The rules of duels as a battle system; a round of two groups, as in a dungeon, and the luck of its dice.

A step rolls the dice of the fight first, so that the story never changes a fight. Then come the dice of the story: the
viewpoint (d2), the three parts of the site and the text of an opening; the text of a closing; last, in the first step
only, if a message has several texts, a die of 2**32 sides that seeds their order. The first version of the rules threw
it in every step.

Morale, an option, is tested after a round by each group in which the first, or half, have been slain: two dice. Who has
less flees.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, LegalAction, RuleBook, Seat
from sim.core.dice import Dice
from sim.core.luck import Bag, Die, Throw, bag_of, chance
from sim.core.names import listed
from sim.core.values import Ending, Paused
from sim.duel import battle as v
from sim.duel.battle.campaign import DuelCampaign
from sim.duel.battle.log import Telling, log
from sim.duel.critter import INITIATIVE_DIE, STRIKE_DIE, Alignment, Critter, Damage, can_harm
from sim.duel.words import CLOSINGS, FIRST_STORIES, OPENINGS, random_site, render


class Fight:
    """Two groups in a fight; every round changes `hp` and `groups`.

    Fighters have numbers. `groups`: the fighters left in each group, in the order they entered.
    """

    def __init__(self, critters: Sequence[Critter], hp: Sequence[int], groups: Sequence[Sequence[int]]) -> None:
        self.critters = critters
        self.hp = list(hp)
        self.groups = tuple(list(group) for group in groups)

    @property
    def is_hopeless(self) -> bool:
        """Whether nobody left could ever hit anybody of the other group."""
        first, second = ([self.critters[who] for who in group] for group in self.groups)
        return not (can_harm(first, second) or can_harm(second, first))

    def round(self, number: int, dice: Dice) -> list[v.FightEvent]:
        """Fight one round and return its events."""
        by_count: dict[int, list[int]] = {}
        for who in (*self.groups[0], *self.groups[1]):
            by_count.setdefault(dice.roll(INITIATIVE_DIE) + self.critters[who].dex_mod, []).append(who)
        order = []  # fighters and counts (d6 + Dexterity); dice break ties, fighter by fighter
        for count in sorted(by_count, reverse=True):
            tied = by_count[count]
            while tied:
                order.append((tied.pop(dice.roll(len(tied)) - 1), count))
        events: list[v.FightEvent] = [v.RoundBegan(number=number, order=tuple(order))]
        for who, _ in order:
            events += self.turn(who, dice)
        return events

    def leave(self, who: int) -> None:
        """Remove a fighter from the fight."""
        for group in self.groups:
            if who in group:
                group.remove(who)

    def turn(self, who: int, dice: Dice) -> list[v.FightEvent]:
        """Let a fighter strike, as often as it can."""
        # A fighter killed in this round is in neither group any more: it draws from group 1, to no effect.
        targets = self.groups[1] if who in self.groups[0] else self.groups[0]
        if not targets:
            return [v.Passed(who=who)]
        if not self.hp[who]:
            dice.roll(len(targets))
            return [v.Passed(who=who)]
        blows: list[v.FightEvent] = []
        for _ in range(self.critters[who].attacks):
            if targets:
                blows.append(self._strike(who, targets[dice.roll(len(targets)) - 1], dice, again=bool(blows)))
        return blows

    def _strike(self, who: int, target: int, dice: Dice, *, again: bool) -> v.Struck:
        attacker = self.critters[who]
        roll = dice.roll(STRIKE_DIE)
        damage = 0
        if roll + attacker.str_mod >= attacker.to_hit - self.critters[target].armour_class:
            damage = attacker.damage.roll(dice)
            self.hp[target] = max(0, self.hp[target] - damage)
            if not self.hp[target]:
                self.leave(target)
        return v.Struck(who=who, target=target, roll=roll, damage=damage, left=self.hp[target], again=again)


def throws(
    events: Iterable[object], critters: Sequence[Critter], seat_of: Callable[[int], Seat], number: int, where: str = ""
) -> Iterator[Throw]:
    """Yield what was thrown for each strike: the d20, which hits or not, and the damage dice if it hits.

    `seat_of`: by the fighter's number, `number`: the round before these, `where`: what stands before a round.
    """
    for event in events:
        if isinstance(event, v.RoundBegan):
            number = event.number
        elif isinstance(event, v.Struck):
            striker, moment = critters[event.who], f"{where}round {number}"
            seat = seat_of(event.who)
            hits = round(striker.hit_chance(critters[event.target]) * STRIKE_DIE)
            die = chance(hits, STRIKE_DIE)
            yield Throw(seat=seat, unit="hits", moment=moment, dice=((die, 1),), rolled=event.damage > 0)
            if event.damage:
                dealt = damage_dice(striker.damage)
                yield Throw(seat=seat, unit="damage", moment=moment, dice=dealt, rolled=event.damage)


def damage_dice(damage: Damage) -> Bag:
    """Return the dice of a hit, with a die that always shows what is added to them.

    Where something is subtracted, it is one die for all: below 1 the sum is 1.
    """
    if damage.plus < 0:
        return ((damage.weights(), 1),)
    dice: dict[Die, int] = {(0, *(1,) * damage.sides): damage.count}
    if damage.plus:
        always = (*(0,) * damage.plus, 1)  # of 1d1+1 both dice are alike
        dice[always] = dice.get(always, 0) + 1
    return bag_of(dice)


def roll_morale(dice: Dice) -> int:
    """Roll the 2d6 of a morale test."""
    return dice.roll(6) + dice.roll(6)


ROUNDS_AT_ONCE = 200
"""Rounds after which a run pauses: fighters who rarely hit may go on for long."""

EVENTS_AT_ONCE = 1_500
"""Events after which a run pauses, so that a step stays small enough to store."""


def seconds(turns: int) -> float:
    """Return a rough upper bound on the seconds that this many turns take, measured and rounded up."""
    return 0.01 + 12e-5 * turns


class _DuelRunner(Telling[v.State]):
    """A step of a duel."""

    @cached_property
    def _fight(self) -> Fight:
        return _fight(self.state)

    def turn(self) -> None:
        if self.state.is_unopened:
            self._open()
        else:
            self._round()
            self._close()

    def run(self) -> None:
        """Fight to the end, or to the pause after many rounds or events."""
        while self.state.ending is None and len(self.rounds) < ROUNDS_AT_ONCE and len(self.events) < EVENTS_AT_ONCE:
            self._round()
            self.rounds.append(self.state)
        if self.state.ending is None:
            self.events.append(Paused(rounds=len(self.rounds)))
        if self.state.is_unopened:
            self._open()
        self._close()

    def _round(self) -> None:
        number = self.state.round + 1
        self.events += self._fight.round(number, self.dice)
        self.change(hp=tuple(self._fight.hp), round=number)
        if self.state.setup.morale:
            self._test_morale()
        first, second = self._fight.groups
        ending, winner = None, None
        if not (first and second):
            ending, winner = Ending.ANNIHILATION, v.GROUPS[0] if first else v.GROUPS[1]
        elif self._fight.is_hopeless:
            ending = Ending.STALEMATE
        self.change(ending=ending, winner=winner)
        if ending is not None:
            self.events.append(v.Ended(ending=ending, winner=winner, rounds=number))

    def _test_morale(self) -> None:
        """Test the morale of each group of several that has to; who flees leaves the fight."""
        setup = self.state.setup
        tested, fled = list(self.state.tested) or [0] * len(v.GROUPS), list(self.state.fled)
        for at, numbers in enumerate(setup.members):
            slain = sum(not self._fight.hp[who] for who in numbers)
            due = (slain > 0) + (2 * slain >= len(numbers))
            fickle = [who for who in self._fight.groups[at] if setup.critters[who].morale is not None]
            if due <= tested[at] or not (fickle and self._fight.groups[1 - at]):
                continue
            tested[at] = due
            roll = roll_morale(self.dice)
            runs = tuple(who for who in fickle if roll > (setup.critters[who].morale or 0))
            for who in runs:
                self._fight.leave(who)
            fled += runs
            self.events.append(v.Wavered(group=1 if at == 0 else 2, roll=roll, fled=runs))
        if any(tested):
            self.change(tested=tuple(tested), fled=tuple(fled))

    def _open(self) -> None:
        """Insert the opening before the other events of this step."""
        view = self.dice.roll(2)
        leaders = [group[0] for group in self.state.setup.groups.values()]
        viewer, other = leaders if view == 1 else leaders[::-1]
        site = random_site(self.dice)
        text = self._narrate(OPENINGS, viewer, other, site)
        if self.state.setup.sides:
            text = f"{text}\n\n{_company(self.state.setup)}"
        self.events.insert(0, v.Opened(view=1 if view == 1 else 2, site=site, text=text))
        self.change(site=site)

    def _close(self) -> None:
        state = self.state
        if state.site is None or state.winner is None:
            return
        critters = state.setup.critters
        losers = state.setup.members[state.winner == v.GROUPS[0]]
        slain = next(critters[number] for number in losers if number not in state.fled)
        survivor = next(critters[number] for group in state.living for number in group)
        text = self._narrate(CLOSINGS, survivor, slain, state.site)
        self.events.append(v.Closed(quick=state.round == 1, text=text))

    def _narrate(self, texts: Mapping[Alignment, Sequence[str]], actor: Critter, other: Critter, site: str) -> str:
        told = texts[actor.alignment][: FIRST_STORIES if self.state.setup.edition == 1 else None]
        text = told[self.dice.roll(len(told)) - 1]
        return render(text, (actor, other), site=site)


_MOST_TOLD = 8


def _company(setup: v.Setup) -> str:
    """Return who stands on either side."""
    told = []
    for group in setup.groups.values():
        names = [critter.called for critter in group[:_MOST_TOLD]]
        names += [f"{len(group) - _MOST_TOLD} more"] if len(group) > _MOST_TOLD else []
        told.append(listed(names))
    return " ".join(f"For {side}: {names}." for side, names in zip(setup.sides, told, strict=True))


def _fight(state: v.State) -> Fight:
    return Fight(state.setup.critters, state.hp, state.living)


class Duel(RuleBook[v.Setup, v.State, v.Action, v.Event]):
    """A duel of two critters or two groups, round by round.

    The fighters or a referee turn the pages; anyone if the setup says so. The clock turns one at a time.
    """

    name = "duel"
    rules = 1
    seats = (v.GROUP_1, v.GROUP_2, REFEREE, ANYONE, CLOCK)
    campaign = DuelCampaign()
    runner = _DuelRunner
    steps: ClassVar[Mapping[str, Callable[[_DuelRunner, Any], None]]] = {
        "continue": lambda runner, _: runner.turn(),
        "run": lambda runner, _: runner.run(),
    }
    lines = staticmethod(log)
    over = "The duel is over."
    not_yours = MappingProxyType(
        dict.fromkeys(("continue", "run"), "Only the fighters or a referee may turn the page.")
    )

    def begin(self, setup: v.Setup) -> v.State:
        """Return the state before the first round; RuleError if the fight could never end."""
        state = v.State(setup=setup, hp=tuple(critter.hp for critter in setup.critters))
        if _fight(state).is_hopeless:
            raise RuleError("This fight would never end: neither side can hit the other, not even with a 20.")
        return state

    def legal(self, state: v.State) -> tuple[LegalAction[v.Action], ...]:
        """Return the legal actions."""
        if state.ending is not None:
            return ()
        seats = (v.GROUP_1, v.GROUP_2, REFEREE, *((ANYONE,) if state.setup.press == ANYONE else ()))
        return (
            LegalAction("continue", "Begin" if state.is_unopened else "Next round", (*seats, CLOCK), v.Continue()),
            LegalAction("run", "Fight to the end", seats, v.Run()),
        )

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return a rough upper bound on the seconds that `apply` takes."""
        fighters = sum(map(len, state.living))
        attacks = max(critter.attacks for critter in state.setup.critters)
        rounds = ROUNDS_AT_ONCE if isinstance(action, v.Run) else 1
        return seconds(min(rounds * fighters * attacks, EVENTS_AT_ONCE + fighters * attacks))

    def throws(self, state: v.State, events: tuple[v.Event, ...]) -> Iterable[Throw]:
        """Return the dice of every strike."""
        second = state.setup.members[1]
        return throws(events, state.setup.critters, lambda who: v.GROUPS[who in second], state.round)
