"""The commands of Mad Killer Agents."""

from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.handler import Handlers
from bot.battles.battle_modal import BattleForms
from bot.battles.clock.settings import duration_text
from bot.battles.clock.timetable import MINUTE
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.games.mad_killer_agents.handlers import (
    ClashHandler,
    ClashQuery,
    MapHandler,
    MapQuery,
    SimulateHandler,
    SimulateQuery,
)
from bot.games.mad_killer_agents.items import WAR_ITEMS
from bot.games.mad_killer_agents.options import MAX_AIS_TEXT, MapSize, read_drawing
from bot.games.mad_killer_agents.presenter import AIS, MapWarPresenter, holders_of
from bot.games.mad_killer_agents.render import map_summary
from bot.games.mad_killer_agents.turns import TurnHandler
from bot.rosters.library import RosterKind, RosterLibrary
from bot.rosters.options import SavedRoster, roster_content
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.uploads import UploadRepository
from bot.ui.attachments import Upload
from bot.ui.interactions import caller_of, defer, edit_reply, origin_of
from bot.ui.options import PRIVATE, RecentText, SeedOption, new_seed
from bot.ui.text import plain
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle import MapWar
from sim.mad_killer_agents.battle.values import MAX_ORDER_TEXT, Away, Back, Deputy, Setup, State
from sim.mad_killer_agents.battle_text import MAX_BATTLE_TEXT, MAX_CITY, add_options
from sim.mad_killer_agents.constants import EDITION, MAX_ROUNDS, MAX_VALUE, MIN_VALUE, AiKind, MapKind
from sim.mad_killer_agents.requests import MAX_GAMES, MapRequest, ReadMapRequest
from sim.mad_killer_agents.terrain import Terrain

KIND = RosterKind(
    name="mka",
    title="Mad Killer Agents map",
    extension="csv",
    check=lambda content: ReadMapRequest(data=content),
    summarize=map_summary,
)

Size = Annotated[str, MapSize()]
Rounds = app_commands.Range[int, 1, MAX_ROUNDS]
Without = app_commands.Range[int, MIN_VALUE + 1, MAX_VALUE - 1]
Saved = Annotated[str, SavedRoster(KIND.name)]
Number = app_commands.Range[int, 1]

_HOUR, _DAY = 60, 24 * 60
TURN_TIMES = (2, 5, 15, 30, _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY)
"""Choices for the time limit of a turn, in minutes."""
NO_HURRY = 0

_KINDS = [app_commands.Choice(name=kind.capitalize(), value=kind.value) for kind in MapKind]
_TIMES = [app_commands.Choice(name=duration_text(minutes * MINUTE), value=minutes) for minutes in TURN_TIMES]
_TIMES.append(app_commands.Choice(name="no time limit", value=NO_HURRY))
_AIS = [app_commands.Choice(name=text, value=kind.value) for kind, text in AIS.items()]

_SIZE = "Columns x rows of the map, 8 to 40 each, such as 20x16 (default 20x20)"
_KIND = "How the map is drawn (default mountains)"
_WITHOUT = "The tile value that plateaus leave out (default: drawn)"
_WHICH = "The war's number, if there are several in this channel"
_MAP = "A map as a CSV file: a line for each row, a tile value from 1 to 6 in each cell"


class MadKillerAgents(commands.Cog, name="Mad Killer Agents"):
    """Mad Killer Agents."""

    mka = app_commands.Group(name="mka", description="Mad Killer Agents: a war on a map, for people and AIs")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._map, self._clash, self._simulate = MapHandler(bot), ClashHandler(bot), SimulateHandler(bot)
        for handler in (self._map, self._clash, self._simulate, bot.services.add(TurnHandler(bot))):
            bot.services[Handlers].add(handler)
        bot.services[Presenters].add(MapWarPresenter(bot))
        bot.add_items(*WAR_ITEMS)
        bot.services[RosterLibrary].add_kind(KIND)

    @mka.command(
        description="Open a war on a map in this channel, for people and AIs",
        extras={
            "example": "/mka new size:16x16 kind:mountains rounds:50",
            "more": "The panel has the map and the rules. Play your turn by buttons, in a private message that shows"
            " the map around your army and what each move costs, or as text with `/mka orders`. It ends with a card"
            " and a film.",
        },
    )
    @app_commands.describe(
        size=_SIZE,
        kind=_KIND,
        rounds=f"The most points after this many rounds win (1 to {MAX_ROUNDS}, default 100)",
        turn_time="How long a turn may take before an AI plays it (default 1 day)",
        seed="Decides the map, as in /mka map (default: drawn when the war begins)",
        without=_WITHOUT,
        map=_MAP,
        map_saved="Or the name of a saved map",
    )
    @app_commands.choices(kind=_KINDS)
    @app_commands.choices(turn_time=_TIMES)
    async def new(
        self,
        interaction: Interaction,
        size: Size = "20x20",
        kind: str = MapKind.MOUNTAINS.value,
        rounds: Rounds = 100,
        turn_time: int = _DAY,
        seed: SeedOption | None = None,
        without: Without | None = None,
        map: discord.Attachment | None = None,  # noqa: A002  # what players call it
        map_saved: Saved | None = None,
    ) -> None:
        """Open a game; people join with the panel's buttons."""
        drawing = read_drawing(size, kind, without)
        await defer(interaction, private=False)
        terrain: Terrain | None = None
        if map is not None or map_saved is not None:
            terrain = await self._read(interaction, await roster_content(interaction, KIND.name, map, map_saved, "map"))
        elif seed is not None:
            request = MapRequest(drawing=drawing, seed=seed)
            terrain = (await self._bot.simulator.run(request, caller_of(interaction))).terrain
        setup = Setup(drawing=drawing, terrain=terrain, rounds=rounds, turn_minutes=turn_time or None, edition=EDITION)
        presenter = self._bot.services[Presenters].of(MapWar.name)
        # Nobody gets the referee's seat: someone who may also play must not undo what others did.
        await self._bot.services[BattleService].open(interaction, presenter, setup, {})

    @mka.command(
        name="orders",
        description="Give the orders of your turn as text; one mistake, and none is carried out",
        extras={"example": "/mka orders orders:A2-B3 12; B3-C4; end"},
    )
    @app_commands.describe(orders="Such as: C7-D8 12; D8 found; E5 attack F5; end", number=_WHICH)
    async def orders_command(
        self,
        interaction: Interaction,
        orders: app_commands.Range[str, 1, MAX_ORDER_TEXT],
        number: Number | None = None,
    ) -> None:
        """Carry out orders as text."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, MapWar.name)
        presenter = self._bot.services[Presenters].of(battle.system)
        legal = presenter.legal_action(battle, await presenter.read_state(battle), "write")
        await defer(interaction, private=True)
        await self._bot.services[BattleForms].take(interaction, battle, legal, {"text": orders})
        now = await self._bot.services[BattleService].find(battle.id, origin_of(interaction))
        entry = await self._bot.services[BattleRepository].last_entry(battle.id)
        lines = [] if entry is None or not isinstance(presenter, MapWarPresenter) else presenter.in_message(entry)
        progress = await self._bot.services[BattleService].progress(now)
        await edit_reply(interaction, "\n".join([f"✅ Done. #{now.number} is {plain(progress)}.", *lines]))

    @mka.command(description="Let an AI play your turns until you are back", extras={"example": "/mka away ai:marshal"})
    @app_commands.describe(
        ai="Who plays for you now, and when your time is up (default: the marshal)",
        back="You are back and play yourself again",
        number=_WHICH,
    )
    @app_commands.choices(ai=_AIS)
    async def away(
        self,
        interaction: Interaction,
        ai: str | None = None,
        back: bool = False,
        number: Number | None = None,
    ) -> None:
        """Let an AI play, or come back."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, MapWar.name)
        kind = None if ai is None else AiKind(ai)
        action = await self._away_action(battle, interaction.user.id, kind, back=back)
        await defer(interaction, private=True)
        await self._bot.services[BattleService].act(interaction, battle.id, battle.version, action.do, action)
        text = {
            Away: f"💤 The AI plays your turns in #{battle.number} until you use `/mka away back:True`.",
            Back: f"👋 Welcome back: you play your own turns in #{battle.number} again.",
            Deputy: f"💤 From now on another AI plays for you in #{battle.number}.",
        }[type(action)]
        await edit_reply(interaction, text)

    @mka.command(
        name="map",
        description="See a map and its figures, drawn from a seed or read from your file",
        extras={"example": "/mka map size:20x20 kind:plateaus seed:7"},
    )
    @app_commands.describe(
        size=_SIZE,
        kind=_KIND,
        seed="Decides the map: the same seed gives the same map",
        without=_WITHOUT,
        file=_MAP,
        saved="Or the name of a saved map",
        private=PRIVATE,
    )
    @app_commands.choices(kind=_KINDS)
    async def map_(
        self,
        interaction: Interaction,
        size: Size = "20x20",
        kind: str = MapKind.MOUNTAINS.value,
        seed: SeedOption | None = None,
        without: Without | None = None,
        file: discord.Attachment | None = None,
        saved: Saved | None = None,
        private: bool = False,
    ) -> None:
        """Show a map."""
        await defer(interaction, private=private)
        query = MapQuery(
            size=size,
            kind=kind,
            without=without,
            seed=new_seed() if seed is None else seed,
            edition=EDITION,
            private=private,
        )
        if file is not None or saved is not None:
            upload = await roster_content(interaction, KIND.name, file, saved, "file")
            query = query.model_copy(
                update={"sha256": self._bot.services[UploadRepository].keep(upload.data), "name": upload.name}
            )
        await self._map.ask(interaction, query)

    @mka.command(
        description="How a battle ends, exactly, and the best way to attack in parts",
        extras={"example": "/mka battle battle:5@3 vs 2@1"},
    )
    @app_commands.describe(
        battle="Attacker vs defender, units@tile value, such as: 5@3 vs 2@1",
        city="Size of the defender's city, if there is one",
        drill="The attacker knows Drill",
        masonry="The defender knows Masonry",
        mountaineering="Who is on a mountain (TV 6), or goes there, knows Mountaineering",
        private=PRIVATE,
    )
    async def battle(
        self,
        interaction: Interaction,
        battle: Annotated[str, RecentText(ClashHandler.kind, limit=MAX_BATTLE_TEXT)],
        city: app_commands.Range[int, 0, MAX_CITY] | None = None,
        drill: bool = False,
        masonry: bool = False,
        mountaineering: bool = False,
        private: bool = False,
    ) -> None:
        """Show the result of a battle."""
        text = add_options(battle, city, drill=drill, masonry=masonry, mountaineering=mountaineering)
        await self._clash.ask(interaction, ClashQuery(battle=text, edition=EDITION, private=private))

    @mka.command(
        description="Let AIs fight each other: who wins, and how the war goes",
        extras={"example": "/mka simulate players:marshal vs pillager size:12x12 rounds:30"},
    )
    @app_commands.describe(
        players="AIs, such as: marshal, 2 pillager, barbarian, random",
        games=f"How many games (1 to {MAX_GAMES}); a single one comes with a film",
        rounds=f"Rounds of each game (1 to {MAX_ROUNDS}, default 100)",
        size=_SIZE,
        kind=_KIND,
        seed="Decides maps and dice: the same seed gives the same games",
        private=PRIVATE,
    )
    @app_commands.choices(kind=_KINDS)
    async def simulate(
        self,
        interaction: Interaction,
        players: app_commands.Range[str, 1, MAX_AIS_TEXT],
        games: app_commands.Range[int, 1, MAX_GAMES] = 1,
        rounds: Rounds = 100,
        size: Size = "20x20",
        kind: str = MapKind.MOUNTAINS.value,
        seed: SeedOption | None = None,
        private: bool = False,
    ) -> None:
        """Play games of AIs."""
        query = SimulateQuery(
            players=players,
            games=games,
            rounds=rounds,
            size=size,
            kind=kind,
            seed=new_seed() if seed is None else seed,
            edition=EDITION,
            private=private,
        )
        await self._simulate.ask(interaction, query)

    async def _read(self, interaction: Interaction, upload: Upload) -> Terrain:
        return await self._bot.simulator.run(ReadMapRequest(data=upload.data), caller_of(interaction))

    async def _away_action(
        self, battle: Battle, user_id: int, ai: AiKind | None, *, back: bool
    ) -> Away | Back | Deputy:
        """Return the action of a player who leaves or comes back; RuleError if the user doesn't play."""
        state: State = await self._bot.services[Presenters].of(battle.system).read_state(battle)
        number = next((number for number, holder in holders_of(battle).items() if holder == user_id), None)
        player = next((player for player in state.players if player.number == number), None)
        if player is None:
            raise RuleError(f"You don't play in #{battle.number}.")
        if back:
            return Back()
        if not player.away:
            return Away(ai=ai)
        if ai is None:
            raise RuleError("You are already away; use /mka away back:True when you are back.")
        return Deputy(ai=ai)
