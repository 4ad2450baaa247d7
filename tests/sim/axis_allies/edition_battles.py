"""Small battles of all editions: drawn, and as what a request asks."""

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from sim.axis_allies.editions import EDITIONS, Guns
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side
from tests.sim.axis_allies.enumerate_battle import Pair, Pile, Rules
from tests.sim.axis_allies.odds_builders import to_army

Battle = tuple[Pair, Rules]


@st.composite
def battles(draw: st.DrawFn, *, at_sea: bool | None = None, most: int = 5) -> Battle:
    """Draw a battle, on land or at sea if it isn't said, up to `most` units a side, and its terms."""
    at_sea = draw(st.booleans()) if at_sea is None else at_sea
    edition = draw(st.sampled_from(list(EDITIONS)))
    book = EDITIONS[edition]
    units = [
        unit for unit in book.units if unit.category in {Category.NAVAL if at_sea else Category.LAND, Category.AIR}
    ]

    def pile(kinds: list[Unit]) -> Pile:
        drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most))
        counts = {unit: drawn.count(unit) for unit in dict.fromkeys(drawn)}
        return tuple(
            (unit, count, draw(st.integers(0, count)) if book.lives(unit) else 0) for unit, count in counts.items()
        )

    attacker = pile([unit for unit in units if unit is not Unit.GUN])
    defender = pile([unit for unit in units if not book.units[unit].mark])
    names = list(book.technology)
    known = [tuple(draw(st.lists(st.sampled_from(names), unique=True, max_size=2))) if names else () for _ in Side]
    lands = any(unit.category is Category.LAND for unit, _, _ in attacker)
    ships = [*book.rules.bombarding, *([Unit.DESTROYER] if "combined-bombardment" in known[0] else [])]
    rules = Rules(
        edition=edition,
        technology=(known[0], known[1]),
        take=lands and draw(st.booleans()),
        mark=book.rules.guns is Guns.MARK and not at_sea and draw(st.booleans()),
        bombard=tuple(draw(st.lists(st.sampled_from(ships), max_size=2))) if lands and ships else (),
        landing=draw(st.none() | st.integers(1, 2)),
        low_luck=draw(st.sampled_from([False, False, True])),
    )
    heavy = "heavy-bombers" in known[0] and any(unit is Unit.BOMBER for unit, _, _ in attacker)
    assume(not (rules.low_luck and heavy and edition in {"anniversary", "1940"}))
    return (attacker, defender), rules


def asked(battle: Battle) -> dict[str, Any]:
    """Return what a request asks about a battle."""
    (attacker, defender), rules = battle
    ships = tuple((ship, rules.bombard.count(ship), 0) for ship in dict.fromkeys(rules.bombard))
    return {
        "attacker": to_army(attacker, rules.edition),
        "defender": to_army((*defender, (Unit.GUN, 1, 0)) if rules.mark else defender, rules.edition),
        "must_take": rules.take,
        "bombard": to_army(ships, rules.edition),
        "landing": rules.landing,
        "attacker_technology": rules.technology[0],
        "defender_technology": rules.technology[1],
        "low_luck": rules.low_luck,
    }
