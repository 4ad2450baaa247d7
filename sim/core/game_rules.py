"""A game's half for workers and the terminal: its rules and related modules."""

from collections.abc import Callable
from dataclasses import dataclass

from sim.core.battle import AnySystem

LAST = 100


class GameError(Exception):
    """A game that can't be used; `str(error)` is one sentence for the person who started the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """One half of a game, the one without Discord; `RULES` in the game's module `game`.

    `systems` make the rules of its battles. `console` adds commands to `python -m sim` with `add_commands`. `cards`
    makes the cards of its battles with `panel_card`, which `sim.jobs.cards` describes. `preload` is loaded once for all
    workers, so it is light. `warm_up` is loaded by each worker before its first job; a function `warm_up` in one of
    these modules is called. These modules are named, not imported: each process loads what it needs. `order`: where a
    built-in game stands in lists.
    """

    systems: tuple[Callable[[], AnySystem], ...] = ()
    console: str | None = None
    cards: str | None = None
    preload: tuple[str, ...] = ()
    warm_up: tuple[str, ...] = ()
    order: int = LAST
