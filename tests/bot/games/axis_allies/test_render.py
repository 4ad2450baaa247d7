"""The live battle's panel and log as text: what is shown, and that it always fits."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from bot.answers.document import LINES_A_PAGE, line_pages, room
from bot.battles.panel import last_lines
from bot.games.axis_allies.presenter import battle_content, title
from bot.ui.text import utf16_length
from sim.axis_allies.army import Army, Group
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Event, Setup, State
from sim.axis_allies.units import Unit
from sim.core.dice import ScriptedDice
from sim.core.values import Side
from tests.sim.axis_allies.builders import parse_battle

RULES = DiceBattle()


def begun(text: str, **options: object) -> State:
    armies = parse_battle(text)
    setup = Setup.model_validate({"attacker": armies[Side.ATTACKER], "defender": armies[Side.DEFENDER], **options})
    state: State = RULES.begin(setup)
    return state


def fired(state: State, *faces: int) -> tuple[State, tuple[Event, ...]]:
    (action,) = [option.action for option in RULES.legal(state) if option.name == "fire"]
    assert action is not None
    step = RULES.apply(state, action, "attacker", ScriptedDice(faces))
    return step.state, step.events


def test_both_sides_may_fall() -> None:
    assert title(fired(begun("1 tank vs 1 inf"), 1, 1)[0]) == "🤝 both sides fall after 1 round"


def test_luck_of_the_dice_where_losses_are_by_hand() -> None:
    state, events = fired(begun("1 tank vs 1 inf", attacker_losses="manual"), 1, 6)
    content = battle_content(state, events, None, None)
    assert "-# 🎲 ⚔️ 1 hit with 1 die, 0.5 expected\n-# 🎲 🛡️ 0 hits with 1 die, 0.3 expected" in content.state
    assert "🍀" not in content.state


def test_damage_is_told() -> None:
    army = Army(groups=(Group(unit=Unit.BATTLESHIP, count=Fraction(2), lives=Fraction(1)),))
    state = begun("2 bb vs 1 dest").model_copy(update={"attacker": army})
    assert "2 battleships (1 damaged)" in battle_content(state, (), None, None).state


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60)), st.integers(2, 200))
def test_the_ending_of_a_text_fits_and_has_its_last_lines(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    kept = last_lines(text, most)
    assert utf16_length(kept) <= most
    assert kept == text or kept.startswith("…")
    assert text.endswith(kept.removeprefix("…").removeprefix("\n"))


@given(st.lists(st.text("ab⚀🛡", max_size=80), min_size=1), st.integers(170, 400))
def test_the_log_is_parted_into_pages_that_fit_and_loses_nothing(lines: list[str], most: int) -> None:
    parts = [page.text() for page in line_pages("The log", lines, "#" * (room("") - most), "Head")]
    assert [line for part in parts for line in part.split("\n")[1:]] == lines
    for part in parts:
        assert 1 < len(part.split("\n")) <= 1 + LINES_A_PAGE
        assert part.startswith("Head\n")
        assert utf16_length(part) <= most
