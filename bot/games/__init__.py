"""The games, a package each; no game imports another. Here: a game's half with Discord, and how the bot finds it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from operator import attrgetter

from discord.ext import commands

from bot.answers import PagedQuery
from bot.client import Asker, Client, Interaction
from bot.store.migrate import Migration, Schema, bundled
from bot.store.personal_data import PersonalTable
from sim.core.cards import Silhouette
from sim.core.cards.figures import ICON
from sim.core.cards.stickers import DICE, Sticker
from sim.core.game_rules import GameError
from sim.jobs import FoundGame, games, load_half, systems


@dataclass(frozen=True, slots=True)
class PlainLine:
    """Lines that need no slash: `command` takes as its options what `reads` accepts, such as the `example`.

    `query` makes of one the query that is answered.
    """

    command: str
    reads: Callable[[str], bool]
    query: Callable[[Asker, str], Awaitable[PagedQuery]]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One half of a game, the one with Discord; `GAME` in `bot.games.<game>`, or in the module `bot` of a package.

    `setup` adds the game's services, presenters and kinds of queries and rosters to the client's, and its cogs, whose
    names are the titles of its pages in `/help`; `adds` returns one that adds cogs. `personal_data`: an entry
    for each table with people's or servers' ids. `migrations` make the tables, numbered from 1 without gaps; those of
    built-in games have the bot's own numbers.

    In `/help` a game has a tile with the title of its first page, an `icon` in `color` ("#rrggbb") and a `line` of some
    words. `guide`: markdown on its page, before the commands. `former_titles`: of that page, for lists sent before it
    was renamed. `example` answers the press of its "Try it", which may be deferred in the channel, and "Surprise me":
    it opens something to play there at once, and needs nothing from the player. `plain_line`: what the offline table
    takes for one of its commands without a slash. `emojis`: pictures for its texts, by the names that `icon` takes.
    """

    setup: Callable[[Client], Awaitable[None]]
    personal_data: Sequence[PersonalTable] = ()
    migrations: Sequence[Migration] = ()
    icon: Silhouette = ICON
    color: str = "#80848e"
    line: str = ""
    guide: str = ""
    former_titles: Sequence[str] = ()
    example: Callable[[Interaction], Awaitable[None]] | None = None
    plain_line: PlainLine | None = None
    emojis: Mapping[str, Sticker] = field(default_factory=dict)


def adds(*cogs: Callable[[Client], commands.Cog]) -> Callable[[Client], Awaitable[None]]:
    """Return the `setup` of a game that adds cogs, which see to the rest."""

    async def setup(bot: Client) -> None:
        for cog in cogs:
            await bot.add_cog(cog(bot))

    return setup


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """Both halves of a game; `module`: the one that the half with Discord was loaded from."""

    found: FoundGame
    game: Game
    module: str

    def __post_init__(self) -> None:
        """Raise GameError for an installed game whose migrations aren't numbered from 1."""
        try:
            Schema(self.game.migrations if self.found.package is not None else ())
        except ValueError as error:
            why = f"ValueError: {error}"
            raise GameError(f"The game {self} can't be loaded ({why}); repair it or uninstall it.") from error

    def owns(self, cog: type) -> bool:
        """Return whether a class is this game's."""
        return f"{cog.__module__}.".startswith(f"{self.module}.")

    def __str__(self) -> str:
        return str(self.found)


class Games(tuple[LoadedGame, ...]):
    """The games of one bot, in their order."""

    __slots__ = ()

    @classmethod
    def discover(cls) -> "Games":
        """Load all games that have a half with Discord; GameError if one can't be loaded."""
        loaded = []
        for found in games():
            module = f"bot.games.{found.name}" if found.package is None else f"{found.package}.bot"
            if find_spec(module) is not None:
                loaded.append(LoadedGame(found, load_half(found, module, "GAME", Game), module))
        systems()  # battles can't go on without their rules: that is told now, not at the first press
        return cls(loaded)

    @property
    def personal_data(self) -> tuple[PersonalTable, ...]:
        """The entries of all games."""
        return tuple(table for loaded in self for table in loaded.game.personal_data)

    @property
    def emojis(self) -> dict[str, Sticker]:
        """The pictures that texts can have: dice, and those of all games."""
        return dict(DICE) | {name: sticker for each in self for name, sticker in each.game.emojis.items()}

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The bot's own schema, with the tables of its built-in games, and that of each installed game that has one."""
        own = [*bundled(), *(step for each in self if each.found.package is None for step in each.game.migrations)]
        installed = {each.found.name: each.game.migrations for each in self if each.found.package is not None}
        return (
            Schema(sorted(own, key=attrgetter("number"))),
            *(Schema(steps, name) for name, steps in sorted(installed.items()) if steps),
        )
