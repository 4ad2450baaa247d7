"""The cog of duels: its desks and faces. The commands stand in `/help` in the order in which they are imported here."""

from bot.app import Fracas
from bot.games.duel.challenge import ChallengeDesk
from bot.games.duel.fights import FightCommands
from bot.games.duel.group import duel
from bot.games.duel.handlers import FilesOddsDesk, TypedOddsDesk
from bot.games.duel.keeping import CharactersDesk
from bot.games.duel.kinds import KIND
from bot.games.duel.own import CharacterCommands
from bot.games.duel.people import People
from bot.games.duel.presenter import DuelFace, DungeonFace
from bot.games.duel.wording import WordsDesk


class Duels(FightCommands, CharacterCommands, name="B/X duels"):
    """B/X duels."""

    duel = duel

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot
        self._people = People(bot)
        self._challenge = ChallengeDesk(bot, self._people)
        self._characters = CharactersDesk(bot, self._people)
        self._words = WordsDesk(bot)
        self._odds, self._file_odds = TypedOddsDesk(bot), FilesOddsDesk(bot)
        for desk in (self._challenge, self._characters, self._words, self._odds, self._file_odds):
            bot.add_desk(desk)
        for face in (DuelFace(bot), DungeonFace(bot, self._people)):
            bot.add_face(face)
        bot.rosters.add_kind(KIND)
