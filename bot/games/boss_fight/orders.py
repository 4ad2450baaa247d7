"""`/boss what-if` for a party: in which order its members should step."""

from collections.abc import Sequence

from bot.answers.document import Document
from bot.answers.query import Query
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.boss_fight.given import KIND, Source
from bot.games.boss_fight.handlers import DecksHandler
from bot.games.boss_fight.render.what_if import best_order_book
from bot.rosters.library import RosterLibrary
from bot.store.rosters import RosterRepository
from bot.store.uploads import UploadRepository
from bot.ui.progress import Progress
from sim.boss_fight.battle import MAX_MEMBERS, BossFight, State
from sim.boss_fight.requests import BestOrderRequest
from sim.boss_fight.values import Boss, Entrant
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.workers import Caller

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
        return tuple(dict.fromkeys(contender.sha256 for contender in self.party if contender.sha256 is not None))


class OrderHandler(DecksHandler[OrderQuery]):
    """Answers `/boss what-if` for a party."""

    kind = "boss-order"
    query = OrderQuery
    has_form = False

    async def check(self, query: OrderQuery, caller: Caller) -> None:
        """Read the decks."""
        await self._request(query, caller)

    async def build_document(self, query: OrderQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the order."""
        request = await self._request(query, caller)
        return best_order_book(request, await self._bot.simulator.run(request, caller))

    async def build_files(self, query: OrderQuery, caller: Caller) -> dict[str, bytes]:
        """Return the order as JSON."""
        report = await self._bot.simulator.run(await self._request(query, caller), caller)
        return {"order.json": report.model_dump_json(indent=1).encode()}

    async def _request(self, query: OrderQuery, caller: Caller) -> BestOrderRequest:
        if query.battle_id is not None:
            battle = await self._bot.services[BattleService].find(query.battle_id)
            state: State = await self._bot.services[Presenters].of(battle.system).read_state(battle)
            if not state.members:
                raise RuleError("Nobody has joined this fight yet.")
            entrants = tuple(Entrant(name=member.name, deck=member.deck) for member in state.members)
            return BestOrderRequest(boss=state.setup.boss, times=state.setup.times, entrants=entrants)
        if query.boss is None:
            raise RuleError("Against which boss? Choose one in the option boss.")
        decks = [(contender.name, (await self._sheet(contender, caller)).deck) for contender in query.party]
        entrants = tuple(Entrant(name=name, deck=deck) for name, deck in decks)
        return BestOrderRequest(boss=query.boss, times=query.times, entrants=entrants)


async def party_query(
    interaction: Interaction, typed: str, boss: Boss | None, times: int, *, private: bool
) -> OrderQuery:
    """Read whose order is asked for: `HERE`, or names of saved decks with commas between; RuleError."""
    bot = interaction.client
    if name_key(typed) == HERE:
        battle = await bot.services[BattleService].in_channel(interaction, None, BossFight.name)
        return OrderQuery(boss=None, battle_id=battle.id, private=private)
    if boss is None:
        raise RuleError("The best order against which boss? Choose one in the option boss.")
    names = [name.strip() for name in typed.split(",") if name.strip()]
    if not 1 <= len(names) <= MAX_MEMBERS:
        raise RuleError(f"A party has 1 to {MAX_MEMBERS} members; here are {len(names)}.")
    party = []
    for name in names:
        roster = await bot.services[RosterLibrary].find(interaction, name, KIND.name)
        data = await bot.services[RosterRepository].read(roster)
        party.append(Contender(name=roster.name, sha256=bot.services[UploadRepository].keep(data)))
    return OrderQuery(boss=boss, times=times, party=tuple(party), private=private)
