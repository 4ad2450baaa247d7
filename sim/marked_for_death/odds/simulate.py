"""Whole battles of two rosters, simulated by the thousand and counted.

Source: .docs/rules/marked_for_death.md, "Numbers" and "A round".

The seed and the number of a battle decide it: in every round each fighter has a stream of random words for choosing
opponents and one for dice, keyed by (seed, battle, round, fighter). Leaving out a fighter changes no other fighter's
words, only whom and how well they hit, so the same battles with and without it can be compared one by one. For the
same reason opponents and guards are first drawn from all fighters at the start, and drawn again if they have fallen.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import config

from sim.core.kernels import inner, kernel, once
from sim.marked_for_death.odds import sampling
from sim.marked_for_death.odds.chance import TABLE_DICE, Bytes, Ints, Tables, Words, binomial, derive_key, pick
from sim.marked_for_death.odds.sampling import EXHAUSTION_PER_ROUND, Lineup, SensitivityTally, Soldier, Tally

_PLAIN_PYTHON = 300
"""How many times slower the kernels are without the compiler."""

HEROES, VILLAINS, NOBODY, UNDECIDED, CUT_OFF = range(5)
"""Endings of a battle: a side won, both sides fell, undecided at the limit, given up as endless."""

SURVIVED, HP_LEFT, HP_SQUARED, FELL_FIRST = range(4)
"""Rows of the sums over battles."""

MAX_BATTLE_ROUNDS = 20_000
"""Rounds after which a battle is given up."""

ATTACK_WORK, BIG_ATTACK_WORK, FIGHTER_WORK, BATTLE_WORK = 200, 500, 100, 500
"""Work of an attack, of one with too many dice for a table, of a fighter in a round or at the start, of a battle.

Nanoseconds, overestimated.
"""

_dice_at, _to_hit, _to_defend = inner(sampling.dice_at), inner(sampling.to_hit), inner(sampling.to_defend)

_TRIES = 8  # draws from all fighters at the start, before one from the living


class FighterArrays(NamedTuple):
    """Both sides, the `heroes` first, fighters numbered throughout; bonuses in millionths, -1 for no fighter.

    `here[f]`: 1 if f takes part. `hit`, `defend`: raw, without buffs. `guarded[f]`: whom f guards. The guards of f are
    `guards[guard_at[f] : guard_at[f + 1]]`; `link_at` and `buff_at` index those linked to f, and f's buffs, alike.
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
    """The state of a battle; `living[c, :alive_count[c]]`: the fighters of side c; `living_guards[f]`: number of f's.

    `seen[f]`: the last draw of f. `fallen`: fighters who fell in the round. `round_fallen[f]`: the round, 0 for none.
    `streams`: of random words for opponents, and for dice.
    """

    hp: Ints
    hit: Ints
    defend: Ints
    alive: Bytes
    living_guards: Ints
    living: Ints
    alive_count: Ints
    seen: Ints
    fallen: Ints
    round_fallen: Ints
    streams: Words


def new_field(fighters: int) -> Field:
    """Return an empty field."""
    pair, of_words, flags = (2, np.int64), (2, np.uint64), (fighters, np.uint8)
    others = {"alive": flags, "living": ((2, fighters), np.int64), "alive_count": pair, "streams": of_words}
    return Field(**{name: np.zeros(*others.get(name, (fighters, np.int64))) for name in Field._fields})


@once
def set_up(fighters: FighterArrays, field: Field) -> None:
    """Set up the field for the first round."""
    field.alive_count[:] = 0
    field.living_guards[:] = 0
    for fighter in range(len(fighters.hp)):
        field.hp[fighter] = fighters.hp[fighter]
        field.hit[fighter], field.defend[fighter] = fighters.hit[fighter], fighters.defend[fighter]
        field.alive[fighter] = fighters.here[fighter]
        field.seen[fighter] = field.round_fallen[fighter] = 0
    for fighter in range(len(fighters.hp)):
        if fighters.here[fighter]:
            side = int(fighter >= fighters.heroes)
            field.living[side, field.alive_count[side]] = fighter
            field.alive_count[side] += 1
            _apply_effects(fighters, field, fighter)


@inner
def _apply_effects(fighters: FighterArrays, field: Field, fighter: int) -> None:
    """Begin a fighter's guarding and buffs, or end them if it has fallen."""
    sign = 1 if field.alive[fighter] else -1
    if fighters.guarded[fighter] >= 0:
        field.living_guards[fighters.guarded[fighter]] += sign
    for at in range(fighters.buff_at[fighter], fighters.buff_at[fighter + 1]):
        field.hit[fighters.buffed[at]] += sign * fighters.buff_hit[at]
        field.defend[fighters.buffed[at]] += sign * fighters.buff_defend[at]


@once
def _opponent(fighters: FighterArrays, field: Field, side: int, draw: int) -> int:
    """Draw a living fighter of `side` not yet drawn in this `draw`; there must be one."""
    first, size = (0, fighters.heroes) if side == 0 else (fighters.heroes, len(fighters.hp) - fighters.heroes)
    for _ in range(_TRIES):
        fighter = first + pick(field.streams, 0, size)
        if field.alive[fighter] and field.seen[fighter] != draw:
            return fighter
    while True:
        fighter = int(field.living[side, pick(field.streams, 0, field.alive_count[side])])
        if field.seen[fighter] != draw:
            return fighter


@once
def _guard(fighters: FighterArrays, field: Field, fighter: int) -> int:
    """Draw the living guard who steps in for a fighter; it must have one."""
    first, end = fighters.guard_at[fighter], fighters.guard_at[fighter + 1]
    for _ in range(_TRIES):
        guard = int(fighters.guards[first + pick(field.streams, 0, end - first)])
        if field.alive[guard]:
            return guard
    left = pick(field.streams, 0, field.living_guards[fighter])
    for at in range(first, end):
        left -= int(np.int64(field.alive[fighters.guards[at]]))
        if left < 0:
            return int(fighters.guards[at])
    return fighter  # unreachable: living_guards counts the living


@once
def _attacks(fighters: FighterArrays, field: Field, tables: Tables, fighter: int, exhaustion: int, draw: int) -> int:
    """Carry out a fighter's attacks; return the number of the last draw."""
    side = int(fighter < fighters.heroes)
    raw = field.hit[fighter]
    dice, chance = _dice_at(fighters.dice[fighter], raw), _to_hit(raw)
    left = 0
    for _ in range(fighters.aoe[fighter]):
        if left == 0:
            draw += 1
            left = field.alive_count[side]
        left -= 1
        foe = _opponent(fighters, field, side, draw)
        field.seen[foe] = draw
        if field.living_guards[foe]:
            foe = _guard(fighters, field, foe)
        hits = binomial(tables, field.streams, 1, dice, chance)
        if hits:
            raw = field.defend[foe] - exhaustion
            blocked = binomial(tables, field.streams, 1, _dice_at(fighters.dice[foe], raw), _to_defend(raw))
            if hits > blocked:
                field.hp[foe] -= hits - blocked
    return draw


@once
def _remove_fallen(fighters: FighterArrays, field: Field, number: int) -> int:
    """Remove the fighters without HP and everybody linked to them; return how many fell."""
    count = 0
    for side in range(2):
        for at in range(field.alive_count[side]):
            fighter = field.living[side, at]
            if field.hp[fighter] <= 0:
                field.round_fallen[fighter] = number
                field.fallen[count] = fighter
                count += 1
    if count:
        count = _fell_linked(fighters, field, number, count)
        for at in range(count):
            field.alive[field.fallen[at]] = 0
            _apply_effects(fighters, field, field.fallen[at])
        _compact_living(field)
    return count


@once
def _fell_linked(fighters: FighterArrays, field: Field, number: int, count: int) -> int:
    """Add everybody linked to the first `count` fallen, directly or not; return how many have fallen now."""
    done = 0
    while done < count:
        for at in range(fighters.link_at[field.fallen[done]], fighters.link_at[field.fallen[done] + 1]):
            fighter = fighters.linked[at]
            if field.alive[fighter] and not field.round_fallen[fighter]:
                field.hp[fighter] = 0
                field.round_fallen[fighter] = number
                field.fallen[count] = fighter
                count += 1
        done += 1
    return count


@once
def _compact_living(field: Field) -> None:
    """Remove the fallen from the lists of the living."""
    for side in range(2):
        kept = 0
        for at in range(field.alive_count[side]):
            fighter = field.living[side, at]
            field.living[side, kept] = fighter
            kept += int(np.int64(field.alive[fighter]))
        field.alive_count[side] = kept


@inner
def _ending(field: Field) -> int:
    if field.alive_count[0]:
        return UNDECIDED if field.alive_count[1] else HEROES
    return VILLAINS if field.alive_count[1] else NOBODY


@once
def fight(
    fighters: FighterArrays, field: Field, tables: Tables, key: np.uint64, limit: int, max_work: int
) -> tuple[int, int, int, int]:
    """Fight a battle that is set up; return its ending, rounds, first round with fallen (0: none), and work.

    `limit`: rounds, 0 for none. `max_work`: after which the battle is given up, as it is after `MAX_BATTLE_ROUNDS`.
    """
    number = int(np.int64(0))  # no literal, which `derive_key` would be compiled for
    draw, first, work = 0, 0, BATTLE_WORK + FIGHTER_WORK * len(fighters.hp)
    ending = _ending(field)
    while ending == UNDECIDED and (limit == 0 or number < limit):
        if number >= MAX_BATTLE_ROUNDS or work > max_work:
            ending = CUT_OFF
            break
        round_key = derive_key(key, number)
        for side in range(2):
            for at in range(field.alive_count[side]):
                fighter = field.living[side, at]
                field.streams[0] = derive_key(round_key, 2 * fighter)
                field.streams[1] = derive_key(round_key, 2 * fighter + 1)
                draw = _attacks(fighters, field, tables, fighter, number * EXHAUSTION_PER_ROUND, draw)
                big = _dice_at(fighters.dice[fighter], field.hit[fighter]) > TABLE_DICE
                work += FIGHTER_WORK + fighters.aoe[fighter] * (BIG_ATTACK_WORK if big else ATTACK_WORK)
        number += 1
        if _remove_fallen(fighters, field, number):
            first = first or number
            ending = _ending(field)
    return ending, number, first, work


@kernel
def battles(
    fighters: FighterArrays,
    field: Field,
    tables: Tables,
    key: np.uint64,
    span: tuple[int, int],
    limit: int,
    max_work: tuple[int, int],
    endings: Ints,
    rounds: Ints,
    sums: Ints,
) -> tuple[int, int]:
    """Fight the battles numbered span[0] to span[1] - 1 until their work exceeds `max_work[0]`, but at least one.

    `max_work[1]`: the most work of one battle. Fills in `endings` and `rounds` by battle, adds to `sums` by fighter;
    returns how many were fought, and their work.
    """
    done, spent = 0, 0
    while done < span[1] - span[0] and (done == 0 or spent < max_work[0]):
        set_up(fighters, field)
        ending, number, first, work = fight(
            fighters, field, tables, derive_key(key, span[0] + done), limit, max_work[1]
        )
        endings[done], rounds[done] = ending, number
        for fighter in range(len(fighters.hp)):
            if field.alive[fighter]:
                sums[SURVIVED, fighter] += 1
                sums[HP_LEFT, fighter] += field.hp[fighter]
                sums[HP_SQUARED, fighter] += field.hp[fighter] * field.hp[fighter]
            elif first and field.round_fallen[fighter] == first:
                sums[FELL_FIRST, fighter] += 1
        spent += work
        done += 1
    return done, spent


class _Sample(NamedTuple):
    """Battles that were fought: how each ended, its rounds, the sums by fighter, and all their work."""

    endings: Ints
    rounds: Ints
    sums: Ints
    work: int


def _sample(lineup: Lineup, tables: Tables, span: tuple[int, int], max_work: tuple[int, int], *without: int) -> _Sample:
    """Fight battles without some fighters, by number; `span` and `max_work` as of `battles`."""
    count, size = span[1] - span[0], len(lineup.soldiers)
    fighters = fighter_arrays(lineup.soldiers, lineup.heroes, without)
    endings, rounds, sums = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((4, size), np.int64)
    key, limit, results = np.uint64(lineup.seed), lineup.max_rounds or 0, (endings, rounds, sums)
    with np.errstate(over="ignore"):  # of random words
        fought, work = battles(fighters, new_field(size), tables, key, span, limit, max_work, *results)
    return _Sample(endings[:fought], rounds[:fought], sums, int(work))


def simulate(lineup: Lineup, first: int, count: int, max_work: int) -> Tally:
    """Fight `count` battles from number `first` on, or fewer if those take more work, but at least one."""
    most = work_allowed(max_work), sampling.MAX_BATTLE_WORK
    endings, rounds, sums, work = _sample(lineup, Tables.new(), (first, first + count), most)
    counts = np.bincount(endings, minlength=CUT_OFF + 1).tolist()
    figures: dict[str, Any] = dict(zip(("heroes", "villains", "nobody", "undecided", "cut_off"), counts, strict=True))
    rows = zip(("survived", "hp_left", "hp_squared", "fell_first"), sums, strict=True)
    figures |= {name: tuple(row.tolist()) for name, row in rows}
    return Tally(
        battles=len(endings),
        rounds=int(rounds.sum()),
        rounds_squared=int((rounds * rounds).sum()),
        work=work,
        **figures,
    )


def compare(lineup: Lineup, left_out: tuple[int, ...], first: int, count: int, max_work: int) -> SensitivityTally:
    """Fight the same battles with everybody and without each fighter; fewer than `count` if they take more work."""
    lineups, tables = 1 + len(left_out), Tables.new()
    # A line-up may take twice its share of the work; the others then stop at as many battles as it has fought.
    share, most = max(1, work_allowed(max_work) // lineups), max(1, work_allowed(sampling.BATCH_WORK) // lineups) // 2
    sample = _sample(lineup, tables, (first, first + count), (share, most))
    endings, work = [sample.endings], sample.work
    for at in left_out:
        sample = _sample(lineup, tables, (first, first + len(endings[-1])), (2 * share, most), at)
        endings.append(sample.endings)
        work += sample.work
    fought = len(endings[-1])
    base, *others = (ending[:fought] for ending in endings)
    lost, gained = [], []
    for at, other in zip(left_out, others, strict=True):
        own = HEROES if at < lineup.heroes else VILLAINS
        lost.append(int(((base == own) & (other != own)).sum()))
        gained.append(int(((base != own) & (other == own)).sum()))
    return SensitivityTally(
        battles=fought,
        heroes=int((base == HEROES).sum()),
        villains=int((base == VILLAINS).sum()),
        lost=tuple(lost),
        gained=tuple(gained),
        cut_off=sum(int((outcomes == CUT_OFF).sum()) for outcomes in (base, *others)),
        work=work,
    )


def work_allowed(work: int) -> int:
    """Return how much work may be done in the time of this much, with or without the compiler."""
    return work // (_PLAIN_PYTHON if config.DISABLE_JIT else 1)  # type: ignore[attr-defined]  # set when Numba loads


def fighter_arrays(soldiers: Sequence[Soldier], heroes: int, without: Collection[int] = ()) -> FighterArrays:
    """Return all fighters as arrays; those in `without` and those without HP don't take part."""
    guards = _followers([soldier.guarded for soldier in soldiers])
    linked = _followers([soldier.linked_to for soldier in soldiers])
    boons = [boon for soldier in soldiers for boon in soldier.boons]
    columns = ("hp", "dice", "hit", "defend", "aoe", "guarded")
    return FighterArrays(
        heroes=heroes,
        **{name: _ints(getattr(soldier, name) for soldier in soldiers) for name in columns},
        here=np.array([soldier.hp > 0 and at not in without for at, soldier in enumerate(soldiers)], dtype=np.uint8),
        guard_at=guards[0],
        guards=guards[1],
        link_at=linked[0],
        linked=linked[1],
        buff_at=_starts([len(soldier.boons) for soldier in soldiers]),
        buffed=_ints(boon.to for boon in boons),
        buff_hit=_ints(boon.hit for boon in boons),
        buff_defend=_ints(boon.defend for boon in boons),
    )


def _followers(chosen: Sequence[int]) -> tuple[Ints, Ints]:
    """Return where each fighter's list begins, and the concatenated lists of those who chose it."""
    leaders = _ints(chosen)
    order = np.argsort(leaders, kind="stable")[np.count_nonzero(leaders < 0) :]
    return _starts(np.bincount(leaders[leaders >= 0], minlength=len(leaders))), order


def _starts(sizes: Iterable[int]) -> Ints:
    return np.concatenate((_ints([0]), np.cumsum(_ints(sizes))))


def _ints(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)
