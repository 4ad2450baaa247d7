"""The log in fewer lines, as the panel shows it."""

from sim.mad_killer_agents.battle.events import Event, Fought, Moved, Played, TurnBegan, log, short_log
from sim.mad_killer_agents.constants import AiKind


def fought(units: int, lost: int, killed: int, *, taken: bool = False, city: tuple[int, int] = (0, 0)) -> Fought:
    return Fought(
        by=1,
        name="Ann",
        at="A1",
        to="B2",
        enemy=2,
        enemy_name="Ben",
        units=units,
        defenders=9,
        attacker_loss=lost,
        defender_loss=killed,
        city=city[0],
        city_left=city[1],
        taken=taken,
    )


def moved(*places: str) -> Moved:
    return Moved(by=1, name="Ann", ways=tuple((place, "C3", 7, 0) for place in places))


def test_attacks_on_one_tile_are_one_line() -> None:
    events: tuple[Event, ...] = (
        fought(2, 2, 3, city=(3, 3)),
        fought(1, 1, 2, city=(3, 3)),
        fought(5, 0, 4, taken=True, city=(3, 0)),
    )
    assert short_log(events) == [
        "  Ann attacks B2 from A1 3 times: Ann loses 3 and Ben loses 9, the city is destroyed; Ann takes B2.",
    ]
    assert short_log((fought(5, 2, 4, city=(3, 3)), fought(5, 0, 0, city=(3, 1)))) == [
        "  Ann attacks B2 from A1 twice: Ann loses 2 and Ben loses 4, the city shrinks from 3 to 1.",
    ]
    assert short_log(events[:1]) == log(events[:1])
    assert log(events[:1]) == ["  Ann attacks B2 from A1: 2 against Ben's 9 units; Ann loses 2 and Ben loses 3."]


def test_a_victory_without_losses_leaves_them_out() -> None:
    assert log((fought(5, 0, 9, taken=True),)) == [
        "  Ann attacks B2 from A1: 5 against Ben's 9 units; Ben loses 9; Ann takes B2."
    ]


def test_many_moves_are_counted() -> None:
    assert short_log((moved("A1", "A2"), moved("A3"))) == ["  Ann: 7 move A1-C3; 7 move A2-C3; 7 move A3-C3."]
    assert short_log((moved("A1", "A2"), moved("A3", "A4"))) == ["  Ann makes 4 moves."]


def test_an_ai_s_own_turn_needs_no_line_of_its_own() -> None:
    turn = TurnBegan(by=1, name="Ann", round=2, made=1)
    own, instead = (Played(by=1, name="Ann", ai=AiKind.MARSHAL, instead=other) for other in (False, True))
    assert short_log((turn, own)) == ["Round 2, Ann: cities make 1 unit."]
    assert short_log((turn, instead))[1:] == ["  The marshal plays for Ann."]
