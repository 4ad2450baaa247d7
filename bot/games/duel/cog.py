"""The cog of duels: registers handlers and presenters. `/help` lists the commands in the order of their imports."""

from bot.answers.handler import Handlers
from bot.battles.presenter import Presenters
from bot.client import Client
from bot.games.duel.challenge import ChallengeHandler
from bot.games.duel.fights import FightCommands
from bot.games.duel.group import duel
from bot.games.duel.handlers import FilesOddsHandler, TypedOddsHandler
from bot.games.duel.keeping import CharactersHandler
from bot.games.duel.own import CharacterCommands
from bot.games.duel.people import People
from bot.games.duel.presenter import DuelPresenter, DungeonPresenter
from bot.games.duel.rosters import KIND
from bot.games.duel.wording import WordsHandler
from bot.rosters.library import RosterLibrary


class Duels(FightCommands, CharacterCommands, name="B/X duels"):
    """B/X duels."""

    duel = duel

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._people = People(bot)
        self._challenge = ChallengeHandler(bot, self._people)
        self._characters = CharactersHandler(bot, self._people)
        self._words = WordsHandler(bot)
        self._odds, self._file_odds = TypedOddsHandler(bot), FilesOddsHandler(bot)
        for handler in (self._challenge, self._characters, self._words, self._odds, self._file_odds):
            bot.services[Handlers].add(handler)
        for presenter in (DuelPresenter(bot), DungeonPresenter(bot, self._people)):
            bot.services[Presenters].add(presenter)
        bot.services[RosterLibrary].add_kind(KIND)
