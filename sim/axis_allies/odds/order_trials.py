"""Tries the orders of one part of a search."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sim.axis_allies.odds.layout import Floats
from sim.axis_allies.odds.lineup import Search
from sim.axis_allies.odds.order_question import Aim, Question, Tried, Worth

_RANKS = 100  # more than there are slots


@lru_cache(maxsize=1)
def searches_of(question: Question, by_chance: bool) -> list[Search]:
    """Return the searches of a question, kept for what follows the estimate."""
    return question.searches(by_chance=by_chance)


def try_orders(question: Question, by_chance: bool, ends: Sequence[int]) -> tuple[Tried, ...]:
    """Try the orders of a part; return those that may be the best."""
    searches = enumerate(zip(searches_of(question, by_chance), ends, strict=True))
    tried = [(at, search, *search.run(mask)) for at, (search, mask) in searches if mask]
    column = columns(np.concatenate([values for *_, values in tried]), question.aim)[0]
    least = column.max() - Worth(0.0, 0.0, 0.0).ranks(question.aim)[0][1]
    rows = []
    for at, search, orders, values in tried:
        may = columns(values, question.aim)[0] >= least
        for order, worth in zip(orders[may].tolist(), values[may].tolist(), strict=True):
            rank = at * _RANKS - order[-1 - min(search.fork, len(order) - 1)]
            rows.append(Tried(rank, search.slots.named(order), Worth(*worth)))
    return tuple(rows)


def columns(values: Floats, aim: Aim) -> tuple[Floats, ...]:
    """Return what counts of rows of win, lose, swing, the most important first."""
    win, lose, swing = values.T
    return (win, -lose, swing) if aim == "smart" else (swing, win, -lose)
