"""A game's half for workers and the terminal: its rules and related modules.

It imports nothing else, so that a command that lists all games needn't load their rules.
"""

from dataclasses import dataclass


class GameError(Exception):
    """A game that can't be used; `str(error)` is one sentence for the person who started the program."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `python -m sim`: its name, which no other game's has, and its line in the help after the `title`.

    `run`: the function that does it, and may return an exit status. It adds the command's arguments to the
    `ArgumentParser` that it is given, whose `parse_args` then reads those that were typed.
    """

    name: str
    help: str
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """One half of a game, the one without Discord; `RULES` in the game's package.

    `systems` make the rules of its battles. `commands` are what it has in the terminal; each line of their help begins
    with the `title`. `cards` makes the cards of its battles with `panel_card`, as `sim.jobs.replay_page` says. `asks`
    answers a question in one line where there is only plain Python: from the text to lines, RuleError for what it
    doesn't take. `preload` is loaded once for all workers, so it is light. `warm_up` is loaded by each worker before
    its first job; a function `warm_up` in one of these modules is called. `order`: where a built-in game stands in
    lists.

    All of it is named, not imported: each process loads what it needs. Modules by their names, what is in them as
    `module:name`, or `.module:name` in the game's own package.
    """

    systems: tuple[str, ...] = ()
    title: str = ""
    commands: tuple[Command, ...] = ()
    cards: str | None = None
    asks: str | None = None
    preload: tuple[str, ...] = ()
    warm_up: tuple[str, ...] = ()
    order: int = 100
