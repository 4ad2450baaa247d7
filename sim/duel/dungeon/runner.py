"""Runs one step in a dungeon: rests, rooms, rounds, morale, experience.

The dice of entering a room: except for the first room, one for each living hero's rest; two for the room; the monsters'
kind, number and hit points. The dice of a round: those of the fight, then two for each morale test. Once, before the
first room or at the end of an earlier step, a die of 2**32 sides seeds the order of rooms and texts. In the first
edition there were two dice for each room, and the last die of every step, if a message had several texts, seeded the
choice among them.
"""

from sim.core.battle import Seat
from sim.core.dice import Dice
from sim.core.values import Ending, Paused
from sim.duel.battle.fight import Fight
from sim.duel.battle.runner import cast
from sim.duel.critter import Critter
from sim.duel.dungeon.values import (
    HEROES,
    Cleared,
    Ended,
    Entered,
    Event,
    Foes,
    Hero,
    Joined,
    Morale,
    Parted,
    Phase,
    Rested,
    Setup,
    State,
    SteppedOut,
    expect_new_name,
    scores,
)
from sim.duel.monsters import roll_encounter
from sim.duel.phrases import ROOM_DETAILS, ROOMS, random_room, room_text
from sim.duel.telling import Telling
from sim.duel.words import Message

ROUNDS_AT_ONCE = 200
"""Rounds after which a run pauses."""

_REST_DIE = 6
_MORALE_DIE = 6


def initial_state(setup: Setup) -> State:
    """Return the state before the first room, with the setup's heroes."""
    points = setup.hp or tuple(hero.hp for hero in setup.heroes)
    heroes = tuple(Hero(critter=hero, hp=min(hp, hero.hp)) for hero, hp in zip(setup.heroes, points, strict=True))
    return State(setup=setup, heroes=heroes)


class StepRunner:
    """Advances `state` by one step and collects its events."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self._dice = dice
        self.rounds: list[State] = []
        self._events: list[Event] = []

    def join(self, critter: Critter) -> None:
        """Add a hero; RuleError if the name is taken."""
        heroes = self.state.heroes
        expect_new_name(critter, tuple(hero.critter for hero in heroes))
        seat = next(seat for seat in HEROES if seat not in self.state.seats)
        at_place = seat == HEROES[len(heroes)]
        self._set(heroes=(*heroes, Hero(critter=critter, hp=critter.hp, seat=None if at_place else seat)))
        self._events.append(Joined(seat=seat, name=critter.name))

    def step_out(self, seat: Seat) -> None:
        """Remove the hero of a seat; the others keep theirs."""
        stay = list(zip(self.state.seats, self.state.heroes, strict=True))
        _, out = stay.pop(self.state.seats.index(seat))
        heroes = (
            hero.model_copy(update={"seat": None if own == place else own})
            for place, (own, hero) in zip(HEROES, stay, strict=False)
        )
        self._set(heroes=tuple(heroes))
        self._events.append(SteppedOut(seat=seat, name=out.critter.name))

    def enter(self) -> None:
        """Rest, then enter the next room."""
        if self.state.room:
            self._rest()
        setup, room = self.state.setup, self.state.room + 1
        text = random_room(self._dice) if setup.edition == 1 else self._next_room()
        met = roll_encounter(setup.level_of(room), self._dice, len(self.state.alive), setup.edition)
        foes = Foes(met=met, hp=tuple(critter.hp for critter in met.critters))
        self._set(room=room, foes=foes, round=0, phase=Phase.FIGHT)
        self._events.append(Entered(room=room, rooms=setup.rooms, text=text, kind=met.kind, count=len(met.critters)))

    def fight(self, rounds: int = 1) -> None:
        """Fight until the room is decided, but at most `rounds` rounds."""
        fought = 0
        while self.state.phase is Phase.FIGHT and fought < rounds:
            self._round()
            self.rounds.append(self.state)
            fought += 1
        if self.state.phase is Phase.FIGHT and rounds > 1:
            self._events.append(Paused(rounds=fought))

    def leave(self) -> None:
        """Go home."""
        self._end(Ending.RETREAT)

    def events(self) -> tuple[Event, ...]:
        """Return the events of the step, the cast first."""
        setup = self.state.setup
        figures = [critter.figure for critter in self._critters()]
        event, telling = cast(setup, figures, self.state.telling, self._events, self._dice)
        self._set(telling=telling)
        return (event, *self._events)

    def _next_room(self) -> str:
        telling = self.state.telling or Telling.begin(self._dice)
        self._set(telling=telling)
        packs = enumerate((ROOMS, ROOM_DETAILS), start=len(Message))
        return room_text(*(telling.shuffled(texts, pack)[self.state.room % len(texts)] for pack, texts in packs))

    def _rest(self) -> None:
        heroes = list(self.state.heroes)
        for who in self.state.alive:
            hero = heroes[who]
            points = min(hero.critter.hp, hero.hp + self._dice.roll(_REST_DIE))
            self._events.append(Rested(who=who, healed=points - hero.hp, hp=points))
            heroes[who] = hero.model_copy(update={"hp": points})
        self._set(heroes=tuple(heroes))

    def _critters(self) -> list[Critter]:
        foes = self.state.foes
        return [hero.critter for hero in self.state.heroes] + (list(foes.met.critters) if foes else [])

    def _round(self) -> None:
        foes = self._foes()
        size = len(self.state.heroes)
        hp = [*(hero.hp for hero in self.state.heroes), *foes.hp]
        living = [size + number for number, points in enumerate(foes.hp) if points]
        fight = Fight(self._critters(), hp, (self.state.alive, living))
        number = self.state.round + 1
        if not fight.is_hopeless:
            self._events += fight.round(number, self._dice)
        heroes = tuple(
            hero.model_copy(update={"hp": points})
            for hero, points in zip(self.state.heroes, fight.hp[:size], strict=True)
        )
        foes = foes.model_copy(update={"hp": tuple(fight.hp[size:])})
        self._set(heroes=heroes, foes=foes, round=number, rounds=self.state.rounds + 1)
        if not fight.groups[0]:
            self._end(Ending.ANNIHILATION)
        elif not fight.groups[1]:
            self._clear()
        elif fight.is_hopeless:
            self._events.append(Parted())
            self._clear(overcome=False)
        elif self._flees():
            self._clear()

    def _flees(self) -> bool:
        """Test the monsters' morale if the first or half of them fell in this round; return whether they flee."""
        foes = self._foes()
        count, fallen = len(foes.hp), foes.hp.count(0)
        reasons = [("first", fallen >= 1), ("half", 2 * fallen >= count)]
        new = tuple(name for name, reached in reasons if reached and name not in foes.tested)
        if not new:
            return False
        self._set(foes=foes.model_copy(update={"tested": (*foes.tested, *new)}))
        roll = self._dice.roll(_MORALE_DIE) + self._dice.roll(_MORALE_DIE)
        morale = foes.met.monster.morale
        flees = roll > morale
        fled = count - fallen if flees else 0
        self._events.append(Morale(kind=foes.met.kind, roll=roll, morale=morale, fled=fled))
        return flees

    def _clear(self, *, overcome: bool = True) -> None:
        """Share the experience for the room's monsters, slain or put to flight, among the living heroes."""
        foes, alive = self._foes(), self.state.alive
        total = foes.met.monster.experience * len(foes.hp) if overcome else 0
        each = total // len(alive)
        heroes = tuple(
            hero.model_copy(update={"experience": hero.experience + each}) if who in alive else hero
            for who, hero in enumerate(self.state.heroes)
        )
        self._events.append(Cleared(room=self.state.room, total=total, each=each))
        self._set(heroes=heroes, phase=Phase.CLEARED)
        if self.state.room == self.state.setup.rooms:
            self._end(Ending.ANNIHILATION)

    def _end(self, ending: Ending) -> None:
        rooms_won = self.state.room - (self.state.phase is Phase.FIGHT)
        self._set(phase=Phase.OVER, ending=ending)
        self._events.append(Ended(ending=ending, rooms=rooms_won, scores=scores(self.state)))

    def _foes(self) -> Foes:
        if self.state.foes is None:
            raise AssertionError("a fight has foes")
        return self.state.foes

    def _set(self, **values: object) -> None:
        self.state = self.state.model_copy(update=values)
