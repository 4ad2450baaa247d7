"""`/mfd`: what the snapshots don't show of two rosters, their odds, and a battle that a referee changes.

Rosters and their battles on pages, and the form of one fighter: everything is there, and fits.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import discord
import pytest
from simcord import ResponseMessage

import bot.games.marked_for_death.render as pages
from bot.answers.document import LINES_A_PAGE
from bot.games.marked_for_death.presenter import fighter_fields, form_values_of, read_amend
from bot.games.marked_for_death.render import battle_content, event_lines, run_document
from bot.ui import Picture, plain
from sim.core import RuleError
from sim.core.values import Paused
from sim.marked_for_death.battle import Fell, Setup
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.roster import MAX_NAME, Buff, Camp, Fighter, Roster
from tests.bot.conftest import Table, answer
from tests.sim.marked_for_death.builders import ORCS, RIDERS, crowd, roster, run
from tests.sim.marked_for_death.builders import fighter as sim_fighter
from tests.tables import kept_table

pytestmark = pytest.mark.usefixtures("fixed_dice")


def file(text: str) -> tuple[str, bytes]:
    return "roster.csv", text.encode()


async def start(table: Table, heroes: str = RIDERS, villains: str = ORCS, **options: int) -> ResponseMessage:
    sides = {"heroes": file(heroes), "villains": file(villains)}
    return answer(await table.ann.slash(table.channel, "mfd start", **sides, **options))


PICTURE = Picture("battle.png", b"", "")


def band(name: str, fighters: int, hp: int = 0, to_hit: str = "0") -> Roster:
    return Roster(
        fighters=tuple(
            Fighter(name=f"{name} {number}", xp=1000, bonus_hp=hp, bonus_to_hit=to_hit) for number in range(fighters)
        )
    )


def test_every_survivor_is_named_however_many_there_are() -> None:
    report = run(band("Archer of the northern watch", 400, hp=50), band("Orc", 1, hp=90), max_rounds=3)
    document = run_document(report, PICTURE)
    summary = "\n".join(document.page(at) for at, leaf in enumerate(document.pages) if leaf.title.startswith("Summary"))
    assert len(report.heroes.survivors) == 400
    for name, hp in report.heroes.survivors:
        assert f"{name} \\({hp} HP\\)" in summary or f"{name} ({hp} HP)" in summary


def test_the_log_is_written_page_by_page_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large battle has tens of thousands of lines, and the bot has no time to escape them all at each press."""
    report = run(band("Hero", 60, hp=99), band("Orc", 60, hp=99), max_rounds=3)
    written: list[str] = []

    def noted(name: str, most: int = 80) -> str:
        written.append(name)
        return plain(name, most)

    monkeypatch.setattr(pages, "plain", noted)
    document = run_document(report, PICTURE)
    assert not any("attacks" in text for text in written)
    last = document.page(len(document.pages) - 1)
    assert 0 < sum("attacks" in text for text in written) <= LINES_A_PAGE
    assert "attacks" in last


def test_a_pause_after_one_round_and_after_more() -> None:
    assert list(event_lines([Paused(rounds=1), Paused(rounds=4)])) == [
        "⏸️ 1 round fought: the battle can go on.",
        "⏸️ 4 rounds fought: the battle can go on.",
    ]


def test_those_who_take_somebody_down_are_named_as_in_a_sentence() -> None:
    def line(*by: str) -> str:
        (text,) = event_lines([Fell(camp=Camp.HEROES, name="Tom", hp=-1, by=by)])
        return text

    assert line("Orc") == "💀 Orc takes down **Tom**"
    assert line("Orc", "Troll") == "💀 Orc and Troll take down **Tom**"
    assert line("A", "B", "C", "D", "E", "F") == "💀 A, B, C, D and 2 more take down **Tom**"


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


@pytest.mark.parametrize(("values", "expected"), kept_table(__file__, "forms_refused"))
def test_what_can_not_be_read_from_a_form(values: dict[str, str], expected: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_amend(form_values_of(Camp.HEROES, fighter()) | values, STATE)
    assert str(caught.value).startswith(expected)


def test_without_a_card_the_panel_names_everybody() -> None:
    state = RosterBattle().begin(Setup(heroes=roster("Tom", sim_fighter("Ann", hp=0)), villains=crowd(1)))
    assert battle_content(state, ()).state == (
        "🛡️ **Heroes**: 1 of 2 stand\n❤️ Tom (2)\n-# 💀 Ann\n👹 **Villains**: 1 of 1 stand\n❤️ F1 (2)"
    )
