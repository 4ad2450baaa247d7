"""The buttons on a fight's panel that open its arithmetic, the traits, and the next fight."""

from bot.answers.handler import Query
from bot.battles.items import BattleForms
from bot.battles.panel import expect_unseated
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.boss_fight.questions import ArithmeticHandler, ArithmeticQuery, TraitsHandler, find_fight
from bot.store.battles import BattleRepository
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, channel_of, defer, origin_of
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import HANDS, Setup
from sim.boss_fight.tables import known_boss
from sim.core.battle import JOIN
from sim.core.errors import RuleError


class ArithmeticButton(PersistentButton, template=r"ba1:(?P<battle>[0-9]{1,18})"):
    """Opens every product behind a fight's exchanges."""

    kind = "arithmetic"

    async def pressed(self, interaction: Interaction) -> None:
        """Show the arithmetic, starting with the member of the last exchange."""
        await defer(interaction, private=True)
        battle, state = await find_fight(interaction.client, int(self.match["battle"]), origin_of(interaction))
        seats = [member.seat for member in state.members]
        if not seats:
            raise RuleError("Nobody is in this fight yet.")
        if state.setup.edition == HANDS:  # only the last exchange has its tokens
            seats = [] if state.last is None else [state.last.seat]
        if not seats:
            raise RuleError("Nobody has struck yet.")
        first = seats.index(state.last.seat) if state.last is not None and state.last.seat in seats else 0
        query = ArithmeticQuery(battle_id=battle.id, seats=tuple(seats), at=first, private=True)
        await interaction.client.services[ArithmeticHandler].ask(interaction, query)


class OwnHandButton(PersistentButton, template=r"bo1:(?P<battle>[0-9]{1,18})"):
    """Opens the form for another ready hand, or for a deck of one's own."""

    kind = "own-hand"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the form to join."""
        services = interaction.client.services
        battle = await services[BattleService].find(int(self.match["battle"]), origin_of(interaction))
        expect_unseated(battle, interaction.user.id)
        offer = (await services[Presenters].position(battle)).offer(JOIN.name)
        await services[BattleForms].open(interaction, offer)


class TraitsButton(PersistentButton, template=r"bt1:traits"):
    """Opens the ready decks and the traits."""

    kind = "traits"

    async def pressed(self, interaction: Interaction) -> None:
        """Show them to the player who pressed."""
        await interaction.client.services[TraitsHandler].ask(interaction, Query(private=True))


class NextFightButton(PersistentButton, template=r"bn1:(?P<boss>[a-z-]{1,40})"):
    """Opens a fight against a boss of the ladder in a new message."""

    kind = "next-fight"

    async def pressed(self, interaction: Interaction) -> None:
        """Open the fight, unless one against this boss is open already."""
        boss = known_boss(self.match["boss"].replace("-", " "))
        if boss is None:
            raise RuleError(OUTDATED_BUTTON)
        presenter, setup = interaction.client.services[Presenters].of(BossFight.name), Setup(boss=boss, edition=HANDS)
        for battle in await interaction.client.services[BattleRepository].open_in(channel_of(interaction)):
            if battle.system == BossFight.name and (await presenter.states.read(battle.state_json)).setup == setup:
                raise RuleError(f"#{battle.number} against {boss.name} is open already: join it.")
        await interaction.client.services[BattleService].open(interaction, presenter, setup, {})
