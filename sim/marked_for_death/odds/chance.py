"""Seeded chance for simulated battles: keyed streams of random words, and binomial rolls of any number of dice.

A stream is SplitMix64 started at a mixed key, so every fighter of every round of every battle has its own. Rolls use
additions, multiplications, divisions and square roots of 64-bit floats alone, which every platform rounds alike, with
and without the compiler. Without it the words wrap around under `np.errstate(over="ignore")`, which the caller sets.

Up to `TABLE_DICE` dice are rolled by inversion: tables of the distribution by (dice, chance), made on first use and
kept in a cache that overwrites; with the same word a better chance never hits less. More dice are rolled by stepwise
inversion if few hits are expected, else by Hörmann's rejection BTRS (1993). Rolls are accurate to about 1e-13, choices
among N fighters to N / 2**32.
"""

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sim.core.kernels import inner, kernel, woven
from sim.marked_for_death.odds.sampling import MILLION

Floats = NDArray[np.float64]
"""Chances, masses."""

Ints = NDArray[np.int64]
"""Numbers of fighters, hit points, bonuses in millionths."""

Words = NDArray[np.uint64]
"""States of generators."""

Bytes = NDArray[np.uint8]
"""Small numbers: flags, first places to look."""

TABLE_DICE = 63
"""The most dice rolled by table."""

_COLUMNS = TABLE_DICE + 1
_SLOTS = 1 << 14

_FEW_HITS = 10.0
"""Expected hits below which a roll is inverted step by step."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31, _S32, _S50 = (np.uint64(bits) for bits in (11, 27, 30, 31, 32, 50))
_UNIT = 1.0 / (1 << 53)
_LN2 = 0.6931471805599453
_HALF_ROOT = 0.7071067811865476
_SERIES = 27  # the last odd power that matters in a logarithm
# ln k! less Stirling's formula for (k + 1/2) ln (k + 1) - (k + 1) + ln sqrt(2 pi), for k under ten.
_STIRLING_TAILS = np.array(
    [math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)) for k in range(10)]
)


class Tables(NamedTuple):
    """The cache of distributions: `keys[slot]`, cumulated chances, and where to start looking in 64 intervals."""

    keys: Ints
    sums: Floats
    guide: Bytes

    @classmethod
    def new(cls) -> Self:
        """Return an empty cache; it takes memory as it fills, at most 10 MiB."""
        sizes = _SLOTS, _COLUMNS
        return cls(np.full(_SLOTS, -1, np.int64), np.empty(sizes), np.empty(sizes, dtype=np.uint8))


@inner
def mix(word: np.uint64) -> np.uint64:
    """Return a word that looks unrelated to `word`."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@kernel
def derive_key(above: np.uint64, number: int) -> np.uint64:
    """Return the key number `number` (0 or more) below the key `above`."""
    return mix(above ^ mix(np.uint64(number + 1) * _GOLDEN))


@inner
def next_word(streams: Words, at: int) -> np.uint64:
    """Return the next word of a stream."""
    streams[at] += _GOLDEN
    return mix(streams[at])


@kernel
def pick(streams: Words, at: int, count: int) -> int:
    """Return a number from 0 to `count` - 1."""
    return int(np.int64(((next_word(streams, at) >> _S32) * np.uint64(count)) >> _S32))


@inner
def uniform(streams: Words, at: int) -> float:
    """Return a number from 0 up to, not including, 1."""
    return np.float64(next_word(streams, at) >> _S11) * _UNIT


@woven
def binomial(tables: Tables, streams: Words, at: int, dice: int, chance: int) -> int:
    """Return how many of `dice` dice succeed, each with a chance of `chance` millionths."""
    if chance <= 0 or dice <= 0:
        return 0
    if dice <= TABLE_DICE:
        word = uniform(streams, at)
        key = chance * _COLUMNS + dice
        slot = int(np.int64((np.uint64(key) * _GOLDEN) >> _S50))
        if tables.keys[slot] != key:
            slot = _table_slot(tables, slot, key)
        hits = int(np.int64(tables.guide[slot, int(word * _COLUMNS)]))
        while word >= tables.sums[slot, hits]:
            hits += 1
        return hits
    rare = min(chance, MILLION - chance) / MILLION
    few = (
        _binomial_by_inversion(streams, at, dice, rare)
        if dice * rare < _FEW_HITS
        else _binomial_by_rejection(streams, at, dice, rare)
    )
    return few if 2 * chance <= MILLION else dice - few


@inner
def _table_slot(tables: Tables, slot: int, key: int) -> int:
    """Return the slot of a distribution that isn't at `slot`; fill it if needed."""
    other = slot ^ 1
    if tables.keys[other] == key:
        return other
    if tables.keys[slot] >= 0:
        slot = other
    _fill(tables.sums[slot], tables.guide[slot], key % _COLUMNS, key // _COLUMNS)
    tables.keys[slot] = key
    return slot


@inner
def _fill(sums: Floats, guide: Bytes, dice: int, chance: int) -> None:
    odds = chance / (MILLION - chance)
    # From the likeliest number of hits outward, so that nothing relevant underflows.
    top = min(dice, (dice + 1) * chance // MILLION)
    sums[top] = 1.0
    for hits in range(top, dice):
        sums[hits + 1] = sums[hits] * odds * (dice - hits) / (hits + 1)
    for hits in range(top, 0, -1):
        sums[hits - 1] = sums[hits] / odds * hits / (dice - hits + 1)
    total = 0.0
    for hits in range(dice + 1):
        total += sums[hits]
        sums[hits] = total
    for hits in range(dice):
        sums[hits] /= total
    sums[dice] = 2.0  # beyond every share, whatever was rounded
    hits = 0
    for column in range(_COLUMNS):
        while sums[hits] <= column / _COLUMNS:
            hits += 1
        guide[column] = hits


@inner
def _binomial_by_inversion(streams: Words, at: int, dice: int, chance: float) -> int:
    """Roll by inversion, going up from no hits."""
    none, base, left = 1.0, 1.0 - chance, dice
    while left:
        if left & 1:
            none *= base
        base *= base
        left >>= 1
    odds = chance / (1.0 - chance)
    word = uniform(streams, at)
    here, hits = none, 0
    while word >= here and hits < dice and here > 0.0:
        word -= here
        here *= odds * (dice - hits) / (hits + 1)
        hits += 1
    return hits


@inner
def _binomial_by_rejection(streams: Words, at: int, dice: int, chance: float) -> int:
    """Roll by rejection from a hat that fits the distribution closely (BTRS); `chance` is at most 1/2."""
    spread = math.sqrt(dice * chance * (1.0 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    sure = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * spread
    odds = chance / (1.0 - chance)
    top = math.floor((dice + 1) * chance)
    while True:
        word = uniform(streams, at) - 0.5
        height = uniform(streams, at)
        edge = 0.5 - abs(word)
        if edge <= 0.0:
            continue
        hits = math.floor((2.0 * a / edge + b) * word + dice * chance + 0.5)
        if hits < 0 or hits > dice:
            continue
        if edge >= 0.07 and height <= sure:  # noqa: PLR2004  # the figures of the published hat
            return int(hits)
        height = height * scale / (a / (edge * edge) + b)
        if height <= 0.0 or _log(height) <= log_ratio(dice, odds, top, hits):
            return int(hits)


@kernel
def log_ratio(dice: int, odds: float, top: float, hits: float) -> float:
    """Return the log of the ratio of the chances of `hits` and `top` hits, each die hitting with `odds` to 1."""
    return float(
        (top + 0.5) * _log((top + 1.0) / (odds * (dice - top + 1.0)))
        + (dice + 1.0) * _log((dice - top + 1.0) / (dice - hits + 1.0))
        + (hits + 0.5) * _log(odds * (dice - hits + 1.0) / (hits + 1.0))
        + (_stirling_tail(top) + _stirling_tail(dice - top) - _stirling_tail(hits) - _stirling_tail(dice - hits))
    )


@inner
def _stirling_tail(count: float) -> float:
    """Return the error of Stirling's formula for ln `count`!."""
    if count < len(_STIRLING_TAILS):
        return float(_STIRLING_TAILS[int(count)])
    more = count + 1.0
    square = more * more
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / more


@inner
def _log(value: float) -> float:
    """Return the natural logarithm, rounded the same on every platform, which libraries don't promise."""
    part, power = math.frexp(value)
    if part < _HALF_ROOT:
        part *= 2.0
        power -= 1
    ratio = (part - 1.0) / (part + 1.0)
    square = ratio * ratio
    total = 0.0
    for odd in range(_SERIES, 0, -2):
        total = total * square + 1.0 / odd
    return 2.0 * ratio * total + power * _LN2
