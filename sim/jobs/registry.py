"""Every system of battles by its name, whichever game brings it."""

from collections.abc import Callable, Mapping
from functools import cache

from sim.core.battle import AnySystem
from sim.core.errors import RuleError
from sim.jobs.discovery import FoundGame, expect_one, games


@cache
def systems() -> Mapping[str, Callable[[], AnySystem]]:
    """Return what makes each system; GameError for two of the same name."""
    found: dict[str, Callable[[], AnySystem]] = {}
    owners: dict[str, FoundGame] = {}
    for game in games():
        for make in game.rules.systems:
            name = make().name
            expect_one(owners.setdefault(name, game), game, f"a system {name!r}")
            found[name] = make
    return found


def system(name: str) -> AnySystem:
    """Return the system of that name; RuleError when there is none."""
    found = systems().get(name)
    if found is None:
        raise RuleError(f"There are no battles of the system {name[:40]!r}.")
    return found()
