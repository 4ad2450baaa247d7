"""What readers of an answer should know besides the odds: a line each, only where it applies.

Source: .docs/rules/axis_allies.md, "The answer" and "End, winner, territory".
"""

from collections.abc import Iterator

from sim.axis_allies.arms import DIE, arms_of
from sim.axis_allies.editions import Guns
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.units import Category, Unit
from sim.core.numbers import quantity
from sim.core.values import Side


def caveats(request: BattleRequest, *, retreats: bool = False) -> tuple[str, ...]:
    """Return the caveats of a battle in which the attacker may retreat, each a sentence without its full stop."""
    return (
        *_antiaircraft_fire(request),
        *_bombardment(request),
        *_land_and_sea(request),
        *_not_modelled(request, retreats=retreats),
    )


def _antiaircraft_fire(request: BattleRequest) -> Iterator[str]:
    book, guns = request.defender.book, int(request.defender.count(Unit.GUN))
    if not guns:
        return
    planes = sum(int(group.count) for group in request.attacker.groups if group.unit.category is Category.AIR)
    if book.rules.guns is Guns.MARK and guns > 1:
        yield f"{guns:,} antiaircraft guns fire as one in {book.title}"
        guns = 1
    if planes:
        dice = planes if book.rules.guns is Guns.MARK else min(planes, guns * book.rules.dice_of_gun)
        falls = dice * arms_of(request.edition, Side.DEFENDER, request.defender_technology).gun_hits / DIE
        planes_fall = "1 plane falls" if falls == 1 else f"{_mean(falls)} planes fall"
        who = f"{quantity(guns, 'gun')}, {quantity(dice, 'die', 'dice')}"
        yield f"antiaircraft fire: {who}: {planes_fall} on average"


def _bombardment(request: BattleRequest) -> Iterator[str]:
    if not request.bombard:
        return
    arms = arms_of(request.edition, Side.ATTACKER, request.attacker_technology)
    firing = request.ships
    together, able = sum(int(group.count) for group in request.bombard.groups), sum(count for _, count in firing)
    if able:
        hits = sum(arms.weapons[unit].chance * count for unit, count in firing)
        named = ", ".join(f"{count:,} {unit.named(str(count))}" for unit, count in firing)
        fires = "who is hit still fires" if arms.rules.bombarded_fire_back else "who is hit no longer fires"
        yield f"bombardment: {named}: {_mean(hits)} {'hit' if hits == 1 else 'hits'} on average; {fires}"
    if able < together:
        yield (
            f"{able or 'none'} of {quantity(together, 'ship')} {'bombards' if able == 1 else 'bombard'}: "
            "one for each land unit that comes by sea"
        )


def _land_and_sea(request: BattleRequest) -> Iterator[str]:
    exposed = request.defender.book.rules.defenceless
    here, there = request.attacker, request.defender
    for side, army in ((Side.ATTACKER, here), (Side.DEFENDER, there)) if exposed else ():
        if army and all(group.unit in exposed for group in army.groups):
            names = " and ".join(group.unit.plural for group in army.groups)
            yield f"the {side}'s {names} have nobody to defend them: they are lost at once"
    if Unit.TRANSPORT in exposed and any(army.count(Unit.TRANSPORT) and army.groups[1:] for army in (here, there)):
        yield "transports left alone are lost at once"
    if here and not (here.has(Category.LAND) or here.has(Category.NAVAL) or there.has(Category.NAVAL)):
        yield "planes alone take no territory"


def _not_modelled(request: BattleRequest, *, retreats: bool) -> Iterator[str]:
    if retreats and (request.bombard or request.landing):
        yield "by the rules, units that came by sea can't retreat; here they do"
    if request.defender.has(Category.NAVAL) and request.defender.count(Unit.BOMBER):
        yield "by the rules, bombers can't defend a fleet; here they do"


def _mean(figure: float) -> str:
    return f"{figure:,.2f}".rstrip("0").rstrip(".")
