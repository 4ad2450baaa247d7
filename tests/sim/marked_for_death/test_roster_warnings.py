"""Warnings about rosters that the rules allow."""

from sim.marked_for_death.roster import Fighter
from sim.marked_for_death.roster_warnings import MAX_HINTS, MAX_WARNINGS, roster_warnings
from tests.sim.marked_for_death.builders import buff, fighter, roster


def warned(*fighters: Fighter | str) -> list[str]:
    return list(roster_warnings(roster(*fighters)))


def test_nothing_is_odd_about_plain_fighters() -> None:
    assert warned("Tom", fighter("Bo", bodyguard_for="tom", linked_to="TOM", buffs=(buff("Tom,Bo", "0.1"),))) == []


def test_names_that_nobody_has_with_the_nearest_one() -> None:
    assert warned(fighter("Tom", bodyguard_for="Sumoner", linked_to="X", buffs=(buff("Y,Tom,Y"),)), "Summoner") == [
        "Tom guards Sumoner, who isn't in the file. Did you mean Summoner?",
        "Tom is linked to X, who isn't in the file.",
        "Tom has a buff for Y, who isn't in the file.",
    ]


def test_a_buff_for_nobody() -> None:
    nobody = buff("Tom", name="Will").model_copy(update={"who": ()})
    assert warned(fighter("Tom", buffs=(nobody,))) == ["Tom's buff Will is for nobody: BuffWho is blank."]


def test_bodyguard_circles_once_each() -> None:
    assert warned(
        fighter("A", bodyguard_for="B"),
        fighter("B", bodyguard_for="C"),
        fighter("C", bodyguard_for="B"),
        fighter("D", bodyguard_for="D"),
    ) == [
        "Bodyguards in a circle: B guards C guards B; only one steps in for an attack.",
        "D is its own bodyguard, which does nothing.",
    ]


def test_a_link_to_oneself() -> None:
    assert warned(fighter("A", linked_to="a")) == ["A is linked to itself, which does nothing."]


def test_who_sits_out() -> None:
    assert warned(fighter("A", hp=0), fighter("B", hp=-3)) == ["A has 0 HP and sits out.", "B has -3 HP and sits out."]


def test_chances_at_a_cap() -> None:
    assert warned(
        fighter("A", hit="0.69", defend="0.6"), fighter("B", hit="-0.25", defend="-0.3"), fighter("C", hit="0.96")
    ) == [
        "A's ToHit is at its cap of 99% (99% before).",
        "A's ToDefend is at its cap of 90% (90% before).",
        "B's ToHit is at its floor of 5% (5% before).",
        "B's ToDefend is at its floor of 0% (0% before).",
        "C's ToHit is at its cap of 99% (126% before).",
    ]


def test_a_flood_of_unknown_names_is_counted_not_told() -> None:
    """A file of 256 KiB has room for tens of thousands of names that nobody has."""
    crowd = [
        fighter(
            f"Guard {at}", buffs=tuple(buff(",".join(f"Gaurd {at} {number}" for number in range(50))) for _ in range(2))
        )
        for at in range(60)
    ]
    warnings = warned(*crowd)
    assert len(warnings) == MAX_WARNINGS + 1
    assert warnings[-1] == f"There are {60 * 50 - MAX_WARNINGS:,} more warnings of this kind."
    assert sum("Did you mean" in warning for warning in warnings) == MAX_HINTS
