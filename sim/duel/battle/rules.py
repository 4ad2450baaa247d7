"""The rules of duels as a battle system.

A step rolls the dice of the fight first, so that the story never changes a fight. Then come the dice of the story: the
viewpoint (d2), the three parts of the site and the text of an opening; the text of a closing; last, in the first step
only, if a message has several texts, a die of 2**32 sides that seeds their order. The first version of the rules threw
it in every step.

Morale, an option, is tested after a round by each group in which the first, or half, have been slain: two dice. Who has
less flees.
"""

from collections.abc import Iterable, Mapping, Sequence

from sim.core.battle import ANYONE, CLOCK, REFEREE, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.luck import Throw
from sim.core.values import Ending, Paused
from sim.duel.battle.campaign import DuelCampaign
from sim.duel.battle.fight import Fight, roll_morale, throws
from sim.duel.battle.log import cast, log
from sim.duel.battle.values import (
    GROUP_1,
    GROUP_2,
    GROUPS,
    Action,
    Closed,
    Continue,
    Ended,
    Event,
    Opened,
    Run,
    Setup,
    State,
    Wavered,
)
from sim.duel.critter import Alignment, Critter
from sim.duel.phrases import CLOSINGS, OPENINGS, STORY_SHAPE, random_site, stories
from sim.duel.words import compile_template

ROUNDS_AT_ONCE = 200
"""Rounds after which a run pauses: fighters who rarely hit may go on for long."""

EVENTS_AT_ONCE = 1_500
"""Events after which a run pauses, so that a step stays small enough to store."""

_SECONDS_PER_TURN = 12e-5  # measured, rounded up
_SECONDS = 0.01


class Duel(RuleBook[Setup, State, Action, Event]):
    """A duel of two critters or two groups, round by round.

    The fighters or a referee turn the pages; anyone if the setup says so. The clock turns one at a time.
    """

    name = "duel"
    rules = 1
    seats = (GROUP_1, GROUP_2, REFEREE, ANYONE, CLOCK)
    campaign = DuelCampaign()

    def begin(self, setup: Setup) -> State:
        """Return the state before the first round; RuleError if the fight could never end."""
        state = State(setup=setup, hp=tuple(critter.hp for critter in setup.critters))
        if _fight(state).is_hopeless:
            raise RuleError("This fight would never end: neither side can hit the other, not even with a 20.")
        return state

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return the legal actions."""
        if state.ending is not None:
            return ()
        seats = (GROUP_1, GROUP_2, REFEREE, *((ANYONE,) if state.setup.press == ANYONE else ()))
        return (
            LegalAction("continue", "Begin" if state.is_unopened else "Continue", (*seats, CLOCK), Continue()),
            LegalAction("run", "Fight to the end", seats, Run()),
        )

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper bound of the seconds that `apply` takes."""
        fighters = sum(map(len, state.living))
        attacks = max(critter.attacks for critter in state.setup.critters)
        rounds = ROUNDS_AT_ONCE if isinstance(action, Run) else 1
        turns = min(rounds * fighters * attacks, EVENTS_AT_ONCE + fighters * attacks)
        return _SECONDS + _SECONDS_PER_TURN * turns

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Open the story, fight one round, or fight to the end."""
        del seat
        runner = _StepRunner(state, dice)
        if isinstance(action, Run):
            runner.run()
        else:
            runner.turn_page()
        events = runner.events()
        return Step(runner.state, events, tuple(runner.rounds))

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        del state, action
        return "The duel is over."

    def why_not_seat(self, state: State, action: Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del state, action, seats
        return "Only the fighters or a referee may turn the page."

    def outcome(self, state: State) -> Outcome | None:
        """Return how the duel ended; nobody wins if nobody left can hit."""
        if state.ending is None:
            return None
        return Outcome(ending=state.ending, winner=state.winner, rounds=state.round)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the story of `events` as lines."""
        return log(events)

    def throws(self, state: State, events: tuple[Event, ...]) -> Iterable[Throw]:
        """Return the dice of every strike."""
        size = len(state.setup.group1)
        return throws(events, state.setup.critters, lambda who: GROUPS[who >= size], state.round)


class _StepRunner:
    """Advances `state` by one step and collects its events."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.rounds: list[State] = []
        self._dice = dice
        self._events: list[Event] = []
        self._fight = _fight(state)

    def turn_page(self) -> None:
        """Open the story, or fight one round."""
        if self.state.is_unopened:
            self._open()
        else:
            self._round()
            self._close()

    def run(self) -> None:
        """Fight to the end, or to the pause after many rounds or events."""
        rounds = 0
        while self.state.ending is None and rounds < ROUNDS_AT_ONCE and len(self._events) < EVENTS_AT_ONCE:
            self._round()
            self.rounds.append(self.state)
            rounds += 1
        if self.state.ending is None:
            self._events.append(Paused(rounds=rounds))
        if self.state.is_unopened:
            self._open()
        self._close()

    def events(self) -> tuple[Event, ...]:
        """Return the events of the step, the cast first."""
        setup = self.state.setup
        event, telling = cast(setup.words, setup.edition, self.state.telling, setup.critters, self._events, self._dice)
        self.state = self.state.model_copy(update={"telling": telling})
        return (event, *self._events)

    def _round(self) -> None:
        number = self.state.round + 1
        self._events += self._fight.round(number, self._dice)
        self.state = self.state.model_copy(update={"hp": tuple(self._fight.hp), "round": number})
        if self.state.setup.morale:
            self._test_morale()
        ending, winner = self._ending()
        self.state = self.state.model_copy(update={"ending": ending, "winner": winner})
        if ending is not None:
            self._events.append(Ended(ending=ending, winner=winner, rounds=number))

    def _test_morale(self) -> None:
        """Test the morale of each group of several that has to; who flees leaves the fight."""
        setup = self.state.setup
        tested, fled = list(self.state.tested) or [0] * len(GROUPS), list(self.state.fled)
        first = 0
        for at, size in enumerate((len(setup.group1), len(setup.group2))):
            slain = self._fight.hp[first : first + size].count(0)
            first += size
            due = (slain > 0) + (2 * slain >= size)
            fickle = [who for who in self._fight.groups[at] if setup.critters[who].morale is not None]
            if due <= tested[at] or not (fickle and self._fight.groups[1 - at]):
                continue
            tested[at] = due
            roll = roll_morale(self._dice)
            runs = tuple(who for who in fickle if roll > (setup.critters[who].morale or 0))
            for who in runs:
                self._fight.leave(who)
            fled += runs
            self._events.append(Wavered(group=1 if at == 0 else 2, roll=roll, fled=runs))
        if any(tested):
            self.state = self.state.model_copy(update={"tested": tuple(tested), "fled": tuple(fled)})

    def _ending(self) -> tuple[Ending | None, Seat | None]:
        first, second = self._fight.groups
        if not (first and second):
            return Ending.ANNIHILATION, GROUPS[0] if first else GROUPS[1]
        return (Ending.STALEMATE if self._fight.is_hopeless else None), None

    def _open(self) -> None:
        """Insert the opening before the other events of this step."""
        view = self._dice.roll(2)
        leaders = [self.state.setup.group1[0], self.state.setup.group2[0]]
        viewer, other = leaders if view == 1 else leaders[::-1]
        site = random_site(self._dice)
        text = self._narrate(OPENINGS, viewer, other, site)
        self._events.insert(0, Opened(view=1 if view == 1 else 2, site=site, text=text))
        self.state = self.state.model_copy(update={"site": site})

    def _close(self) -> None:
        state = self.state
        if state.site is None or state.winner is None:
            return
        critters, size = state.setup.critters, len(state.setup.group1)
        losers = range(size, len(critters)) if state.winner == GROUPS[0] else range(size)
        slain = next(critters[number] for number in losers if number not in state.fled)
        survivor = next(critters[number] for group in state.living for number in group)
        text = self._narrate(CLOSINGS, survivor, slain, state.site)
        self._events.append(Closed(quick=state.round == 1, text=text))

    def _narrate(self, texts: Mapping[Alignment, Sequence[str]], actor: Critter, other: Critter, site: str) -> str:
        told = stories(texts, actor.alignment, self.state.setup.edition)
        text = told[self._dice.roll(len(told)) - 1]
        return compile_template(text, STORY_SHAPE).render((actor, other), site=site)


def _fight(state: State) -> Fight:
    return Fight(state.setup.critters, state.hp, state.living)
