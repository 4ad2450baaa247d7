"""Builders and strategies for duels."""

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from sim.core.battle import AnySystem, Outcome, Step
from sim.core.dice import ScriptedDice
from sim.core.names import describe_hidden
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Action, Continue, Event, Setup, State
from sim.duel.critter import Alignment, Critter, Gender
from sim.duel.damage import Damage

DUEL = Duel()


def critter(name: str, hp: int = 5, **values: object) -> Critter:
    """Return a critter, such as `critter("Conan", 8, str_mod=3)`."""
    return Critter.model_validate({"name": name, "hp": hp, **values})


def setup(group1: Sequence[Critter], group2: Sequence[Critter], **terms: object) -> Setup:
    """Return the setup of a fight."""
    return Setup.model_validate({"group1": tuple(group1), "group2": tuple(group2), **terms})


def act(state: State, action: Action, faces: Sequence[int], seat: str = "referee") -> Step[State, Event]:
    """Apply an action that uses exactly these dice."""
    dice = ScriptedDice(faces)
    step = DUEL.apply(state, action, seat, dice)
    assert dice.left == 0
    return step


def first_round(group1: Sequence[Critter], group2: Sequence[Critter], faces: Sequence[int]) -> Step[State, Event]:
    """Fight the first round of two groups with exactly these dice."""
    return act(DUEL.begin(setup(group1, group2)), Continue(), faces)


def outcome_of(system: AnySystem, state: object) -> Outcome:
    """Return the outcome of a battle that is over."""
    outcome = system.outcome(state)
    assert outcome is not None
    return outcome


class KnownDice:
    """Dice with known sides and faces."""

    def __init__(self, throws: str) -> None:
        self._throws: Iterator[list[int]] = iter([list(map(int, part.split(":"))) for part in throws.split()])

    def roll(self, sides: int) -> int:
        meant, face = next(self._throws)
        assert meant == sides
        return face

    def is_used(self) -> bool:
        return next(self._throws, None) is None


@dataclass(frozen=True)
class KnownFight:
    """A fight with all its dice and its complete story."""

    sides: tuple[tuple[Critter, ...], tuple[Critter, ...]]
    throws: str
    won_by: int
    after: int
    story: list[str]

    def data(self) -> dict[str, Any]:
        """Return the data of a file for the console."""
        groups = {
            f"group{number}": [self._plain(creature) for creature in side] for number, side in enumerate(self.sides, 1)
        }
        return {**groups, "dice": [list(map(int, part.split(":"))) for part in self.throws.split()]}

    @staticmethod
    def _plain(creature: Critter) -> dict[str, Any]:
        return {"name": creature.name, "hp": creature.hp, "str_mod": creature.str_mod, "dex_mod": creature.dex_mod}


def _parse_critter(text: str) -> Critter:
    name, hp, strength, dexterity = text.split()
    return critter(name, int(hp), str_mod=int(strength), dex_mod=int(dexterity))


def known_fights() -> list[KnownFight]:
    """Return the known fights."""
    data = json.loads(Path(__file__).with_name("fights.json").read_text(encoding="utf-8"))
    return [
        KnownFight(
            sides=(tuple(map(_parse_critter, entry["sides"][0])), tuple(map(_parse_critter, entry["sides"][1]))),
            throws=entry["throws"],
            won_by=entry["won_by"],
            after=entry["after"],
            story=entry["story"],
        )
        for entry in data
    ]


names = (
    st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=12)
    .map(lambda text: f"O'{text} d'É")
    .filter(lambda name: describe_hidden(unicodedata.normalize("NFC", name)) is None)
)


@st.composite
def critters(draw: st.DrawFn, name: str, hp: int = 12) -> Critter:
    """Draw a critter that can hit any other one drawn."""
    return Critter(
        name=name,
        gender=draw(st.sampled_from(Gender)),
        proper=draw(st.booleans()),
        alignment=draw(st.sampled_from(Alignment)),
        hp=draw(st.integers(1, hp)),
        str_mod=draw(st.integers(-3, 3)),
        dex_mod=draw(st.integers(-3, 3)),
        armour_class=draw(st.integers(3, 9)),
        to_hit=draw(st.integers(12, 19)),
        damage=draw(st.builds(Damage, count=st.integers(1, 2), sides=st.integers(1, 8), plus=st.integers(-3, 3))),
        attacks=draw(st.integers(1, 3)),
    )


@st.composite
def setups(draw: st.DrawFn, /, most: int = 5, **terms: object) -> Setup:
    """Draw a fight of two small groups."""
    groups = [
        [draw(critters(f"{side}{number}")) for number in range(draw(st.integers(1, most)))] for side in ("red", "blue")
    ]
    return setup(groups[0], groups[1], **terms)
