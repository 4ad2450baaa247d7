"""The form of one fighter: whatever a roster may hold comes back from it as it was."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import discord
import pytest

from bot.games.marked_for_death.items import fighter_fields, form_values_of, read_amend
from sim.core.errors import RuleError
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import Setup
from sim.marked_for_death.roster import MAX_NAME, Buff, Camp, Fighter
from tests.sim.marked_for_death.builders import crowd

STATE = RosterBattle().begin(Setup(heroes=crowd(1), villains=crowd(1)))
CROWD = tuple(f"Ninja number {number} of the Leaf" for number in range(200))


def fighter(*buffs: Buff, name: str = "Tom") -> Fighter:
    return Fighter(name=name, xp=5000, buffs=buffs)


def buff(name: str, *who: str) -> Buff:
    return Buff(name=name, who=who, offense=Decimal("0.1"), defense=Decimal("-0.25"))


def inputs(values: Mapping[str, str]) -> list[discord.ui.TextInput[Any]]:
    return [label.component for label in fighter_fields(values) if isinstance(label.component, discord.ui.TextInput)]


@pytest.mark.parametrize(
    "given",
    [
        fighter(buff("Teamwork", "Tom", "Summoner"), buff("", "Tom"), buff("Alone")),
        fighter(buff("A|B", "Tom|Tim", "C|D")),
        fighter(buff("Log", *CROWD), buff("Wall", *CROWD)),
        fighter(name="🐉" * MAX_NAME),
    ],
)
def test_a_form_that_is_sent_as_it_was_opened_changes_nothing(given: Fighter) -> None:
    values = form_values_of(Camp.HEROES, given)
    entries = inputs(values)
    assert all(len((entry.default or "").encode("utf-16-le")) // 2 <= (entry.max_length or 0) for entry in entries)
    assert read_amend(values, STATE).fighter == given


def test_buffs_too_long_for_a_form_are_left_out_of_it() -> None:
    """What no field shows comes back with the others, so nothing is lost."""
    names = [field.custom_id for field in inputs(form_values_of(Camp.HEROES, fighter(buff("Log", "A"))))]
    assert names == ["name", "numbers", "guards", "linked", "buffs"]
    values = form_values_of(Camp.HEROES, fighter(buff("Log", *CROWD)))
    assert [field.custom_id for field in inputs(values)] == names[:-1]
    assert fighter_fields(values)[-1].description == "The buffs are too long for a form and stay as they are"


def test_a_buff_s_line_with_too_few_parts() -> None:
    with pytest.raises(RuleError, match=r"Buffs, line 1: write name \| who"):
        read_amend(form_values_of(Camp.HEROES, fighter()) | {"buffs": "Teamwork | Tom"}, STATE)
