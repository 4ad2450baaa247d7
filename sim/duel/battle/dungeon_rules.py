"""The rules of dungeons as a battle system.

The dice of entering a room: except for the first room, one for each living hero's rest; two for the room; the monsters'
kind, number and hit points. The dice of a round: those of the fight, then two for each morale test; of a flight: those
of each monster's turn. Once, before the first room or at the end of an earlier step, a die of 2**32 sides seeds the
order of rooms and texts. In the first version of the rules there were two dice for each room, and the last die of every
step, if a message had several texts, seeded the choice among them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from sim.core.battle import ANYONE, CLOCK, JOIN, REFEREE, LegalAction, Outcome, RuleBook, Seat, Team
from sim.core.luck import Throw
from sim.core.values import Ending, Paused
from sim.duel.battle import Continue, Run
from sim.duel.battle import dungeon_values as v
from sim.duel.battle.campaign import DungeonCampaign
from sim.duel.battle.challenge import DungeonChallenge
from sim.duel.battle.log import Telling, log
from sim.duel.battle.rules import ROUNDS_AT_ONCE, Fight, roll_morale, seconds, throws
from sim.duel.critter import Critter
from sim.duel.monsters import MAX_PARTY, roll_encounter
from sim.duel.words import ROOM_DETAILS, ROOMS, Message, TextRotation, random_room, room_text

MONSTERS: Seat = "monsters"
"""Whose dice those of all monsters are; nobody has the seat."""


class _DungeonRunner(Telling[v.State]):
    """A step of a dungeon."""

    def join(self, critter: Critter) -> None:
        """Add a hero; RuleError if the name is taken."""
        heroes = self.state.heroes
        v.expect_new_name(critter, tuple(hero.critter for hero in heroes))
        seat = next(seat for seat in v.HEROES if seat not in self.state.seats)
        at_place = seat == v.HEROES[len(heroes)]
        self.change(heroes=(*heroes, v.Hero(critter=critter, hp=critter.hp, seat=None if at_place else seat)))
        self.events.append(v.Joined(seat=seat, name=critter.name))

    def step_out(self) -> None:
        """Remove the hero of the seat; the others keep theirs."""
        stay = self.state.party
        out = stay.pop(self.seat)
        heroes = (
            hero.model_copy(update={"seat": None if own == place else own})
            for place, (own, hero) in zip(v.HEROES, stay.items(), strict=False)
        )
        self.change(heroes=tuple(heroes))
        self.events.append(v.SteppedOut(seat=self.seat, name=out.critter.name))

    def enter(self) -> None:
        if self.state.room:
            self._rest()
        setup, room = self.state.setup, self.state.room + 1
        if setup.plan:
            text, met = setup.plan[room - 1].text, setup.plan[room - 1].met
        else:
            if setup.edition == 1:
                text = random_room(self.dice)
            else:
                telling = self.state.telling or TextRotation.begin(self.dice)
                self.change(telling=telling)
                packs = enumerate((ROOMS, ROOM_DETAILS), start=len(Message))
                text = room_text(*(telling.shuffled(texts, pack)[(room - 1) % len(texts)] for pack, texts in packs))
            met = roll_encounter(setup.level_of(room), self.dice, len(self.state.alive), setup.edition)
        foes = v.Foes(met=met, hp=tuple(critter.hp for critter in met.critters))
        self.change(room=room, foes=foes, round=0, phase=v.Phase.FIGHT)
        self.events.append(v.Entered(room=room, rooms=setup.rooms, text=text, kind=met.kind, count=len(met.critters)))

    def fight(self, rounds: int = 1) -> None:
        """Fight until the room is decided, but at most `rounds` rounds."""
        while self.state.phase is v.Phase.FIGHT and len(self.rounds) < rounds:
            self._round()
            self.rounds.append(self.state)
        if self.state.phase is v.Phase.FIGHT and rounds > 1:
            self.events.append(Paused(rounds=rounds))

    def flee(self) -> None:
        """Run home: every monster strikes once more."""
        fight = self._fight()
        self.events.append(v.Fled())
        for who in fight.groups[1]:
            self.events += fight.turn(who, self.dice)
        self._set_hp(fight)
        self.change(fled=True)
        self.end(Ending.RETREAT if fight.groups[0] else Ending.ANNIHILATION)

    def _rest(self) -> None:
        heroes = list(self.state.heroes)
        for who in self.state.alive:
            hero = heroes[who]
            points = min(hero.critter.hp, hero.hp + self.dice.roll(6))
            self.events.append(v.Rested(who=who, healed=points - hero.hp, hp=points))
            heroes[who] = hero.model_copy(update={"hp": points})
        self.change(heroes=tuple(heroes))

    def _fight(self) -> Fight:
        foes, size = self._foes(), len(self.state.heroes)
        hp = [*(hero.hp for hero in self.state.heroes), *foes.hp]
        living = [size + number for number, points in enumerate(foes.hp) if points]
        return Fight(self.state.critters, hp, (self.state.alive, living))

    def _set_hp(self, fight: Fight) -> None:
        size = len(self.state.heroes)
        heroes = tuple(
            hero.model_copy(update={"hp": points})
            for hero, points in zip(self.state.heroes, fight.hp[:size], strict=True)
        )
        self.change(heroes=heroes, foes=self._foes().model_copy(update={"hp": tuple(fight.hp[size:])}))

    def _round(self) -> None:
        fight = self._fight()
        number = self.state.round + 1
        if not fight.is_hopeless:
            self.events += fight.round(number, self.dice)
        self._set_hp(fight)
        self.change(round=number, rounds=self.state.rounds + 1)
        if not fight.groups[0]:
            self.end(Ending.ANNIHILATION)
        elif not fight.groups[1]:
            self._clear()
        elif fight.is_hopeless:
            self.events.append(v.Parted())
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
        self.change(foes=foes.model_copy(update={"tested": (*foes.tested, *new)}))
        roll = roll_morale(self.dice)
        morale = foes.met.monster.morale
        flees = roll > morale
        fled = count - fallen if flees else 0
        self.events.append(v.Morale(kind=foes.met.kind, roll=roll, morale=morale, fled=fled))
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
        self.events.append(v.Cleared(room=self.state.room, total=total, each=each))
        self.change(heroes=heroes, phase=v.Phase.CLEARED)
        if self.state.room == self.state.setup.rooms:
            self.end(Ending.ANNIHILATION)

    def end(self, ending: Ending) -> None:
        rooms_won = self.state.rooms_won
        self.change(phase=v.Phase.OVER, ending=ending)
        self.events.append(v.Ended(ending=ending, rooms=rooms_won, scores=v.scores(self.state)))

    def _foes(self) -> v.Foes:
        if self.state.foes is None:
            raise AssertionError("a fight has foes")
        return self.state.foes


class Dungeon(RuleBook[v.Setup, v.State, v.Action, v.Event]):
    """A small dungeon on rails: random rooms, one after the other, for one to four heroes.

    Anyone may join before the first room, and step out again; then any hero or a referee may act. Where the setup says
    so, the living heroes take turns in a fight. The clock goes on, and never leaves.
    """

    name = "dungeon"
    rules = 1
    seats = (*v.HEROES, REFEREE, ANYONE, v.PARTY, CLOCK)
    runner = _DungeonRunner
    steps: ClassVar[Mapping[str, Callable[[_DungeonRunner, Any], None]]] = {
        "join": lambda runner, action: runner.join(action.critter),
        "step-out": lambda runner, _: runner.step_out(),
        "enter": lambda runner, _: runner.enter(),
        "continue": lambda runner, _: runner.fight(),
        "run": lambda runner, _: runner.fight(ROUNDS_AT_ONCE),
        "leave": lambda runner, _: runner.end(Ending.RETREAT),
        "flee": lambda runner, _: runner.flee(),
    }
    over = "The dungeon is over."
    campaign = DungeonCampaign()
    challenge = DungeonChallenge()

    def begin(self, setup: v.Setup) -> v.State:
        """Return the state before the first room."""
        points = setup.hp or tuple(hero.hp for hero in setup.heroes)
        heroes = tuple(v.Hero(critter=hero, hp=min(hp, hero.hp)) for hero, hp in zip(setup.heroes, points, strict=True))
        return v.State(setup=setup, heroes=heroes)

    def legal(self, state: v.State) -> tuple[LegalAction[v.Action], ...]:
        """Return the legal actions."""
        party = (*state.seats, REFEREE)
        timed = (*party, CLOCK)
        enter = _plain("enter", f"Enter room {state.room + 1}", timed)
        actions: list[LegalAction[v.Action]] = []
        match state.phase:
            case v.Phase.GATHERING:
                if len(state.heroes) < MAX_PARTY:
                    actions.append(JOIN)
                if state.heroes:
                    actions.append(enter)
                if state.joined:
                    actions.append(_plain("step-out", "Step out", state.joined))
            case v.Phase.FIGHT:
                turn = state.turn
                seats = party if turn is None else (turn, REFEREE)
                actions.append(LegalAction("continue", "Next round", (*seats, CLOCK), Continue()))
                actions.append(LegalAction("run", "Fight to the end", (REFEREE,) if turn else party, Run()))
                if turn is not None:
                    others = tuple(seat for seat, hero in state.party.items() if hero.hp and seat != turn)
                    late = Continue(late=True)
                    actions.append(LegalAction("continue-for", "Next round for the absent", others, late))
                actions.append(_plain("flee", "Flee", party))
            case v.Phase.CLEARED:
                actions += [enter, _plain("leave", "Go home", party)]
            case v.Phase.OVER:
                pass
        return tuple(actions)

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return a rough upper bound on the seconds that `apply` takes."""
        rounds = ROUNDS_AT_ONCE if isinstance(action, Run) else 1
        return seconds(rounds * sum(critter.attacks for critter in state.critters))

    def why_not(self, state: v.State, action: v.Action) -> str:
        """Return why nobody may take `action` now."""
        outside, inside = _WHY_NOT.get(action.do, 2 * ("There is nobody to fight now.",))
        return outside if state.phase is v.Phase.GATHERING else inside

    def why_not_seat(self, state: v.State, action: v.Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del seats
        if action.do == "step-out":
            return "Only heroes who joined can step out."
        if isinstance(action, Continue | Run) and state.turn is not None:
            return f"It's {state.party[state.turn].critter.name}'s turn."
        return "Only this dungeon's heroes or a referee may do that."

    def outcome(self, state: v.State) -> Outcome | None:
        """Return how the dungeon ended; the heroes win with the last room."""
        if state.ending is None:
            return None
        won = state.ending is Ending.ANNIHILATION and bool(state.alive)
        return Outcome(ending=state.ending, winner=v.PARTY if won else None, rounds=state.rounds)

    def lines(self, events: tuple[v.Event, ...]) -> list[str]:
        """Return the story of `events` as lines."""
        return log(events, indoors=True)

    def throws(self, state: v.State, events: tuple[v.Event, ...]) -> Iterable[Throw]:
        """Return the dice of every strike, the monsters' among them."""
        seats = dict(enumerate(state.seats))
        where = f"room {state.room}, "
        return throws(events, state.critters, lambda who: seats.get(who, MONSTERS), state.round, where)

    def standings(self, state: v.State) -> tuple[Team, ...]:
        """Return the heroes as one team: first if they cleared the last room."""
        outcome = self.outcome(state)
        if outcome is None:
            return ()
        return (Team(place=1 if outcome.winner == v.PARTY else 2, seats=state.seats),)


_INSIDE = "The heroes are already inside."
_WHY_NOT = {
    "join": (f"A party has at most {MAX_PARTY} heroes.", _INSIDE),
    "step-out": ("Nobody has joined yet.", _INSIDE),
    "enter": ("A hero is needed first.", "The fight in this room comes first."),
    "leave": 2 * ("Heroes can leave only between rooms.",),
}
"""What is said before the first room, and later."""


def _plain(name: Any, label: str, seats: tuple[Seat, ...]) -> LegalAction[v.Action]:  # noqa: ANN401  # one of its names
    return LegalAction(name, label, seats, v.PlainAction(do=name))
