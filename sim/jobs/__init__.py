"""The jobs that a worker does for any game, and the registry of games and their systems.

A built-in game is a package of `sim` with a package `battle`. An installed one is an entry point of the group
`fracas.games` whose value is a package: `nim = "fracas_nim"`. Each package has its game's `RULES`.
"""

import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import sim
from sim.core import RuleError
from sim.core.game_rules import GameError, GameRules
from sim.core.staged_job import JoinParts

if TYPE_CHECKING:  # a command of the terminal loads only what it needs
    from sim.core.battle import AnySystem

GROUP = "fracas.games"

_BUILT_IN = "built in"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundGame:
    """A game and its rules. `package`: the installed one with both halves; None for a built-in game."""

    name: str
    rules: GameRules
    package: str | None
    source: str

    @property
    def home(self) -> str:
        """The package of its rules."""
        return self.package or f"{sim.__name__}.{self.name}"

    def __str__(self) -> str:
        return f"{self.name} ({self.source})"


@cache
def games() -> tuple[FoundGame, ...]:
    """Return every game: the built-in ones in their order, then the installed ones by name.

    Raises `GameError` for one that can't be loaded and for two of the same name: without its rules the battles of a
    game can't go on, so nothing starts.
    """
    built_in = sorted(_built_in(), key=lambda game: (game.rules.order, game.name))
    found: dict[str, FoundGame] = {}
    for game in (*built_in, *map(_installed, sorted(entry_points(group=GROUP)))):
        expect_one(found.setdefault(game.name, game), game, f"the name {game.name}")
    return tuple(found.values())


def expect_one(first: object, second: object, shared: str) -> None:
    """Raise GameError unless two games that have something in common, such as "a system 'nim'", are the same one."""
    if first is not second:
        raise GameError(f"The games {first} and {second} both have {shared}; uninstall one of them.")


def load_module(game: object, module: str) -> ModuleType:
    """Return a module of a game; GameError, naming the game, when it can't be loaded, for whatever reason."""
    try:
        return import_module(module, game.home if isinstance(game, FoundGame) else None)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise GameError(f"The game {game} can't be loaded ({why}); repair it or uninstall it.") from error


def load_half(game: object, module: str, name: str, kind: type[T]) -> T:
    """Return what a module of a game has under a name; GameError, naming the game, unless that is of this kind."""
    half = getattr(load_module(game, module), name, None)
    if not isinstance(half, kind):
        raise GameError(f"The game {game} can't be loaded: {module} has no {kind.__name__} called {name}.")
    return half


def load_callable(game: object, place: str) -> Callable[..., Any]:
    """Return what a game calls `module:name`; GameError, naming the game, when it isn't there or can't be called."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = load_half(game, module, name, Callable)  # type: ignore[arg-type]  # works as a class does
    return found


def _built_in() -> list[FoundGame]:
    found = []
    for module in pkgutil.iter_modules(sim.__path__):
        folders = [f"{path}/{module.name}" for path in sim.__path__]  # looked into, as find_spec imports the package
        if module.ispkg and any(inside.name == "battle" and inside.ispkg for inside in pkgutil.iter_modules(folders)):
            label = f"{module.name} ({_BUILT_IN})"
            rules = load_half(label, f"sim.{module.name}", "RULES", GameRules)
            found.append(FoundGame(module.name, rules, None, _BUILT_IN))
    return found


def _installed(point: EntryPoint) -> FoundGame:
    source = "installed" if point.dist is None else f"package {point.dist.name} {point.dist.version}"
    label = f"{point.name} ({source})"
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", point.name):
        raise GameError(f"The game {label} needs another name: up to 40 of a-z, 0-9 and _, a letter first.")
    return FoundGame(point.name, load_half(label, point.value, "RULES", GameRules), point.value, source)


def packages() -> tuple[str, ...]:
    """Return the packages that rules come from: ours, and each installed game's."""
    return sim.__name__, *(game.package for game in games() if game.package is not None)


def source_folders() -> list[Path]:
    """Return the folders of these packages."""
    installed = [find_spec(game.package) for game in games() if game.package is not None]
    roots = [*sim.__path__, *(path for spec in installed if spec for path in spec.submodule_search_locations or ())]
    return [Path(root) for root in roots]


def game_of(job: object) -> str | None:
    """Return the name of the game that a job is of; None for one of none.

    Requests belong to the package of their class; what is done to a battle names its `system`, and what joins the parts
    of a question is of the question's game.
    """
    of = job.question if isinstance(job, JoinParts) else job
    if named := systems().get(getattr(of, "system", "")):
        return named[0].name
    return next((game.name for game in games() if f"{type(of).__module__}.".startswith(f"{game.home}.")), None)


@cache
def systems() -> "Mapping[str, tuple[FoundGame, Callable[[], AnySystem]]]":
    """Return the game of each system, and what makes it; GameError for two of the same name."""
    found: dict[str, tuple[FoundGame, Callable[[], AnySystem]]] = {}
    for game in games():
        for place in game.rules.systems:
            make = load_callable(game, place)
            name = make().name
            owner, _ = found.setdefault(name, (game, make))
            expect_one(owner, game, f"a system {name!r}")
    return found


def system(name: str) -> "AnySystem":
    """Return the system of that name; RuleError when there is none."""
    found = systems().get(name)
    if found is None:
        raise RuleError(f"There are no battles of the system {name[:40]!r}.")
    return found[1]()
