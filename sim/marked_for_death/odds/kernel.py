"""Whole battles of two rosters, thrown by the thousand (rules: Numbers, A round).

Battle number i is decided by the seed and i alone: each fighter has a stream of words for choosing opponents and one
for dice in every round, keyed by (seed, battle, round, fighter). So a fighter who is left out changes no other's
words, only whom and how well they hit: the same battles can be thrown with and without it and be compared one by one.
For the same reason opponents and guards are first drawn from all that there ever were, and drawn again when gone.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.marked_for_death.odds.arrays import Bytes, Ints, Words
from sim.marked_for_death.odds.chance import TABLE_DICE, Tables, key_of, pick, throw
from sim.marked_for_death.odds.lineup import LEAST_HIT, MILLION, MOST_DEFEND, MOST_HIT, TIRED

HEROES, VILLAINS, NOBODY, UNDECIDED, CUT_OFF = range(5)
"""How a battle ends: who has won, nobody (both sides fell), nobody yet at the limit, given up as endless."""

SURVIVED, HP_LEFT, HP_SQUARED, FELL_FIRST = range(4)
"""Rows of a fighter's sums over battles."""

MOST_ROUNDS = 20_000
"""Rounds after which a battle is given up."""

ATTACK_WORK, BIG_ATTACK_WORK, FIGHTER_WORK, BATTLE_WORK = 200, 500, 100, 500
"""Work of an attack, of one with more dice than fit a table, of a fighter in a round or at the start, of a battle.

Nanoseconds, rather too many.
"""

_TRIES = 8  # draws from all there ever were, before one from those that are left


class Ranks(NamedTuple):
    """Both sides, the `heroes` first, fighters numbered throughout; bonuses in millionths, -1 for no such fighter.

    `here[f]`: 1 for who takes part. `hit`, `defend`: raw, without buffs. `guarded[f]`: whom f guards; f's guards are
    `guards[guard_at[f] : guard_at[f + 1]]`, and likewise those linked to f, and whom f's buffs go to.
    """

    heroes: int
    here: Bytes
    hp: Ints
    dice: Ints
    hit: Ints
    defend: Ints
    aoe: Ints
    guarded: Ints
    guard_at: Ints
    guards: Ints
    link_at: Ints
    linked: Ints
    buff_at: Ints
    buffed: Ints
    buff_hit: Ints
    buff_defend: Ints


class Field(NamedTuple):
    """A battle as it goes on; `living[c, :standing[c]]` are the fighters of side c, `sentries[f]` f's living guards.

    `seen[f]`: the draw that f was last drawn in. `fallen`: those of the round, `round_fallen[f]` the round, 0 for none.
    """

    hp: Ints
    hit: Ints
    defend: Ints
    alive: Bytes
    sentries: Ints
    living: Ints
    standing: Ints
    seen: Ints
    fallen: Ints
    round_fallen: Ints


@njit(cache=True)
def new_field(fighters: int) -> Field:
    """Return room for a battle."""
    return Field(
        np.zeros(fighters, np.int64),
        np.zeros(fighters, np.int64),
        np.zeros(fighters, np.int64),
        np.zeros(fighters, np.uint8),
        np.zeros(fighters, np.int64),
        np.zeros((2, fighters), np.int64),
        np.zeros(2, np.int64),
        np.zeros(fighters, np.int64),
        np.zeros(fighters, np.int64),
        np.zeros(fighters, np.int64),
    )


@njit(cache=True)
def line_up(ranks: Ranks, field: Field) -> None:
    """Put everybody who takes part on the field, as before the first round."""
    field.standing[:] = 0
    field.sentries[:] = 0
    for fighter in range(len(ranks.hp)):
        field.hp[fighter] = ranks.hp[fighter]
        field.hit[fighter], field.defend[fighter] = ranks.hit[fighter], ranks.defend[fighter]
        field.alive[fighter] = ranks.here[fighter]
        field.seen[fighter] = field.round_fallen[fighter] = 0
    for fighter in range(len(ranks.hp)):
        if ranks.here[fighter]:
            side = int(fighter >= ranks.heroes)
            field.living[side, field.standing[side]] = fighter
            field.standing[side] += 1
            _stand(ranks, field, fighter, 1)


@njit(cache=True)
def _stand(ranks: Ranks, field: Field, fighter: int, sign: int) -> None:
    """Let a fighter's guarding and buffs begin (`sign` 1) or end (-1)."""
    if ranks.guarded[fighter] >= 0:
        field.sentries[ranks.guarded[fighter]] += sign
    for at in range(ranks.buff_at[fighter], ranks.buff_at[fighter + 1]):
        field.hit[ranks.buffed[at]] += sign * ranks.buff_hit[at]
        field.defend[ranks.buffed[at]] += sign * ranks.buff_defend[at]


@njit(cache=True)
def _dice_at(dice: int, raw: int) -> int:
    """Return how many dice a fighter throws, as `lineup.dice_at`."""
    return dice if raw <= MILLION else (dice * raw + MILLION - 1) // MILLION


@njit(cache=True, forceinline=True)
def _opponent(ranks: Ranks, field: Field, streams: Words, side: int, draw: int) -> int:
    """Draw a living fighter of `side` who wasn't drawn in this `draw`; there is one."""
    first, size = (0, ranks.heroes) if side == 0 else (ranks.heroes, len(ranks.hp) - ranks.heroes)
    for _ in range(_TRIES):
        fighter = first + pick(streams, 0, size)
        if field.alive[fighter] and field.seen[fighter] != draw:
            return fighter
    while True:
        fighter = int(field.living[side, pick(streams, 0, field.standing[side])])
        if field.seen[fighter] != draw:
            return fighter


@njit(cache=True, forceinline=True)
def _guard(ranks: Ranks, field: Field, streams: Words, fighter: int) -> int:
    """Return the living guard who steps in for a fighter that has one."""
    first, end = ranks.guard_at[fighter], ranks.guard_at[fighter + 1]
    for _ in range(_TRIES):
        guard = int(ranks.guards[first + pick(streams, 0, end - first)])
        if field.alive[guard]:
            return guard
    left = pick(streams, 0, field.sentries[fighter])
    for at in range(first, end):
        left -= int(np.int64(field.alive[ranks.guards[at]]))
        if left < 0:
            return int(ranks.guards[at])
    return fighter  # never: sentries counts those that are alive


@njit(cache=True, forceinline=True)
def _attacks(ranks: Ranks, field: Field, tables: Tables, streams: Words, fighter: int, tired: int, draw: int) -> int:
    """Let a fighter attack everybody it draws; returns the number of the last draw."""
    side = int(fighter < ranks.heroes)
    raw = field.hit[fighter]
    dice, chance = _dice_at(ranks.dice[fighter], raw), min(max(raw, LEAST_HIT), MOST_HIT)
    left = 0
    for _ in range(ranks.aoe[fighter]):
        if left == 0:
            draw += 1
            left = field.standing[side]
        left -= 1
        foe = _opponent(ranks, field, streams, side, draw)
        field.seen[foe] = draw
        if field.sentries[foe]:
            foe = _guard(ranks, field, streams, foe)
        hits = throw(tables, streams, 1, dice, chance)
        if hits:
            raw = field.defend[foe] - tired
            shield = min(max(raw, 0), MOST_DEFEND)
            blocked = throw(tables, streams, 1, _dice_at(ranks.dice[foe], raw), shield)
            if hits > blocked:
                field.hp[foe] -= hits - blocked
    return draw


@njit(cache=True)
def _bury(ranks: Ranks, field: Field, number: int) -> int:
    """Let everybody without HP fall, and whoever is linked to them; returns how many have."""
    count = 0
    for side in range(2):
        for at in range(field.standing[side]):
            fighter = field.living[side, at]
            if field.hp[fighter] <= 0:
                field.round_fallen[fighter] = number
                field.fallen[count] = fighter
                count += 1
    if count:
        count = _pull(ranks, field, number, count)
        for at in range(count):
            field.alive[field.fallen[at]] = 0
            _stand(ranks, field, field.fallen[at], -1)
        _close_up(field)
    return count


@njit(cache=True)
def _pull(ranks: Ranks, field: Field, number: int, count: int) -> int:
    """Let whoever is linked to the first `count` fallen fall too, on and on; returns how many have fallen now."""
    done = 0
    while done < count:
        for at in range(ranks.link_at[field.fallen[done]], ranks.link_at[field.fallen[done] + 1]):
            fighter = ranks.linked[at]
            if field.alive[fighter] and not field.round_fallen[fighter]:
                field.hp[fighter] = 0
                field.round_fallen[fighter] = number
                field.fallen[count] = fighter
                count += 1
        done += 1
    return count


@njit(cache=True)
def _close_up(field: Field) -> None:
    """Take the fallen out of the lists of the living."""
    for side in range(2):
        kept = 0
        for at in range(field.standing[side]):
            fighter = field.living[side, at]
            field.living[side, kept] = fighter
            kept += int(np.int64(field.alive[fighter]))
        field.standing[side] = kept


@njit(cache=True)
def _ending(field: Field) -> int:
    if field.standing[0]:
        return UNDECIDED if field.standing[1] else HEROES
    return VILLAINS if field.standing[1] else NOBODY


@njit(cache=True)
def fight(
    ranks: Ranks, field: Field, tables: Tables, streams: Words, key: np.uint64, limit: int, most_work: int
) -> tuple[int, int, int, int]:
    """Fight a battle that is lined up; returns its ending, its rounds, the first round with fallen (0: none), its work.

    `limit`: rounds, 0 for none. `most_work`: after which the battle is given up, as it is after `MOST_ROUNDS`.
    """
    number, first, draw, work = 0, 0, 0, BATTLE_WORK + FIGHTER_WORK * len(ranks.hp)
    ending = _ending(field)
    while ending == UNDECIDED and (limit == 0 or number < limit):
        if number >= MOST_ROUNDS or work > most_work:
            ending = CUT_OFF
            break
        round_key = key_of(key, number)
        for side in range(2):
            for at in range(field.standing[side]):
                fighter = field.living[side, at]
                streams[0] = key_of(round_key, 2 * fighter)
                streams[1] = key_of(round_key, 2 * fighter + 1)
                draw = _attacks(ranks, field, tables, streams, fighter, number * TIRED, draw)
                big = _dice_at(ranks.dice[fighter], field.hit[fighter]) > TABLE_DICE
                work += FIGHTER_WORK + ranks.aoe[fighter] * (BIG_ATTACK_WORK if big else ATTACK_WORK)
        number += 1
        if _bury(ranks, field, number):
            first = first or number
            ending = _ending(field)
    return ending, number, first, work


@njit(cache=True)
def battles(
    ranks: Ranks,
    field: Field,
    tables: Tables,
    key: np.uint64,
    span: tuple[int, int],
    limit: int,
    most_work: tuple[int, int],
    endings: Ints,
    rounds: Ints,
    sums: Ints,
) -> tuple[int, int]:
    """Fight the battles from number span[0] up to, not including, span[1], as far as `most_work[0]` goes: one at least.

    `most_work[1]`: the most work of one battle. Fills in `endings` and `rounds` by battle, adds to `sums` by fighter;
    returns how many were fought, and their work.
    """
    streams = np.zeros(2, np.uint64)
    done, spent = 0, 0
    while done < span[1] - span[0] and (done == 0 or spent < most_work[0]):
        line_up(ranks, field)
        ending, number, first, work = fight(
            ranks, field, tables, streams, key_of(key, span[0] + done), limit, most_work[1]
        )
        endings[done], rounds[done] = ending, number
        for fighter in range(len(ranks.hp)):
            if field.alive[fighter]:
                sums[SURVIVED, fighter] += 1
                sums[HP_LEFT, fighter] += field.hp[fighter]
                sums[HP_SQUARED, fighter] += field.hp[fighter] * field.hp[fighter]
            elif first and field.round_fallen[fighter] == first:
                sums[FELL_FIRST, fighter] += 1
        spent += work
        done += 1
    return done, spent
