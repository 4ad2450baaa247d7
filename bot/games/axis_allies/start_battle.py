"""How `/aa battle` is opened: a setup that can't be read is kept, so that it can be mended in a form."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discord

from bot.answers.document import Document
from bot.answers.handler import QueryHandler, Query
from bot.games.axis_allies.options import battle_field
from bot.games.axis_allies.presenter import read_setup
from bot.ui.progress import Progress
from sim.axis_allies.battle import DiceBattle, Setup
from sim.core.errors import RuleError
from sim.core.outcomes import Side
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas


class BattleQuery(Query):
    """What a player asked `/aa battle`; `seats` without those that are open, or the bot's (`bots`)."""

    setup: str
    seats: dict[Side, int]
    bots: tuple[Side, ...]
    casualties: str
    fog: bool

    def read(self) -> Setup:
        """Read the armies; RuleError, TextError with every mistake and its place."""
        return read_setup(self.setup, self.casualties, self.bots, fog=self.fog)

    @classmethod
    def of(
        cls,
        setup: str,
        players: dict[Side, discord.User | discord.Member | None],
        this_bot: discord.ClientUser | None,
        casualties: str,
        *,
        fog: bool,
    ) -> "BattleQuery":
        """Make the question; RuleError where another bot is to fight."""
        seats, bots = {}, []
        for side, player in players.items():
            if player is None:
                continue
            if player == this_bot:
                bots.append(side)
            elif player.bot:
                raise RuleError("Other bots don't know how to fight; choose a person, this bot, or nobody.")
            else:
                seats[side] = player.id
        return cls(setup=setup, seats=seats, bots=tuple(bots), casualties=casualties, fog=fog)


class BattleHandler(QueryHandler[BattleQuery]):
    """Opens battles; its answer is a panel, not a book."""

    kind = "aa-battle"
    question = BattleQuery

    async def check(self, question: BattleQuery, _caller: Caller) -> None:
        """Read the armies."""
        question.read()

    async def ask(self, interaction: "discord.Interaction[Fracas]", question: BattleQuery) -> None:
        """Check everything while a refusal can be private, then open the battle."""
        await self._check(interaction, question)
        face = self._bot.face(DiceBattle.name)
        seats = {side.value: question.seats.get(side) for side in Side}
        setup = face.system.setups.write(question.read())
        await self._bot.arena.open(interaction, face, setup, seats, [side.value for side in question.bots])
        await self._bot.recent.remember(interaction.user.id, "aa", question.setup)

    async def work_out(self, _question: BattleQuery, _caller: Caller, _progress: Progress) -> Document:
        """Refuse: a battle has a panel, not pages."""
        raise RuleError("A battle has no pages; /battle show brings its panel.")

    async def write(self, _question: BattleQuery, _caller: Caller) -> dict[str, bytes]:
        """Refuse: a battle's files are in its log."""
        raise RuleError("A battle's files come with /battle log.")

    def fields(self, question: BattleQuery) -> Sequence[discord.ui.Label[Any]]:
        """Return the setup."""
        return [battle_field(question.setup)]

    def edited(self, question: BattleQuery, values: dict[str, str]) -> BattleQuery:
        """Return the question with the setup as typed into the form."""
        return question.model_copy(update={"setup": values.get("battle", "")})
