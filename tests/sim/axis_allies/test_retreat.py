"""When to retreat, for one power or several, against plain enumeration, and what must hold for any plan."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sim.axis_allies.advice_reports import Advice, RetreatReport
from sim.axis_allies.army import Army
from sim.axis_allies.parse import parse_question
from sim.axis_allies.question import Wave
from sim.axis_allies.requests import OddsRequest, RetreatRequest
from sim.axis_allies.units import Unit
from sim.core import RuleError, TooMuchError
from tests.sim.axis_allies.builders import Battle, asked, attackers, battles, named, parse_battle, piles, read, to_army
from tests.sim.axis_allies.enumerate_battle import enumerate_rounds, is_over, land_of, play_round
from tests.sim.axis_allies.enumerate_losses import Pair, Pile, Rules, swing
from tests.tables import kept_table

NEAR = 1e-10


def solve(battle: str, territory: int = 0, stop_after: int | None = None) -> RetreatReport:
    """Return the advice for the first of one or several powers."""
    return RetreatRequest.of(parse_question(battle).with_options(stop_after=stop_after), territory).run()


class Enumerated:
    """The worth of a battle in fractions: swings from a pair on, counted from then on.

    `later`: what is left of the defender is worth to the powers that attack afterwards. `left`: how many rounds there
    are, None for no limit; `leaves`: the attacker may retreat.
    """

    def __init__(self, territory: int, rules: Rules, later: Callable[[Pile], Fraction] = lambda _: Fraction(0)) -> None:
        self.territory = territory
        self.rules = rules
        self.later = later

    def over(self, pair: Pair) -> bool:
        return is_over(pair, self.rules)

    def won(self, pair: Pair) -> bool:
        return bool(pair[0]) and not pair[1] and (land_of(pair[0]) != () or not self.rules.take)

    @cache  # noqa: B019 - lives as long as one test
    def meets(self, army: Pile, enemy: Pile) -> Fraction:
        """Return what an enemy is worth to an army and those after it."""
        left = self.later(enemy)
        if not enemy:
            return Fraction(self.territory) if land_of(army) else left
        return max(left, self.after_first((army, enemy), self.worth))

    def swing(self, before: Pair, after: Pair) -> int:
        return swing(before, after, self.rules.edition)

    @cache  # noqa: B019 - likewise
    def worth(self, pair: Pair, left: int | None = None, *, leaves: bool = True) -> Fraction:
        """Return the worth of fighting on, until somebody hits if there is no limit; or of a retreat, if it's more."""
        if self.over(pair) or left == 0:
            return Fraction(self.territory) if self.won(pair) else self.later(pair[1])
        total, stays = self.step(pair, left, leaves=leaves)
        if left is None:
            total /= 1 - stays
        else:
            total += stays * self.worth(pair, left - 1, leaves=leaves)
        return max(self.later(pair[1]), total) if leaves else total

    def step(self, pair: Pair, left: int | None, *, leaves: bool) -> tuple[Fraction, Fraction]:
        """Return the mean swing of a round and what follows, but for the chance, also returned, to stay there."""
        after = play_round(pair, self.rules)
        stays = after.pop(pair, Fraction(0))
        following = (
            chance * (self.swing(pair, each) + self.worth(each, left and left - 1, leaves=leaves))
            for each, chance in after.items()
        )
        return sum(following, Fraction(0)), stays

    def go(self, pair: Pair, left: int | None = None) -> Fraction:
        """Return the worth of one more round in any case, and of the best choice after it."""
        total, stays = self.step(pair, left, leaves=True)
        return total + stays * self.worth(pair, left and left - 1)

    @cache  # noqa: B019 - likewise
    def p_won(self, pair: Pair, left: int | None = None) -> Fraction:
        """Return the chance that the attacker wins with the best plan."""
        if self.over(pair) or left == 0:
            return Fraction(self.won(pair))
        if self.go(pair, left) <= self.later(pair[1]):
            return Fraction(0)
        after = play_round(pair, self.rules)
        stays = after.pop(pair, Fraction(0)) if left is None else Fraction(0)
        won = sum((chance * self.p_won(each, left and left - 1) for each, chance in after.items()), Fraction(0))
        return won / (1 - stays)

    def after_first(self, start: Pair, worth: Callable[[Pair], Fraction]) -> Fraction:
        """Return the mean swing of all that happens up to the end of the first round, and of what follows."""
        chances = enumerate_rounds(start, self.rules, 1)
        return sum((chance * (self.swing(start, pair) + worth(pair)) for pair, chance in chances.items()), Fraction(0))


def going_on(start: Pair, plain: Enumerated, rounds: int) -> dict[Pair, Fraction]:
    """Return the pairs with which the battle goes on after some rounds, with their chances."""
    chances = enumerate_rounds(start, plain.rules, rounds).items()
    return {pair: chance for pair, chance in chances if not plain.over(pair)}


def check_states(start: Pair, plain: Enumerated, report: RetreatReport, left: int | None) -> None:
    """Compare what may be left after the first round, the likeliest first; `left`: the rounds after it."""
    on: dict[tuple[frozenset[tuple[str, int]], ...], tuple[Pair, Fraction]] = {}
    for pair, chance in going_on(start, plain, 1).items():
        keys = named(pair[0]), named(pair[1])
        on[keys] = pair, chance + on.get(keys, (pair, Fraction(0)))[1]
    if sum(chance for _, chance in on.values()) <= Fraction(1, 1000):
        return
    assert len(report.states) == min(12, len(on))
    assert [state.p for state in report.states] == sorted((state.p for state in report.states), reverse=True)
    for state in report.states:
        pair, chance = on[frozenset(state.attacker.items()), frozenset(state.defender.items())]
        retreat = plain.later(pair[1])
        fight, go = plain.worth(pair, left, leaves=False) - retreat, plain.go(pair, left) - retreat
        assert state.p == pytest.approx(float(chance), abs=NEAR)
        assert state.swing_fight_on == pytest.approx(float(fight), abs=NEAR)
        assert state.swing_go_on == pytest.approx(float(go), abs=NEAR)
        if abs(go) > 1e-6:
            assert state.advice is (Advice.GO_ON if go > 0 else Advice.RETREAT)
        assert state.swing_so_far == plain.swing(start, pair)


@st.composite
def powers(draw: st.DrawFn) -> tuple[Battle, list[Pile]]:
    """Draw a battle, and the armies that attack after its attacker, if any; some only have planes."""
    at_sea, alone = draw(st.booleans()), draw(st.booleans())
    pair, rules = draw(battles(at_sea=at_sea, most=3 if alone else 2))
    if alone:
        return (pair, rules), []
    units = attackers(rules.edition, at_sea=at_sea)
    assume(not (rules.low_luck and "heavy-bombers" in rules.technology[0]))
    return (pair, replace(rules, bombard=())), draw(st.lists(piles(2, rules.edition, units), min_size=1, max_size=2))


SUNK = ((Unit.BOMBER, 1, 0),), ((Unit.TRANSPORT, 1, 0), (Unit.SUBMARINE, 1, 0))


@given(asks=powers(), territory=st.sampled_from([0, 3, 20]), limit=st.none() | st.integers(1, 3))
@example(asks=((SUNK, Rules(edition="anniversary")), [((Unit.CRUISER, 1, 0),)]), territory=0, limit=None)
@settings(max_examples=250, deadline=None)
def test_plans_are_as_enumerated(asks: tuple[Battle, list[Pile]], territory: int, limit: int | None) -> None:
    """Of one power or several, with whatever the edition has; in the example ships are lost without dice."""
    (start, rules), armies = asks
    plain = Enumerated(territory, rules)
    for force in reversed(armies):
        plain = Enumerated(territory, rules, partial(plain.meets, force))
    chances = enumerate_rounds(start, rules, 1)
    assume(set(chances) != {start})
    later = tuple(Wave(army=to_army(army, rules.edition)) for army in armies)
    asked_about = asked((start, rules)) | {"territory": territory, "later": later, "stop_after": limit}
    report = RetreatRequest(**asked_about).run()
    left = limit and limit - 1
    fight, best = (
        plain.after_first(start, partial(plain.worth, left=left, leaves=leaves)) - plain.later(start[1])
        for leaves in (False, True)
    )
    assert report.fight_on.swing == pytest.approx(float(fight), abs=NEAR)
    assert report.rounds[0].swing_go_on == pytest.approx(float(best), abs=NEAR)
    assert report.best.swing == pytest.approx(float(max(Fraction(0), best)), abs=NEAR)
    if abs(best) > 1e-6:
        won = sum(chance * plain.p_won(pair, left) for pair, chance in chances.items()) if best > 0 else 0
        assert report.best.p_attacker == pytest.approx(float(won), abs=NEAR)
    if left != 0:
        check_states(start, plain, report, left)
    assert limit is None or len(report.rounds) <= limit
    for round_ in report.rounds[1:3]:
        left = limit and limit - round_.number
        on = going_on(start, plain, round_.number)
        p_on = sum(on.values())
        assert round_.p_on == pytest.approx(float(p_on), abs=NEAR)
        behind = sum(chance * plain.later(pair[1]) for pair, chance in on.items())
        fights = partial(plain.worth, left=left, leaves=False)
        for name, worth in (("fight_on", fights), ("best", plain.worth), ("go_on", plain.go)):
            mean = (sum(chance * worth(pair, left=left) for pair, chance in on.items()) - behind) / p_on
            assert getattr(round_, f"swing_{name}") == pytest.approx(float(mean), abs=1e-7), name
        better = sum(chance for pair, chance in on.items() if plain.go(pair, left) > plain.later(pair[1]))
        assert round_.p_go_on_better == pytest.approx(float(better / p_on), abs=1e-7)


@pytest.mark.parametrize(("battle", "options", "words"), kept_table(__file__, "advice_plain_sentence"))
def test_the_advice_is_a_plain_sentence(battle: str, options: dict[str, int], words: str) -> None:
    report = solve(battle, **options)
    assert f"{report.words()}. {report.worth_words()}.".startswith(words)


LARGER = kept_table(__file__, "larger")


@pytest.mark.parametrize("battle", LARGER)
@pytest.mark.parametrize("stop_after", [None, 3])
def test_fighting_on_is_what_the_odds_say(battle: str, stop_after: int | None) -> None:
    odds = OddsRequest(**parse_battle(battle), stop_after=stop_after).run(course=True)
    report = solve(battle, territory=8, stop_after=stop_after)
    plan = report.fight_on
    assert plan.swing == pytest.approx(odds.def_ipc_lost - odds.att_ipc_lost + 8 * odds.p_attacker, abs=1e-8)
    assert (plan.p_attacker, plan.p_defender, plan.p_tie, plan.p_none) == pytest.approx(
        (odds.p_attacker, odds.p_defender, odds.p_tie, odds.p_none), abs=1e-9
    )
    assert plan.p_retreat == 0.0
    for round_, course in zip(report.rounds, odds.rounds, strict=False):
        # Without a limit the course of the odds is for a picture, and drops small chances.
        assert round_.p_on == pytest.approx(1 - course.p_over, abs=1e-9 if stop_after else 1e-6)


def test_nothing_to_fear() -> None:
    """Transports can't shoot: the destroyer goes on to the end, round after round."""
    report = solve("dd vs 3 tr")
    assert report.best.swing == report.fight_on.swing == pytest.approx(21)
    assert len(report.rounds) == 21
    assert {round_.advice for round_ in report.rounds} == {Advice.GO_ON}
    assert [round_.p_go_on_better for round_ in report.rounds] == pytest.approx([1.0] * 21)


@pytest.mark.parametrize(
    ("battle", "limit", "message"),
    [
        ("sub vs ftr", None, "^Neither side"),
        ("3 tr vs tr", None, "^Neither side"),
        ("3000 inf vs 3000 inf", None, "too large"),
        ("400 inf vs 400 inf", 1000, "too large"),
    ],
)
def test_what_has_no_advice(battle: str, limit: int | None, message: str) -> None:
    with pytest.raises(TooMuchError if message == "too large" else RuleError, match=message):
        solve(battle, stop_after=limit)
    with pytest.raises(RuleError, match="no units"):
        RetreatRequest(attacker=read("inf"), defender=Army()).run()


def test_what_is_left_may_be_worth_more_to_the_next_power() -> None:
    """Alone the attack goes on after a bad round; with tanks behind it, it leaves the rest to them."""
    alone, both = (solve(f"1942: 6 inf, 2 tanks{more} vs 8 inf", 5) for more in ("", " then 4 inf, 3 tanks"))
    assert [each.rounds[3].advice for each in (alone, both)] == ["go on", "retreat"]


def test_planes_clear_a_territory_for_the_power_that_takes_it() -> None:
    for waves, same in (("1 ftr then 1 inf", True), ("1 inf then 1 ftr", False)):
        taken, won = (solve(f"1942: {waves} vs 1 inf{more}", 10).best for more in (" | take territory", ""))
        assert (taken.swing == won.swing) is same
    with pytest.raises(RuleError, match="Only land units can take a territory"):
        solve("1942: 1 ftr then 1 bmr vs 1 inf | take territory")


def test_waves_do_not_search_for_orders() -> None:
    with pytest.raises(RuleError, match="With waves, losses go by score"):
        solve("1942: 6 inf then 4 inf vs 8 inf | order attacker: smart")
