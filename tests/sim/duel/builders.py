"""Builders and strategies for duels."""

import json
import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from sim.core.battle import AnySystem, Step
from sim.core.dice import ScriptedDice
from sim.core.names import describe_hidden
from sim.duel.battle import Continue, Event, Setup, State
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.dungeon_values import PlainAction
from sim.duel.battle.rules import Duel
from sim.duel.critter import Alignment, Critter, Damage, Gender

DUEL, DUNGEON = Duel(), Dungeon()
Enter, Leave, Flee, StepOut = (partial(PlainAction, do=name) for name in ("enter", "leave", "flee", "step-out"))


def critter(name: str, hp: int = 5, **values: object) -> Critter:
    """Return a critter, such as `critter("Conan", 8, str_mod=3)`."""
    return Critter.model_validate({"name": name, "hp": hp, **values})


def setup(group1: Sequence[Critter], group2: Sequence[Critter], **terms: object) -> Setup:
    """Return the setup of a fight."""
    return Setup.model_validate({"group1": tuple(group1), "group2": tuple(group2), **terms})


def act(state: Any, action: object, faces: Sequence[int] = (), seat: str = "referee") -> Step[Any, Any]:  # noqa: ANN401  # of a duel or a dungeon
    """Apply an action that uses exactly these dice."""
    system: AnySystem = DUEL if isinstance(state, State) else DUNGEON
    dice = ScriptedDice(faces)
    step = system.apply(state, action, seat, dice)
    assert dice.left == 0
    return step


def first_round(group1: Sequence[Critter], group2: Sequence[Critter], faces: Sequence[int]) -> Step[State, Event]:
    """Fight the first round of two groups with exactly these dice."""
    return act(DUEL.begin(setup(group1, group2)), Continue(), faces)


FIGHTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("fights.json").read_text(encoding="utf-8"))
"""Fights as files of the console, with all their dice, the winner, the rounds and the complete story."""

fights = pytest.mark.parametrize("fight", FIGHTS, ids=lambda fight: f"{len(fight['group1'])}v{len(fight['group2'])}")


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
