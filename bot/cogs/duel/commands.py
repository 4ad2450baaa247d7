"""The cog of duels: its desks and faces. The commands stand in `/help` in the order in which they are imported here."""

from bot.app import Fracas
from bot.cogs.duel.battle import DuelFace, DungeonFace
from bot.cogs.duel.challenge import ChallengeDesk
from bot.cogs.duel.fights import FightCommands
from bot.cogs.duel.group import duel
from bot.cogs.duel.keeping import CharactersDesk
from bot.cogs.duel.kinds import KIND
from bot.cogs.duel.odds import FilesOddsDesk, TypedOddsDesk
from bot.cogs.duel.own import CharacterCommands
from bot.cogs.duel.people import People
from bot.cogs.duel.wording import WordsDesk


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
