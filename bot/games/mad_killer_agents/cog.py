"""The commands of Mad Killer Agents."""

from typing import Annotated, NamedTuple

from discord import app_commands
from discord.ext import commands

from bot.answers import Queries
from bot.battles import BattleService
from bot.battles.clocks import duration_text
from bot.battles.items import FormQuery, position_of
from bot.battles.presenter import Presenters
from bot.battles.threads import opens_battle
from bot.battles.timetable import MINUTE
from bot.client import Client, Interaction
from bot.games.mad_killer_agents import questions as q
from bot.games.mad_killer_agents.items import WAR_ITEMS, SelectionQuery, TurnService
from bot.games.mad_killer_agents.presenter import MapWarPresenter, opening
from bot.games.mad_killer_agents.render import AIS
from bot.rosters import RosterLibrary, roster_content
from bot.store.battles import BattleRepository
from bot.ui import called, plain
from bot.ui.interactions import caller_of, defer, edit_reply
from bot.ui.options import Option, Seed, slash
from sim.core import RuleError
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.constants import MAX_ROUNDS, RULES_VERSION, AiKind, MapKind
from sim.mad_killer_agents.requests import MapRequest, ReadMapRequest
from sim.mad_killer_agents.terrain import Drawing, Terrain

Number = Annotated[
    int | None, Option("The war's number, if there are several in this channel", app_commands.Range[int, 1])
]

_HOUR, _DAY = 60, 24 * 60
_MINUTES = (2, 5, 15, 30, _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY)
_TIMES = {minutes: duration_text(minutes * MINUTE) for minutes in _MINUTES} | {0: "no time limit"}
"""Choices for the time limit of a turn, in minutes."""
_MAX_LINE = 200


class Length(NamedTuple):
    """What a kind of war has by default. `against`: the AI it begins with at once; None to wait for others to join."""

    told: str
    size: str
    rounds: int
    turn_time: int
    against: AiKind | None


_QUICK = "Quick: 15 rounds on 10x10, 12 hours a turn, against an AI; begins at once"
LENGTHS = {
    "quick": Length(_QUICK, "10x10", 15, 12 * _HOUR, AiKind.PILLAGER),
    "friends": Length("Quick with friends: they join first", "10x10", 15, 12 * _HOUR, None),
    "long": Length("Long: 100 rounds on 20x20, 1 day a turn; others join first", "20x20", 100, _DAY, None),
}
_LENGTHS = {name: length.told for name, length in LENGTHS.items()}
_OPPONENTS = {kind: text for kind, text in AIS.items() if kind != AiKind.BARBARIAN}


class MadKillerAgents(commands.Cog, name="Mad Killer Agents"):
    """Mad Killer Agents."""

    mka = app_commands.Group(name="mka", description="Mad Killer Agents: a war on a map, for people and AIs")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(q.MapQuery, q.ClashQuery, q.SimulateQuery, SelectionQuery)
        bot.services[Presenters].add(MapWarPresenter(bot))
        bot.add_items(*WAR_ITEMS)
        bot.services[RosterLibrary].add_kind(q.KIND)

    @slash(
        mka,
        opens_battle,
        example="/mka new length:long size:16x16",
        more="A quick war begins at once: you have an army and a city, and your first turn opens. Play by"
        " buttons, in a private message that shows the map around your army and what each move costs, or as text"
        " with `/mka orders`. **Map as text** says it all in words. It ends with a card and a film.",
    )
    async def new(
        self,
        interaction: Interaction,
        length: Annotated[
            str, Option("How long it lasts, and against whom (default quick)", choices=_LENGTHS)
        ] = "quick",
        against: Annotated[str | None, Option("An AI to fight (default Pillager)", choices=_OPPONENTS)] = None,
        size: Annotated[str | None, q.MAP_SIZE] = None,
        kind: q.KindName = MapKind.MOUNTAINS.value,
        rounds: Annotated[
            int | None,
            Option("The most points after this many rounds win", app_commands.Range[int, 1, MAX_ROUNDS]),
        ] = None,
        turn_time: Annotated[
            int | None, Option("How long a turn may take before an AI plays it", choices=_TIMES)
        ] = None,
        seed: Annotated[
            Seed | None, Option("Decides the map, as in /mka map (default: drawn when the war begins)")
        ] = None,
        without: q.Without = None,
        map: q.MapFile = None,  # noqa: A002  # what players call it
        map_saved: q.SavedMap = None,
    ) -> None:
        """Play a quick war against an AI at once, or open one for friends."""
        chosen = LENGTHS[length]
        drawing = Drawing.read(size or chosen.size, kind, without)
        await defer(interaction, private=False)
        terrain: Terrain | None = None
        if map is not None or map_saved is not None:
            upload = await roster_content(interaction, q.KIND.name, map, map_saved, "map")
            terrain = await self._bot.simulator.run(ReadMapRequest(data=upload.data), caller_of(interaction))
        elif seed is not None:
            request = MapRequest(drawing=drawing, seed=seed)
            terrain = (await self._bot.simulator.run(request, caller_of(interaction))).terrain
        setup = v.Setup(
            drawing=drawing,
            terrain=terrain,
            rounds=rounds or chosen.rounds,
            turn_minutes=(chosen.turn_time if turn_time is None else turn_time) or None,
            edition=RULES_VERSION,
            settled=length != "long",
        )
        ai, begins = AiKind(against) if against else chosen.against, chosen.against is not None
        # Nobody gets the referee's seat: someone who may also play must not undo what others did.
        name = v.State.begin(setup).available_name(called(interaction.user))
        first = opening(name, [] if ai is None else [ai], begins=begins)
        battle = await self._bot.services[BattleService].open(interaction, MapWar.name, setup, first=first)
        if battle is not None and begins:
            await self._bot.services[TurnService].open_beside(interaction, battle.id)

    @slash(mka, name="orders", example="/mka orders orders:A2-B3 12; B3-C4; end")
    async def orders_command(
        self,
        interaction: Interaction,
        orders: Annotated[
            str, Option("Such as: C7-D8 12; D8 found; E5 attack F5; end", app_commands.Range[str, 1, v.MAX_ORDER_TEXT])
        ],
        number: Number = None,
    ) -> None:
        """Give the orders of your turn as text; what isn't possible is left out."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, MapWar.name)
        offer = (await self._bot.services[Presenters].position(battle)).offer("write")
        await defer(interaction, private=True)
        await FormQuery.of(offer, {"text": orders}).take(interaction)
        at = await position_of(interaction, battle.id)
        entry = await self._bot.services[BattleRepository].last_entry(battle.id)
        system = offer.presenter.system
        told = [] if entry is None else system.lines(system.events.read_all(entry.events))
        lines = [plain(line.strip(), _MAX_LINE) for line in told]
        await edit_reply(interaction, "\n".join([f"✅ Done. #{battle.number} is {plain(at.progress)}.", *lines]))

    @slash(mka, example="/mka away ai:marshal")
    async def away(
        self,
        interaction: Interaction,
        ai: Annotated[
            str | None,
            Option("Who plays for you now, and when your time is up (default: Marshal)", choices=AIS),
        ] = None,
        back: Annotated[bool, Option("You are back and play yourself again")] = False,
        number: Number = None,
    ) -> None:
        """Let an AI play your turns until you are back."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, MapWar.name)
        at = await self._bot.services[Presenters].position(battle)
        seats = battle.seats_of(interaction.user.id)
        player = next((player for player in at.state.players if v.seat_of(player.number) in seats), None)
        if player is None:
            raise RuleError(f"You don't play in #{battle.number}.")
        action: v.PlainAction | v.Away | v.Deputy = v.Away(ai=None if ai is None else AiKind(ai))
        if back:
            action = v.PlainAction(do="back")
        elif player.away:
            if ai is None:
                raise RuleError("You are already away; use /mka away back:True when you are back.")
            action = v.Deputy(ai=AiKind(ai))
        await defer(interaction, private=True)
        await self._bot.services[BattleService].act(interaction, battle.id, battle.version, action.do, action)
        text = {
            "away": f"💤 An AI plays your turns in #{battle.number} until you use `/mka away back:True`.",
            "back": f"👋 Welcome back: you play your own turns in #{battle.number} again.",
            "deputy": f"💤 From now on a different AI plays for you in #{battle.number}.",
        }[action.do]
        await edit_reply(interaction, text)

    @slash(mka, name="map", example="/mka map size:20x20 kind:plateaus seed:7")
    async def map_(self, interaction: Interaction, query: q.MapQuery) -> None:
        """See a map and its figures, drawn from a seed or read from your file."""
        await query.ask(interaction)

    @slash(mka, example="/mka battle battle:5@3 vs 2@1")
    async def battle(self, interaction: Interaction, query: q.ClashQuery) -> None:
        """How a battle ends, exactly, and the best way to attack in parts."""
        await query.ask(interaction)

    @slash(mka, example="/mka simulate players:marshal vs pillager size:12x12 rounds:30")
    async def simulate(self, interaction: Interaction, query: q.SimulateQuery) -> None:
        """Let AIs fight each other: who wins, and how the war goes."""
        await query.ask(interaction)
