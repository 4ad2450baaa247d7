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
def battles(draw: st.DrawFn, *, most: int = 4) -> Battle:
    """Draw a battle on land or at sea, up to `most` units a side, and its terms."""
    at_sea = draw(st.booleans())
    edition = draw(st.sampled_from(list(EDITIONS)))
    book = EDITIONS[edition]
    mark = book.rules.guns is Guns.MARK
    kinds = {Category.NAVAL if at_sea else Category.LAND, Category.AIR}
    units = [unit for unit in book.units if unit.category in kinds]

    def pile(allowed: list[Unit]) -> Pile:
        drawn = draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=most))
        counts = {unit: drawn.count(unit) for unit in dict.fromkeys(drawn)}
        lives = {unit: draw(st.integers(0, count)) if book.lives(unit) else 0 for unit, count in counts.items()}
        return tuple((unit, count, lives[unit]) for unit, count in counts.items())

    attacker = pile([unit for unit in units if unit is not Unit.GUN])
    defender = pile([unit for unit in units if unit is not Unit.GUN or not mark])
    names = sorted(set(book.technology) - {"combined-bombardment"})
    known = [tuple(draw(st.lists(st.sampled_from(names), unique=True, max_size=1))) if names else () for _ in Side]
    lands = any(unit.category is Category.LAND for unit, _, _ in attacker)
    bombarding = draw(st.lists(st.sampled_from(book.rules.bombarding), max_size=2)) if book.rules.bombarding else []
    rules = Rules(
        edition=edition,
        technology=(known[0], known[1]),
        take=lands and draw(st.booleans()),
        mark=mark and not at_sea and draw(st.booleans()),
        bombard=tuple(bombarding) if lands else (),
        landing=draw(st.none() | st.integers(1, 2)),
        low_luck=draw(st.sampled_from([False, False, True])),
    )
    heavy = book.technology.get("heavy-bombers")
    assume(not (rules.low_luck and "heavy-bombers" in known[0] and heavy is not None and heavy.best_of > 1))
    return (attacker, defender), rules


def asked(battle: Battle) -> dict[str, Any]:
    """Return what a request asks about a battle."""
    (attacker, defender), rules = battle
    ships = tuple((ship, rules.bombard.count(ship), 0) for ship in dict.fromkeys(rules.bombard))
    whole = tuple((ship, count, EDITIONS[rules.edition].lives(ship) * count) for ship, count, _ in ships)
    return {
        "attacker": to_army(attacker, rules.edition),
        "defender": to_army((*defender, (Unit.GUN, 1, 0)) if rules.mark else defender, rules.edition),
        "must_take": rules.take,
        "bombard": to_army(whole, rules.edition),
        "landing": rules.landing,
        "attacker_technology": rules.technology[0],
        "defender_technology": rules.technology[1],
        "low_luck": rules.low_luck,
    }
