"""Runs one step of a duel: rounds, the end, the story around them.

A step rolls the dice of the fight first, so that the story never changes a fight. Then come the dice of the story: the
viewpoint (d2), the three parts of the site and the text of an opening; the text of a closing; last, if a message has
several texts, a die of 2**32 sides that seeds the choice among them.
"""

from sim.core.battle import Seat
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.values import Ending
from sim.duel.battle.fight import Fight
from sim.duel.battle.values import (
    GROUPS,
    Cast,
    Closed,
    Ended,
    Event,
    Opened,
    Paused,
    Setup,
    State,
)
from sim.duel.critter import Critter
from sim.duel.phrases import CLOSINGS, OPENINGS, STORY_SHAPE, random_site
from sim.duel.words import compile_template

ROUNDS_AT_ONCE = 200
"""Rounds after which a run pauses: fighters who rarely hit may go on for long."""

EVENTS_AT_ONCE = 1_500
"""Events after which a run pauses, so that a step stays small enough to store."""

_VOICES = 1 << 32


def initial_state(setup: Setup) -> State:
    """Return the state before the first round; RuleError if the fight could never end."""
    state = State(setup=setup, hp=tuple(critter.hp for critter in setup.critters))
    if _fight(state).is_hopeless:
        raise RuleError(
            "Nobody could ever hit anybody in this fight: not even a 20 is enough against these armour classes."
        )
    return state


class StepRunner:
    """Advances `state` by one step and collects its events."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
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
            rounds += 1
        if self.state.ending is None:
            self._events.append(Paused(rounds=rounds))
        if self.state.is_unopened:
            self._open()
        self._close()

    def events(self) -> tuple[Event, ...]:
        """Return the events of the step, the cast first."""
        setup = self.state.setup
        voice = self._dice.roll(_VOICES) - 1 if setup.words.has_variants else None
        cast = Cast(figures=tuple(critter.figure for critter in setup.critters), words=setup.words, voice=voice)
        return (cast, *self._events)

    def _round(self) -> None:
        number = self.state.round + 1
        self._events += self._fight.round(number, self._dice)
        ending, winner = self._ending()
        update = {"hp": tuple(self._fight.hp), "round": number, "ending": ending, "winner": winner}
        self.state = self.state.model_copy(update=update)
        if ending is not None:
            self._events.append(Ended(ending=ending, winner=winner, rounds=number))

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
        text = self._narrate(OPENINGS[viewer.alignment], viewer, other, site)
        self._events.insert(0, Opened(view=1 if view == 1 else 2, site=site, text=text))
        self.state = self.state.model_copy(update={"site": site})

    def _close(self) -> None:
        state = self.state
        if state.site is None or state.winner is None:
            return
        losers = state.setup.group2 if state.winner == GROUPS[0] else state.setup.group1
        survivor = next(state.setup.critters[number] for group in state.living for number in group)
        text = self._narrate(CLOSINGS[survivor.alignment], survivor, losers[0], state.site)
        self._events.append(Closed(quick=state.round == 1, text=text))

    def _narrate(self, texts: tuple[str, ...], actor: Critter, other: Critter, site: str) -> str:
        text = texts[self._dice.roll(len(texts)) - 1]
        return compile_template(text, STORY_SHAPE).render((actor, other), site=site)


def _fight(state: State) -> Fight:
    return Fight(state.setup.critters, state.hp, state.living)
