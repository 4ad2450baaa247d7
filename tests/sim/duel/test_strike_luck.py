"""The dice of strikes as a measure of luck."""

import pytest

from sim.core.luck import BAGS, expected
from sim.core.luck_odds import Sums
from sim.duel.battle.fight import damage_dice
from sim.duel.damage import parse_damage


@pytest.mark.parametrize("text", ["1d4", "2d6+1", "3d8-2", "1d4-3", "20d100+100", "20d100-100"])
def test_damage_is_that_of_a_hit(text: str) -> None:
    damage = parse_damage(text)
    bag = BAGS.validate_json(BAGS.dump_json(damage_dice(damage)))
    sums = Sums.of(bag)
    chances = damage.chances()
    for dealt in (damage.minimum, round(damage.mean), damage.maximum):
        assert sums.at_most(dealt) == pytest.approx(sum(chances[: dealt + 1]), abs=1e-9)
    assert float(expected(bag)) == pytest.approx(sum(dealt * chance for dealt, chance in enumerate(chances)))
