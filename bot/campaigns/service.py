"""What commands do with campaigns: find, open the next battle, heal, take up what is left at its end."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.battles.ended import EndedBattles
from bot.battles.permissions import is_referee
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.cooperative import off_loop
from bot.store import OWN_WORK
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import Campaign, CampaignRepository, CampaignRow, Muster
from bot.ui.interactions import caller_of
from bot.ui.text import did_you_mean, shorten
from sim.core.battle import Seat
from sim.core.campaign import CampaignRules, Care, HasCampaign
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.numbers import quantity
from sim.jobs.campaign import Enlist, Heal, NextBattle, ReadSides, TakeUp

_MAX_NAME = 80

_Rules = CampaignRules[Any, Any, Any, Any]


class CampaignService:
    """Finds campaigns and takes them on."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._campaigns = bot.services[CampaignRepository]
        self._battles = bot.services[BattleRepository]

    @property
    def games(self) -> Mapping[str, str]:
        """The titles of the games that have campaigns, by their systems."""
        presenters = self._bot.services[Presenters].all
        return {one.system.name: one.title for one in presenters if isinstance(one.system, HasCampaign)}

    def rules(self, system: str) -> _Rules:
        """Return how a system's battles are linked; RuleError if they can't be."""
        rules = self._bot.services[Presenters].of(system).system
        if not isinstance(rules, HasCampaign):
            raise RuleError("This game has no campaigns.")
        return rules.campaign

    def find_game(self, typed: str) -> str:
        """Return the system of a game by its title; RuleError if there is none with campaigns."""
        key = name_key(typed)
        found = next((name for name, title in self.games.items() if key in {name_key(title), name_key(name)}), None)
        if found is None:
            known = ", ".join(self.games.values())
            raise RuleError(f"{shorten(typed, _MAX_NAME)} has no campaigns. These games have: {known}.")
        return found

    async def find(self, interaction: Interaction, typed: str | None, *, ended: bool = False) -> Campaign:
        """Return the server's campaign of that name; without one, the only one that goes on.

        `ended`: also find those that ended. RuleError if there is none.
        """
        everything = await self._campaigns.of_guild(server_of(interaction))
        usable = [one for one in everything if ended or one.is_open]
        if typed is None:
            going_on = [one for one in usable if one.is_open] or usable
            if len(going_on) == 1:
                return going_on[0]
            if not going_on:
                raise RuleError("This server has no campaign yet: /campaign new founds one.")
            raise RuleError(f"Which one? These go on: {', '.join(one.name for one in going_on)}.")
        found = next((one for one in usable if name_key(one.name) == name_key(typed)), None)
        if found is None:
            if any(name_key(one.name) == name_key(typed) for one in everything):
                raise RuleError(f"{shorten(typed, _MAX_NAME)} has ended.")
            hint = did_you_mean(typed, (one.name for one in usable))
            raise RuleError(f"There is no campaign {shorten(typed, _MAX_NAME)} here.{hint}")
        return found

    def expect_leader(self, interaction: Interaction, campaign: Campaign) -> None:
        """Raise RuleError unless the user founded the campaign, or is a referee here."""
        if interaction.user.id != campaign.founder_id and not is_referee(interaction):
            raise RuleError(f"Only who founded {campaign.name}, or somebody who may manage messages, can do that.")

    async def rows(self, campaign: Campaign) -> list[CampaignRow]:
        """Return what happened, with the ends of all battles that are over."""
        rows = await self._campaigns.rows(campaign.id)
        if not rows or not rows[-1].is_open or rows[-1].battle_id is None:
            return rows
        battle = await self._battles.get(rows[-1].battle_id, OWN_WORK)
        if battle is None:
            await self._campaigns.unlink(campaign, rows[-1].battle_id)
        elif battle.is_open:
            return rows
        else:
            self._bot.services[EndedBattles].retry()
            await self._bot.services[EndedBattles].settled()
        return await self._campaigns.rows(campaign.id)

    async def standing(self, campaign: Campaign) -> list[CampaignRow]:
        """Return what happened; RuleError while a battle goes on."""
        rows = await self.rows(campaign)
        if rows and rows[-1].is_open:
            raise RuleError(f"#{rows[-1].number} of {campaign.name} goes on: finish it first, or close it early.")
        return rows

    async def found(self, interaction: Interaction, name: str, system: str, first: Battle | None) -> Campaign:
        """Found a campaign of a system, perhaps with a battle that goes on or is over."""
        linked = None
        if first is not None:
            job = Enlist(system=system, setup_json=first.setup_json)
            mustered = await self._bot.simulator.once(job, caller_of(interaction))
            linked = first, Muster(mustered.muster_json, mustered.veterans, mustered.sums)
        guild_id = server_of(interaction)
        return await self._campaigns.found(guild_id, interaction.user.id, name, system, linked, interaction.id)

    async def next(self, interaction: Interaction, campaign: Campaign, given: Sequence[tuple[str, bytes]]) -> None:
        """Open the next battle from where things stand, with the sides that are given in place of those that were."""
        rows = await self.standing(campaign)
        muster = Muster(rows[-1].muster_json, rows[-1].veterans, rows[-1].sums) if rows else None
        caller = caller_of(interaction)
        if given or muster is None:
            before = None if muster is None else muster.muster_json
            read = await self._bot.simulator.once(
                ReadSides(system=campaign.system, muster_json=before, given=tuple(given)), caller
            )
            muster = Muster(read.muster_json, read.veterans, read.sums)
        last = next((row for row in reversed(rows) if row.is_battle), None)
        job = NextBattle(
            system=campaign.system, muster_json=muster.muster_json, last_json=None if last is None else last.setup_json
        )
        planned = await self._bot.simulator.once(job, caller)
        presenter = self._bot.services[Presenters].of(campaign.system)
        read_setup = presenter.system.setups.read_json
        setup = await off_loop(len(planned.setup_json), read_setup, planned.setup_json)
        seats, bots = await self._seating(interaction, campaign, last, planned.seating)
        hook = self._campaigns.opening(campaign, rows[-1].n + 1 if rows else 1, muster)
        await self._bot.services[BattleService].open(interaction, presenter, setup, seats, bots, hook=hook)

    async def _seating(
        self,
        interaction: Interaction,
        campaign: Campaign,
        last: CampaignRow | None,
        moved: Mapping[Seat, Seat | None] | None,
    ) -> tuple[Mapping[Seat, int | None], Sequence[Seat]]:
        """Return who sits where, and the bot's seats: as in the last battle, or as the game moves them.

        In the first battle, and in one after a battle that is no longer kept, the opener takes the first seat.
        """
        battle = None if last is None or last.battle_id is None else await self._battles.get(last.battle_id, OWN_WORK)
        places = {} if battle is None else {place.seat: place for place in battle.places}
        opener = interaction.user.id
        if moved is not None:
            seats = {
                seat: places[before].user_id if before is not None and before in places else opener
                for seat, before in moved.items()
            }
            return _once(seats), ()
        if places:
            bots = [seat for seat, place in places.items() if place.is_bot]
            return {seat: place.user_id for seat, place in places.items()}, bots
        return {seat: None if at else opener for at, seat in enumerate(self.rules(campaign.system).seats)}, ()

    async def heal(
        self, interaction: Interaction, campaign: Campaign, care: tuple[Care, ...] | None, text: str
    ) -> CampaignRow:
        """Heal the fighters by rule (None) or as given, and return how they stand."""
        rows = await self.standing(campaign)
        if not rows:
            raise RuleError(f"{campaign.name} has no fighters yet: /campaign next opens its first battle.")
        job = Heal(system=campaign.system, muster_json=rows[-1].muster_json, care=care)
        healed = await self._bot.simulator.once(job, caller_of(interaction))
        if healed.muster_json == rows[-1].muster_json:
            raise RuleError("This changes nothing.")
        muster = Muster(healed.muster_json, healed.veterans, healed.sums)
        await self._campaigns.care(campaign, rows[-1].n + 1, text, muster, interaction.id)
        return (await self._campaigns.rows(campaign.id))[-1]


def _once(seats: Mapping[Seat, int | None]) -> Mapping[Seat, int | None]:
    """Return the seats; nobody has several by accident: only the first stays theirs."""
    return {
        seat: user_id if user_id not in list(seats.values())[:at] else None
        for at, (seat, user_id) in enumerate(seats.items())
    }


def server_of(interaction: Interaction) -> int:
    """Return the server of an interaction; RuleError in direct messages."""
    if interaction.guild_id is None:
        raise RuleError("Campaigns belong to a server; use this in one.")
    return interaction.guild_id


class CampaignUpdater:
    """Listens to ended battles."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._campaigns = bot.services[CampaignRepository]

    async def missing(self) -> list[int]:
        """Return the closed battles of campaigns that aren't taken up yet."""
        return await self._campaigns.missing()

    async def ended(self, battle: Battle) -> None:
        """Take up what stood at the end, decided or not; one transaction, the second time without effect."""
        found = await self._campaigns.of_battle(battle.id)
        if found is None or not found[1].is_open:
            return
        steps = await self._bot.services[BattleRepository].latest_steps(battle.id)
        job = TakeUp(
            system=battle.system,
            muster_json=found[1].muster_json,
            state_json=battle.state_json,
            events=tuple(step.events_json for step in steps),
            seed=battle.seed,
            step=battle.next_step,
        )
        taken = await self._bot.simulator.once(job)
        text = ending(battle, self._bot.services[CampaignService].rules(battle.system))
        await self._campaigns.take_up(battle, text, Muster(taken.muster_json, taken.veterans, taken.sums), taken.deeds)


def ending(battle: Battle, rules: _Rules) -> str:
    """Return how a battle ended: who won, and why."""
    outcome = battle.outcome
    if outcome is None:
        return "ended early, as it stood"
    rounds = f" after {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    if outcome.winner is None and outcome.ending in rules.undecided:
        return f"{rules.undecided[outcome.ending]}{rounds}"
    if outcome.winner is None:
        return f"nobody won{rounds}: {outcome.why}"
    winner = outcome.winner.replace("-", " ")
    return f"{winner if winner[-1].isdigit() else f'the {winner}'} won{rounds}"
