"""How `/aa battle` is opened: a setup that can't be read is kept, so that it can be mended in a form."""

import discord

from bot.answers.handler import FormHandler, form
from bot.answers.query import Query
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.axis_allies.options import battle_field
from bot.games.axis_allies.presenter import read_setup
from bot.store.queries import StoredQuery
from bot.store.recent_texts import RecentTextRepository
from sim.axis_allies.battle import DiceBattle, Setup
from sim.core.errors import RuleError
from sim.core.outcomes import Side


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


class BattleHandler(FormHandler[BattleQuery]):
    """Opens battles; its answer is a panel, not a book."""

    kind = "aa-battle"
    query = BattleQuery

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Open the form."""
        fields = [battle_field(self.read(stored).setup)]
        await interaction.response.send_modal(form("Edit and run again", stored.id, action, fields))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Open the battle with the setup as typed into the form."""
        await self.ask(interaction, self.read(stored).model_copy(update={"setup": values.get("battle", "")}))

    async def ask(self, interaction: Interaction, query: BattleQuery) -> None:
        """Check everything while a refusal can be private, then open the battle."""
        try:
            query.read()
        except RuleError as error:
            raise await self.rejected(interaction, query, error) from error
        presenter = self._bot.services[Presenters].of(DiceBattle.name)
        seats = {side.value: query.seats.get(side) for side in Side}
        await self._bot.services[BattleService].open(
            interaction, presenter, query.read(), seats, [side.value for side in query.bots]
        )
        await self._bot.services[RecentTextRepository].remember(interaction.user.id, "aa", query.setup)
