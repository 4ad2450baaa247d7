"""How fast the odds of Marked for Death are; run by hand: `python -m tests.bench.marked_for_death_odds`."""

import resource
import time
from decimal import Decimal

from sim.marked_for_death.odds.requests import OddsRequest, SensitivityRequest, warm_up
from sim.marked_for_death.roster import Buff, Fighter, Roster


def crowd(letter: str, count: int, dice: int = 5) -> Roster:
    """Return a side in which a third guards, a sixth is linked, a quarter buffs six, a fifth attacks three at once."""
    return Roster(
        fighters=tuple(
            Fighter(
                name=f"{letter}{at}",
                xp=1000 * dice + 37 * at,
                bonus_hp=at % 3,
                bonus_to_hit=Decimal(at % 5) / 100,
                bonus_to_defend=Decimal(at % 7) / 50,
                aoe=1 if at % 5 else 3,
                bodyguard_for=None if at % 3 else f"{letter}{(at + 7) % count}",
                linked_to=f"{letter}{(at + 3) % count}" if at % 6 == 5 else None,
                buffs=() if at % 4 else (_buff(letter, at, count),),
            )
            for at in range(count)
        )
    )


def _buff(letter: str, at: int, count: int) -> Buff:
    who = tuple(f"{letter}{(at + step) % count}" for step in range(min(6, count)))
    return Buff(who=who, offense=Decimal("0.03"), defense=Decimal("0.02"))


def _timed(request: OddsRequest, battles: int) -> tuple[float, int]:
    start = time.perf_counter()
    done = 0
    while done < battles:
        done += request.batch(done, battles - done).battles
    return time.perf_counter() - start, done


def main() -> None:
    """Print the table."""
    start = time.perf_counter()
    warm_up()
    print(f"{'ready':44} {time.perf_counter() - start:8.2f} s")
    for count, dice, battles in ((2, 5, 40_000), (30, 5, 10_000), (30, 100, 10_000), (500, 5, 500)):
        request = OddsRequest(heroes=crowd("h", count, dice), villains=crowd("v", count, dice))
        seconds, done = min(_timed(request, battles) for _ in range(3))
        what = f"{done:,} battles of {count} v {count}, {dice} dice"
        print(f"{what:44} {seconds:8.2f} s {done / seconds:12,.0f} a second")
    request = OddsRequest(heroes=crowd("h", 30), villains=crowd("v", 30))
    for what, job in (
        ("30 v 30 until settled", request),
        ("30 v 30, sensitivity", SensitivityRequest(odds=request)),
        ("1 v 1 exactly, 5 dice, 3 HP", OddsRequest(heroes=crowd("h", 1), villains=crowd("v", 1))),
    ):
        start = time.perf_counter()
        job.run()
        print(f"{what:44} {time.perf_counter() - start:8.4f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'most memory of the process':44} {peak:8.0f} MiB")


if __name__ == "__main__":
    main()
