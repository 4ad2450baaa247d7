"""`/boss what-if` for a party: in which order its members should step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord

from bot.answers.document import Document
from bot.answers.handler import Query
from bot.games.boss_fight.given import KIND, Source
from bot.games.boss_fight.handlers import DecksHandler
from bot.games.boss_fight.render.what_if import best_order_book
from bot.ui.progress import Progress
from sim.boss_fight.battle import MAX_MEMBERS, BossFight, State
from sim.boss_fight.best_order import BestOrderRequest, Entrant
from sim.boss_fight.values import Boss
from sim.core.csv_cells import name_key
from sim.core.errors import RuleError
from sim.workers import Caller

if TYPE_CHECKING:
    from bot.app import Fracas

HERE = "here"
"""What stands for the fight in the channel."""


class Contender(Source):
    """Somebody's deck with a name."""

    name: str


class OrderQuery(Query):
    """In which order a party should step; `battle_id`: the members of that fight."""

    boss: Boss | None
    times: int = 1
    party: tuple[Contender, ...] = ()
    battle_id: int | None = None

    def uploads(self) -> Sequence[str]:
        """Return the decks' files."""
        return tuple(dict.fromkeys(one.sha256 for one in self.party if one.sha256 is not None))


class OrderHandler(DecksHandler[OrderQuery]):
    """Answers `/boss what-if` for a party."""

    kind = "boss-order"
    question = OrderQuery
    has_form = False

    async def check(self, question: OrderQuery, caller: Caller) -> None:
        """Read the decks."""
        await self._request(question, caller)

    async def work_out(self, question: OrderQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the order."""
        request = await self._request(question, caller)
        return best_order_book(request, await self._bot.simulator.run(request, caller))

    async def write(self, question: OrderQuery, caller: Caller) -> dict[str, bytes]:
        """Return the order as JSON."""
        report = await self._bot.simulator.run(await self._request(question, caller), caller)
        return {"order.json": report.model_dump_json(indent=1).encode()}

    async def _request(self, question: OrderQuery, caller: Caller) -> BestOrderRequest:
        if question.battle_id is not None:
            battle = await self._bot.arena.find(question.battle_id)
            state: State = self._bot.face(battle.system).state(battle)
            if not state.members:
                raise RuleError("Nobody has joined this fight yet.")
            entrants = tuple(Entrant(name=one.name, deck=one.deck) for one in state.members)
            return BestOrderRequest(boss=state.setup.boss, times=state.setup.times, entrants=entrants)
        if question.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        decks = [(one.name, (await self._sheet(one, caller)).deck) for one in question.party]
        entrants = tuple(Entrant(name=name, deck=deck) for name, deck in decks)
        return BestOrderRequest(boss=question.boss, times=question.times, entrants=entrants)


async def party_question(
    interaction: "discord.Interaction[Fracas]", typed: str, boss: Boss | None, times: int, *, private: bool
) -> OrderQuery:
    """Read whose order is asked for: `HERE`, or names of saved decks with commas between; RuleError."""
    bot = interaction.client
    if name_key(typed) == HERE:
        battle = await bot.arena.in_channel(interaction, None, BossFight.name)
        return OrderQuery(boss=None, battle_id=battle.id, private=private)
    if boss is None:
        raise RuleError("The best order against which boss? Choose one in the option boss.")
    names = [one.strip() for one in typed.split(",") if one.strip()]
    if not 1 <= len(names) <= MAX_MEMBERS:
        raise RuleError(f"A party has 1 to {MAX_MEMBERS} members; here are {len(names)}.")
    party = []
    for name in names:
        roster = await bot.rosters.find(interaction, name, KIND.name)
        data = await bot.rosters.store.read(roster)
        party.append(Contender(name=roster.name, sha256=bot.uploads.keep(data)))
    return OrderQuery(boss=boss, times=times, party=tuple(party), private=private)
