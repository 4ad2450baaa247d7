"""The luck ledger: dice of many battles as the hands of one answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.store.chronicle import Dice
from sim.core.luck import shared_tie
from sim.jobs.luck import Hand

MAX_HANDS = 10

_HITS = "hits"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Hands with their labels in markdown."""

    labels: Sequence[str]
    hands: Sequence[Hand]


def ledger_of(dice: Sequence[Dice], titles: Mapping[str, str]) -> Ledger:
    """Return all dice of several battles: the hits of all games first if several have some, then each game's own."""
    groups: dict[tuple[str, str], list[Dice]] = {}
    for each in dice:
        groups.setdefault((titles.get(each.system, each.system), each.unit), []).append(each)
    names = {key: f"{key[0]}, {key[1]}" for key in groups}
    ordered = sorted(groups, key=lambda key: (-len(groups[key]), key))
    hands = [_hand(names[key], key[1], groups[key]) for key in ordered]
    if sum(unit == _HITS for _, unit in groups) > 1:
        hands.insert(0, _hand("All hits", _HITS, [each for each in dice if each.unit == _HITS]))
    hands = hands[:MAX_HANDS]
    return Ledger([hand.name for hand in hands], hands)


def ledger_of_battle(dice: Sequence[Dice]) -> Ledger:
    """Return the dice of one battle, seat by seat."""
    several = len({each.unit for each in dice}) > 1
    labels, hands = [], []
    for each in dice[:MAX_HANDS]:
        seat = each.seat.replace("-", " ").capitalize()
        unit = f", {each.unit}" if several else ""
        labels.append(f"{seat}{'' if each.user_id is None else f' <@{each.user_id}>'}{unit}")
        hands.append(_hand(f"{seat}{unit}", each.unit, [each]))
    return Ledger(labels, hands)


def _hand(name: str, unit: str, dice: Iterable[Dice]) -> Hand:
    found = list(dice)
    return Hand(
        name=name,
        unit=unit,
        bags=tuple(each.bag for each in found),
        rolled=sum(each.rolled for each in found),
        tie=shared_tie(each.tie for each in found),
    )
