"""A dungeon that is the same for everyone, as .docs/rules/duel.md, "The dungeon of a week" has it."""

from sim.core.challenge import ChallengeRules, Entry, Score
from sim.core.dice import Dice
from sim.core.numbers import quantity
from sim.duel.battle.dungeon_values import HEROES, Room, Setup, State
from sim.duel.critter import RULES_VERSION, Critter, roll_critter
from sim.duel.monsters import MAX_PARTY, count_text, roll_encounter
from sim.duel.words import NARRATED_WORDS, ROOM_DETAILS, ROOMS, TextRotation, room_text

_ROOMS = 10


class DungeonChallenge(ChallengeRules[Setup, State]):
    """One person leads four heroes of level 1 through ten rooms."""

    title = "Dungeon"
    goal = "Lead four heroes through as many rooms as you can; ties go to fewer rounds."

    def draw(self, dice: Dice) -> Setup:
        """Draw the heroes, then each room: its look, and its monsters for a whole party."""
        heroes: list[Critter] = []
        while len(heroes) < MAX_PARTY:
            heroes.append(roll_critter(dice, taken=[hero.name for hero in heroes]))
        setup = Setup(rooms=_ROOMS, heroes=tuple(heroes), words=NARRATED_WORDS, edition=RULES_VERSION)
        order = TextRotation.begin(dice)
        looks, details = (order.shuffled(texts, pack) for pack, texts in enumerate((ROOMS, ROOM_DETAILS)))
        rooms = tuple(
            Room(
                text=room_text(looks[at % len(looks)], details[at % len(details)]),
                met=roll_encounter(setup.level_of(at + 1), dice, MAX_PARTY),
            )
            for at in range(_ROOMS)
        )
        return setup.model_copy(update={"plan": rooms})

    def told(self, setup: Setup) -> tuple[str, str]:
        """Return whose it is, and who waits in the first room and in the last one."""
        first, last = (count_text(room.met.monster, len(room.met.critters)) for room in (setup.plan[0], setup.plan[-1]))
        return f"The dungeon of {setup.heroes[0].name}", f"Room 1: {first}. Room {setup.rooms}: {last}."

    def enter(self, setup: Setup, choice: str, name: str) -> Entry[Setup]:
        """Take the first hero's seat, who leads the others."""
        del choice, name
        return Entry(setup, seats=HEROES[:1])

    def score(self, state: State) -> Score:
        """Return the rooms won, and the rounds fought in all of them."""
        rooms, rounds = quantity(state.rooms_won, "room"), quantity(state.rounds, "round")
        return Score(points=state.rooms_won, rounds=state.rounds, text=f"{rooms} in {rounds}")
