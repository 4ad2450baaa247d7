"""The commands of Marked for Death: they read the options; queries and the presenter do the rest."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Queries
from bot.battles import BattleService
from bot.battles.opponents import CHARACTERS
from bot.battles.panel import seat_for
from bot.battles.presenter import Position, Presenters
from bot.battles.threads import opens_battle
from bot.client import Client, Interaction
from bot.games.marked_for_death import questions as q
from bot.games.marked_for_death.presenter import AMEND, PULL_OUT, RosterBattlePresenter, edit_fighter, fighter_list
from bot.rosters import RosterLibrary, roster_content, saved_roster
from bot.store.battle import Place
from bot.store.queries import UploadRepository
from bot.ui import plain, plain_view
from bot.ui.interactions import caller_of, defer, edit_reply
from bot.ui.options import CompletedBy, Option, Options, Private, seed_option, slash, text_choices
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.names import check_name, name_key
from sim.marked_for_death.battle import MAX_ROUNDS, PullOut, RoundCount, Setup, State
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.requests import ReadRequest
from sim.marked_for_death.roster import MAX_NAME, Camp
from sim.marked_for_death.tables import example, sample


async def _fighter_names(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Return the matching fighters of the battle and side in the options `number` and `side`, the living first."""
    service, number = interaction.client.services[BattleService], interaction.namespace.number
    try:
        battle = await service.in_channel(interaction, number, RosterBattle.name)
        camp = Camp(interaction.namespace.side)
    except (RuleError, ValueError):
        return []
    state: State = (await interaction.client.services[Presenters].position(battle)).state
    force = sorted(state.side(camp), key=lambda combatant: not combatant.stands)
    key = name_key(typed)
    return text_choices(combatant.fighter.name for combatant in force if key in combatant.fighter.key)


_fighter = partial(Option, takes=CompletedBy(MAX_NAME, _fighter_names))
FRIEND = "friend"
OPPONENTS = {key: f"{one.name}, the {one.word} bot" for key, one in CHARACTERS.items()} | {
    FRIEND: "A friend: the seat is free"
}
SavedOption = Annotated[
    str | None, Option("Or a saved roster by its name, or a published sheet's link", saved_roster(q.KIND.name))
]
NumberOption = Annotated[
    int | None, Option("The battle's number in this channel (usually the only one)", app_commands.Range[int, 1])
]
CampOption = Annotated[str, Option("Whose side", choices={camp.value: camp.capitalize() for camp in Camp})]


class SideOptions(Options):
    """Two rosters, each a file or a saved one, and the round limit."""

    heroes: Annotated[discord.Attachment | None, Option("The heroes' roster, a CSV file")] = None
    villains: Annotated[discord.Attachment | None, Option("The villains' roster, a CSV file")] = None
    heroes_saved: SavedOption = None
    villains_saved: SavedOption = None
    max_rounds: Annotated[
        RoundCount | None,
        Option(f"Stop undecided after this many rounds (1 to {MAX_ROUNDS})"),
    ] = None

    async def rosters(self, interaction: Interaction) -> dict[str, bytes]:
        """Return both files by their sides; the interaction must be deferred."""
        given = {"heroes": (self.heroes, self.heroes_saved), "villains": (self.villains, self.villains_saved)}
        return {
            side: (await roster_content(interaction, q.KIND.name, *files, side)).data for side, files in given.items()
        }

    async def kept(self, interaction: Interaction) -> dict[str, Any]:
        """Return the fields of a `RunQuery`, but its seed; the interaction must be deferred."""
        keep = interaction.client.services[UploadRepository].keep
        files = await self.rosters(interaction)
        return {"max_rounds": self.max_rounds, **{side: keep(data) for side, data in files.items()}}


class MarkedForDeath(commands.Cog, name="Marked for Death"):
    """Marked for Death."""

    mfd = app_commands.Group(name="mfd", description="Marked for Death: two rosters fight it out")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(q.RunQuery, q.CheckQuery, q.OddsQuery, q.ChangeQuery)
        bot.services[Presenters].add(RosterBattlePresenter(bot))
        bot.add_items(fighter_list)
        bot.services[RosterLibrary].add_kind(q.KIND)

    @slash(mfd, example="/mfd run heroes:Heroes.csv villains:Villains.csv")
    async def run(
        self,
        interaction: Interaction,
        sides: SideOptions,
        seed: Annotated[int, seed_option("Decides the dice: the same seed and rosters give the same battle")],
        private: Private = False,
    ) -> None:
        """Fight a whole battle of two rosters: who wins, who falls, the log, the final rosters."""
        await defer(interaction, private=private)
        query = q.RunQuery(**await sides.kept(interaction), seed=seed, private=private)
        await query.ask(interaction)

    @slash(mfd, example="/mfd check roster:Heroes.csv")
    async def check(
        self,
        interaction: Interaction,
        roster: Annotated[discord.Attachment | None, Option("The roster, a CSV file")] = None,
        roster_saved: SavedOption = None,
        private: Private = False,
    ) -> None:
        """Check a roster: every fighter's numbers, and anything wrong or odd."""
        await defer(interaction, private=private)
        upload = await roster_content(interaction, q.KIND.name, roster, roster_saved)
        query = q.CheckQuery(
            roster=self._bot.services[UploadRepository].keep(upload.data), name=upload.name, private=private
        )
        await query.ask(interaction)

    @slash(mfd)
    async def template(self, interaction: Interaction) -> None:
        """A roster to start from: a dragon and its riders, every column explained."""
        view = plain_view("Open it in a spreadsheet, add your fighters, save it as CSV, then try `/mfd check`.")
        view.add_file("Roster.csv", example())
        await interaction.response.send_message(view=view, files=view.files, ephemeral=True)

    @slash(
        mfd,
        says="How likely is each side to win, and each fighter to survive?",
        example="/mfd odds heroes:Heroes.csv villains:Villains.csv",
        more="Exact for one against one, otherwise simulated until the chances are known to half a point.",
    )
    async def odds(
        self,
        interaction: Interaction,
        sides: SideOptions,
        seed: Annotated[int, seed_option("Decides the dice of simulated battles")],
        who_matters: Annotated[bool, Option("Also work out which fighters matter most")] = False,
        private: Private = False,
    ) -> None:
        """Work out the odds."""
        await defer(interaction, private=private)
        query = q.OddsQuery(**await sides.kept(interaction), seed=seed, weigh=who_matters, private=private)
        await query.ask(interaction)

    @slash(
        mfd,
        opens_battle,
        more="Without files, two sample armies meet in an even fight: you lead the heroes, the bot the"
        " villains, until a friend takes over. You are the referee. Between rounds you can add fighters"
        " (`/mfd change`), edit one (`/mfd edit`) or pull one out (`/mfd pull`).",
    )
    async def start(
        self,
        interaction: Interaction,
        sides: SideOptions,
        opponent: Annotated[
            str | None, Option("Who leads the villains; you lead the heroes then", choices=OPPONENTS)
        ] = None,
    ) -> None:
        """Start a battle in this channel: fight it round by round, with changes in between."""
        await defer(interaction, private=False)
        if not any((sides.heroes, sides.villains, sides.heroes_saved, sides.villains_saved)):
            opponent = opponent or next(iter(CHARACTERS))
            files = {camp.value: sample(camp) for camp in Camp}
        else:
            files = await sides.rosters(interaction)
        led, user_id = opponent is not None, interaction.user.id
        read = await self._bot.simulator.once(ReadRequest(**files), caller_of(interaction))
        setup = Setup(heroes=read.heroes.roster, villains=read.villains.roster, max_rounds=sides.max_rounds, led=led)
        bot = None if opponent == FRIEND else opponent
        villains = Place(Camp.VILLAINS.value, is_bot=bot is not None, character=bot)
        places = [*([Place(Camp.HEROES.value, user_id), villains] if led else []), Place(REFEREE, user_id)]
        battle = await self._bot.services[BattleService].open(interaction, RosterBattle.name, setup, places)
        if battle is not None:
            await q.remember_sheet(interaction, battle, Camp.HEROES, sides.heroes_saved)
            await q.remember_sheet(interaction, battle, Camp.VILLAINS, sides.villains_saved)

    @slash(
        mfd,
        example="/mfd change side:heroes roster:Heroes-final.csv",
        more="A fighter in the file takes the place of one of the same name. Without a roster, the side's sheet"
        " is read again, if you gave its link.",
    )
    async def change(
        self,
        interaction: Interaction,
        side: CampOption,
        roster: Annotated[discord.Attachment | None, Option("The changed roster")] = None,
        roster_saved: SavedOption = None,
        how: Annotated[str, Option("Add its fighters (usual), or replace the whole roster", choices=q.HOW)] = q.ADD,
        number: NumberOption = None,
    ) -> None:
        """Add fighters to a side between rounds, or replace it; you see the difference first."""
        await defer(interaction, private=True)
        battle = (await self._battle(interaction, number, q.REINFORCE)).battle
        upload = await q.changed_roster(interaction, battle, Camp(side), roster, roster_saved)
        await q.ChangeQuery.of(interaction, battle, Camp(side), upload, how).ask(interaction)

    @slash(mfd, example="/mfd edit side:heroes fighter:Tom")
    async def edit(
        self,
        interaction: Interaction,
        side: CampOption,
        fighter: Annotated[str, _fighter("Who (a new name adds a fighter)")],
        number: NumberOption = None,
    ) -> None:
        """Change or rename a fighter between rounds, or add one."""
        at = await self._battle(interaction, number, AMEND)
        force = {combatant.fighter.key: combatant for combatant in at.state.side(Camp(side))}
        await edit_fighter(interaction, at, Camp(side), force.get(name_key(fighter)), fighter)

    @slash(mfd, example="/mfd pull side:heroes fighter:Tom")
    async def pull(
        self,
        interaction: Interaction,
        side: CampOption,
        fighter: Annotated[str, _fighter("Who")],
        number: NumberOption = None,
    ) -> None:
        """Take a fighter out of a battle between rounds, alive."""
        await defer(interaction, private=True)
        if (wrong := check_name(fighter, MAX_NAME)) is not None:
            raise RuleError(f"The fighter's name {wrong}.")
        battle = (await self._battle(interaction, number, PULL_OUT)).battle
        action = PullOut(camp=Camp(side), name=fighter)
        await self._bot.services[BattleService].act(interaction, battle.id, battle.version, PULL_OUT, action)
        await edit_reply(interaction, f"🚪 {plain(fighter)} is out of #{battle.number}.")

    async def _battle(self, interaction: Interaction, number: int | None, action: str) -> Position[State]:
        """Return the battle of a command; RuleError unless the user may take the action in it now."""
        battle = await self._bot.services[BattleService].in_channel(interaction, number, RosterBattle.name)
        at = await self._bot.services[Presenters].position(battle)
        seat_for(at.offer(action), interaction)
        return at
