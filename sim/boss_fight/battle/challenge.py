"""A boss to fight alone: one of the ladder with figures of its own, or a new one (.docs/rules/boss_fight.md, "Alone").

The rolls, in order: d2 for which of both, then the rung, or name, element and strengths; the figures.
"""

from collections.abc import Mapping

from sim.boss_fight.battle import HANDS, Join, Setup, State
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import LADDER, STARTER_DECKS, starter_deck
from sim.boss_fight.values import FLAGS, MAX_NAME, Boss, Element, points
from sim.core import RuleError
from sim.core.battle import ANYONE
from sim.core.challenge import ChallengeRules, Entry, Score
from sim.core.dice import Dice
from sim.core.names import seen_name
from sim.core.numbers import quantity

_KINDS = "Ashen", "Briar", "Crooked", "Drowned", "Gilded", "Howling", "Ivory", "Nameless", "Rusted", "Sleepless"
_BODIES = "Abbot", "Beetle", "Colossus", "Duchess", "Gargoyle", "Hydra", "Lantern", "Moth", "Ogress", "Warden"
_FEW, _HUNDRED = 4, 100
"""A boss has each flag with a chance of one in four; figures are in steps of a hundred."""


class BossChallenge(ChallengeRules[Setup, State]):
    """One member with a ready hand against a boss that few fell alone."""

    title = "Boss"
    goal = "Deal as much damage as you can; ties go to fewer rounds."
    ask = "Your hand"

    def draw(self, dice: Dice) -> Setup:
        """Draw the boss; its damage is low enough for a single hand to last some rounds."""
        known = dice.roll(2) == 1
        boss = LADDER[dice.roll(len(LADDER)) - 1] if known else _new(dice)
        health, physical, magical = 17 + dice.roll(6), dice.roll(8), dice.roll(8)
        figures = {
            "level": (physical + magical) // 2,
            "health": 5 * _HUNDRED * health,
            "physical_damage": _HUNDRED * (11 + physical),
            "magical_damage": _HUNDRED * (11 + magical),
        }
        return Setup(boss=boss.model_copy(update=figures), edition=HANDS, alone=True)

    def told(self, setup: Setup) -> tuple[str, str]:
        """Return the boss, and what its picture doesn't tell."""
        boss = setup.boss
        strengths = [
            f"{'pierces' if flag.endswith('penetration') else 'resists'} {flag.partition('_')[0]}"
            for flag in FLAGS
            if getattr(boss, flag)
        ]
        blows = f"hits for {points(boss.physical_damage)} physical, {points(boss.magical_damage)} magical"
        return boss.name, ", ".join([*filter(None, [boss.element]), blows, *strengths])

    def choices(self, setup: Setup) -> Mapping[str, tuple[str, str]]:
        """Return the ready hands: the same for everyone."""
        del setup
        return {deck.key: (deck.name, deck.line) for deck in STARTER_DECKS}

    def enter(self, setup: Setup, choice: str, name: str) -> Entry[Setup]:
        """Join with a ready hand."""
        deck = starter_deck(choice)
        if deck is None:
            raise RuleError("Pick one of the ready hands.")
        join = Join(name=seen_name(name, MAX_NAME) or None, deck=parse_deck(deck.text))
        return Entry(setup, first=[(join, ANYONE)])

    def score(self, state: State) -> Score:
        """Return the damage dealt, up to the boss's health, and the rounds."""
        dealt = min(int(state.dealt), state.setup.health)
        done = "felled it" if state.boss_left <= 0 else f"{dealt:,} damage"
        return Score(points=dealt, rounds=state.round, text=f"{done} in {quantity(state.round, 'round')}")


def _new(dice: Dice) -> Boss:
    name = " ".join(words[dice.roll(len(words)) - 1] for words in (_KINDS, _BODIES))
    element = [*Element][dice.roll(len(Element)) - 1]
    flags = {flag: dice.roll(_FEW) == 1 for flag in FLAGS}
    return Boss(name=name, element=element, health=1, **flags)
