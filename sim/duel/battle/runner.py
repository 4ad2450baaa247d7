"""One step of a duel, worked out: rounds, the end, the story around them.

Within a step the fight's own dice are thrown first, in the order of the rules; then those of the story: for an opening
the view (d2), the three parts of the site and the text, for a closing the text; last, where a message has several
texts, one die of 2**32 sides that decides which of them are said. So the story never changes a fight.
"""

from sim.core.battle import Seat
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.outcomes import Ending
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
from sim.duel.words import compile_template
from sim.duel.words.phrases import CLOSINGS, OPENINGS, STORY
from sim.duel.words.sites import random_site

ROUNDS_AT_ONCE = 200
"""Rounds after which running on pauses: two who hardly hit may go on for long."""

EVENTS_AT_ONCE = 1_500
"""Events after which it pauses, so that a step stays small enough to keep."""

_VOICES = 1 << 32


def initial_state(setup: Setup) -> State:
    """Return the state before the first round; RuleError for a fight that could never end."""
    state = State(setup=setup, hp=tuple(critter.hp for critter in setup.critters))
    if _fight(state).is_hopeless:
        raise RuleError(
            "Nobody could ever hit anybody in this fight: not even a 20 is enough against these armour classes."
        )
    return state


class StepRunner:
    """A duel under way: `state` changes as the rules demand, `events` tell of it."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self._dice = dice
        self._events: list[Event] = []
        self._fight = _fight(state)

    def turn_page(self) -> None:
        """Open the story, or fight the next round."""
        if self.state.is_unopened:
            self._open()
        else:
            self._round()
            self._close()

    def run(self) -> None:
        """Fight to the end, or until it has been too long."""
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
        """Return what happened, with its cast."""
        setup = self.state.setup
        voice = self._dice.roll(_VOICES) - 1 if setup.words.varied else None
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
        """Tell how it came to the fight, before all else that this step tells."""
        view = self._dice.roll(2)
        leaders = [self.state.setup.group1[0], self.state.setup.group2[0]]
        viewer, other = leaders if view == 1 else leaders[::-1]
        site = random_site(self._dice)
        text = self._told(OPENINGS[viewer.alignment], viewer, other, site)
        self._events.insert(0, Opened(view=1 if view == 1 else 2, site=site, text=text))
        self.state = self.state.model_copy(update={"site": site})

    def _close(self) -> None:
        state = self.state
        if state.site is None or state.winner is None:
            return
        losers = state.setup.group2 if state.winner == GROUPS[0] else state.setup.group1
        survivor = next(state.setup.critters[number] for group in state.living for number in group)
        text = self._told(CLOSINGS[survivor.alignment], survivor, losers[0], state.site)
        self._events.append(Closed(quick=state.round == 1, text=text))

    def _told(self, texts: tuple[str, ...], actor: Critter, other: Critter, site: str) -> str:
        text = texts[self._dice.roll(len(texts)) - 1]
        return compile_template(text, STORY).render((actor, other), site=site)


def _fight(state: State) -> Fight:
    return Fight(state.setup.critters, state.hp, state.living)
