"""A game's half with Discord, and how the bot finds it."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from bot.client import Client
from bot.store.migrate import Migration, expect_numbered
from bot.store.personal_data import PersonalTable
from sim.jobs.discovery import FoundGame, games, load_half


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One half of a game, the one with Discord; `GAME` in `bot.games.<game>`, or in the module `bot` of a package.

    `setup` adds the game's services, handlers, presenters and kinds of roster to the client's, and its cogs, whose
    names are the titles of its pages in `/help`. `personal_data`: an entry for each table with people's or servers'
    ids. `migrations` make the tables; ValueError unless they are numbered from 1 without gaps.
    """

    setup: Callable[[Client], Awaitable[None]]
    personal_data: Sequence[PersonalTable] = ()
    migrations: Sequence[Migration] = ()

    def __post_init__(self) -> None:
        expect_numbered(self.migrations)


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """Both halves of a game."""

    found: FoundGame
    game: Game

    def __str__(self) -> str:
        return str(self.found)


class Games:
    """The games of one bot, in their order."""

    def __init__(self, loaded: Sequence[LoadedGame]) -> None:
        self._loaded = tuple(loaded)

    @classmethod
    def discover(cls) -> "Games":
        """Load all games that have a half with Discord; GameError if one can't be loaded."""
        loaded = []
        for found in games():
            module = f"bot.games.{found.name}" if found.package is None else f"{found.package}.bot"
            if find_spec(module) is not None:
                loaded.append(LoadedGame(found, load_half(found, module, "GAME", Game)))
        return cls(loaded)

    def __iter__(self) -> Iterator[LoadedGame]:
        """Iterate over the games."""
        return iter(self._loaded)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._loaded)

    @property
    def personal_data(self) -> tuple[PersonalTable, ...]:
        """The entries of all games."""
        return tuple(table for loaded in self for table in loaded.game.personal_data)

    @property
    def migrations(self) -> Mapping[str, Sequence[Migration]]:
        """The migrations of each game that has some, by its name."""
        return {loaded.found.name: loaded.game.migrations for loaded in self if loaded.game.migrations}
