import pytest
from hypothesis import given
from pydantic import ValidationError

from sim.boss_fight.exchange import exchange
from sim.boss_fight.presets import KNOWN_BOSSES
from sim.boss_fight.reports import BossRow, End, EveryBossReport, WhatIfReport
from sim.boss_fight.requests import EveryBossRequest, WhatIfRequest
from sim.boss_fight.values import Boss, Deck, Element
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import boss, bosses, deck, decks, simple, token, trait


@pytest.mark.parametrize(
    ("health", "damage", "end", "exchanges"),
    [
        (100, 9, End.VICTORY, 10),
        (101, 9, End.VICTORY, 11),
        (100, 10, End.BOTH, 10),  # both at once, and that is a victory
        (101, 10, End.DEFEAT, 10),
        (100, 11, End.BOTH, 10),
        (1, 100, End.BOTH, 1),
    ],
)
def test_how_many_exchanges_it_takes(health: int, damage: int, end: End, exchanges: int) -> None:
    """The player has 100 health and deals 10 damage."""
    report = WhatIfRequest(boss=boss(health, damage), deck=simple(100, 10)).run()
    assert (report.outlook.end, report.outlook.exchanges) == (end, exchanges)
    assert WhatIfReport.model_validate_json(report.model_dump_json()) == report


def test_a_fight_in_which_nobody_is_hurt_has_no_end() -> None:
    report = WhatIfRequest(boss=boss(flags="MR"), deck=simple(100)).run()
    assert (report.outlook.end, report.outlook.exchanges, report.outlook.about) == (End.STALEMATE, None, "")


def test_a_deck_without_health_cannot_fight_on() -> None:
    report = WhatIfRequest(boss=boss(), deck=simple(0, 5000)).run()
    assert report.outlook.end is End.UNFIT
    assert report.exchange.score == 4000


def test_numbers_beyond_counting_are_told_roughly() -> None:
    """A hundred halves: the player falls after 2^100 exchanges."""
    many = deck(*[token(trait(1, flags="PR"))] * 100)
    report = WhatIfRequest(boss=boss(physical=100), deck=many).run()
    assert (report.outlook.end, report.outlook.exchanges, report.outlook.about) == (End.DEFEAT, None, "1.3e30")


@given(bosses, decks())
def test_the_end_is_where_step_after_step_leads(foe: Boss, many: Deck) -> None:
    report = WhatIfRequest(boss=foe, deck=many).run()
    count = report.outlook.exchanges
    if report.outlook.end in {End.STALEMATE, End.UNFIT} or count is None:
        return
    dealt, taken = report.exchange.to_boss.total, report.exchange.to_player.total
    health = report.exchange.player_health
    # One exchange before, both stand; after the last, whoever is said to fall has fallen.
    assert foe.health - (count - 1) * dealt > 0 < health - (count - 1) * taken
    fallen = (foe.health <= count * dealt, health <= count * taken)
    expected = {End.VICTORY: (True, False), End.BOTH: (True, True), End.DEFEAT: (False, True)}
    assert fallen == expected[report.outlook.end]


def test_one_deck_against_every_boss() -> None:
    many = simple(5000, 1000, element=Element.FIRE)
    report = EveryBossRequest(bosses=KNOWN_BOSSES, deck=many).run()
    assert [row.boss.name for row in report.rows] == [foe.name for foe in KNOWN_BOSSES]
    for row in report.rows:
        alone = exchange(row.boss, many)
        assert isinstance(row, BossRow)
        assert (row.to_boss, row.to_player, row.score) == (alone.to_boss, alone.to_player, alone.score)
    assert EveryBossReport.model_validate_json(report.model_dump_json()) == report


def test_the_number_of_bosses_is_limited() -> None:
    with pytest.raises(RuleError, match="at most 100 bosses at once; here are 101"):
        EveryBossRequest(bosses=(boss(),) * 101, deck=simple(1)).cost()
    with pytest.raises(ValidationError):
        EveryBossRequest(bosses=(), deck=simple(1))
