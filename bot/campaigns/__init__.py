"""Campaigns: what is left after a battle enters the next one. This module finds them and opens their battles."""

from collections.abc import Mapping, Sequence

from bot.battles import BattleService
from bot.battles.followers import EndedBattles, EndedListener
from bot.battles.panel import is_referee
from bot.battles.presenter import Presenters
from bot.campaigns.render import AnyRules, campaign_buttons
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Client, Interaction
from bot.store import OWN_WORK
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository
from bot.ui import none_called, plain_sentence, shorten, text_view
from bot.ui.error_replies import RefusedError
from bot.ui.interactions import caller_of
from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.journal import seat_phrase
from sim.core.names import listed, name_key
from sim.core.numbers import quantity
from sim.jobs.campaign import FirstForces, NextBattle, ReadSides, TakeUp, campaign_rules
from sim.workers.queue import CostError

_MAX_NAME = 80
_MAX_NAMES = 300

NO_CAMPAIGN = "This server has no campaign yet. Start one with /campaign new."


class CampaignService(EndedListener):
    """Finds campaigns and takes them on, also when a battle has ended."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._campaigns = bot.services[CampaignRepository]
        self._battles = bot.services[BattleRepository]
        self.missing = self._campaigns.missing

    @property
    def games(self) -> Mapping[str, str]:
        """The titles of the games that have campaigns, by their systems."""
        presenters = self._bot.services[Presenters].values()
        return {one.system.name: one.title for one in presenters if one.system.campaign is not None}

    def rules(self, system: str) -> AnyRules:
        """Return how a system's battles are linked; RuleError if they can't be."""
        return campaign_rules(self._bot.services[Presenters].of(system).system)

    async def led(self, interaction: Interaction, typed: str | None) -> Campaign:
        """Return what `find` does; RuleError unless the user leads it, too."""
        found = await self.find(interaction, typed)
        self.expect_leader(interaction, found)
        return found

    async def find(self, interaction: Interaction, typed: str | None, *, ended: bool = False) -> Campaign:
        """Return the server's campaign of that name; without one, the only one that goes on.

        `ended`: also find those that ended. RuleError if there is none.
        """
        everything = await self._campaigns.of_guild(server_of(interaction))
        usable = [one for one in everything if ended or one.is_open]
        if typed is not None:
            found = next((one for one in everything if name_key(one.name) == name_key(typed)), None)
            if found is None:
                raise RuleError(none_called("campaign", typed, (one.name for one in usable)))
            if found not in usable:
                raise RuleError(f"{shorten(typed, _MAX_NAME)} has ended.")
            return found
        going_on = [one for one in usable if one.is_open] or usable
        if len(going_on) > 1:
            raise RuleError(f"Which one? These are open: {', '.join(one.name for one in going_on)}.")
        if not going_on:
            over = "All campaigns of this server have ended. Start one with /campaign new."
            raise RuleError(over if everything else NO_CAMPAIGN)
        return going_on[0]

    def expect_leader(self, interaction: Interaction, campaign: Campaign) -> None:
        """Raise RuleError unless the user founded the campaign, or is a referee here."""
        if interaction.user.id != campaign.founder_id and not is_referee(interaction):
            raise RuleError(f"Only the founder of {campaign.name} or a moderator can do that.")

    async def chapter(self, interaction: Interaction, battle: Battle) -> Campaign:
        """Return the campaign that a battle is part of, or begin one with it; RuleError for who had no part in it."""
        found = await self._campaigns.with_battle(battle.id)
        if found is not None:
            return found
        if not battle.has_part(interaction.user.id):
            raise RuleError(f"Only players in #{battle.number}, or its opener, can begin a campaign with it.")
        taken = {name_key(one.name) for one in await self._campaigns.of_guild(server_of(interaction))}
        title = f"{self.games[battle.system]} #{battle.number}"
        names = (title, *(f"{title} ({again})" for again in range(2, len(taken) + 3)))
        name = next(name for name in names if name_key(name) not in taken)
        return await self.found(interaction, name, battle.system, battle)

    async def by_id(self, interaction: Interaction, campaign_id: int, *, ended: bool = False) -> Campaign:
        """Return the server's campaign behind a button, `ended`: even one that ended; RuleError if it is gone."""
        everything = await self._campaigns.of_guild(server_of(interaction))
        found = next((one for one in everything if one.id == campaign_id), None)
        if found is None:
            raise RuleError("This campaign is no longer kept.")
        if not found.is_open and not ended:
            raise RuleError(f"{found.name} has ended.")
        return found

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
            self._bot.services[EndedBattles].wake(battle.id)
            await self._bot.services[EndedBattles].settled()
        return await self._campaigns.rows(campaign.id)

    async def standing(self, campaign: Campaign) -> list[CampaignRow]:
        """Return what happened; RuleError while a battle goes on."""
        rows = await self.rows(campaign)
        if rows and rows[-1].is_open:
            raise RuleError(f"#{rows[-1].number} of {campaign.name} is still on: finish it first, or close it early.")
        return rows

    async def latest(self, campaign: Campaign) -> CampaignRow:
        """Return what happened last; RuleError while a battle goes on, and before the first one."""
        rows = await self.standing(campaign)
        if not rows:
            raise RuleError(f"{campaign.name} has no fighters yet: /campaign next opens its first battle.")
        return rows[-1]

    async def found(self, interaction: Interaction, name: str, system: str, first: Battle | None) -> Campaign:
        """Found a campaign of a system, perhaps with a battle that goes on or is over."""
        linked = None
        if first is not None:
            if first.branch is not None:
                raise RuleError(f"#{first.number} is only a what-if: no campaign can begin with it.")
            job = FirstForces(system=system, setup_json=first.setup_json)
            linked = first, await self._bot.simulator.once(job, caller_of(interaction))
        guild_id = server_of(interaction)
        return await self._campaigns.found(guild_id, interaction.user.id, name, system, linked, interaction.id)

    async def next(
        self, interaction: Interaction, campaign: Campaign, given: Sequence[tuple[str, bytes]], *, revive: bool = False
    ) -> None:
        """Open the next battle from where things stand, with the sides that are given in place of those that were.

        `revive`: dead fighters who are named again come back. RefusedError with the campaign's buttons if what is left
        of a side can't fight.
        """
        rows = await self.standing(campaign)
        forces = rows[-1].forces if rows else None
        caller = caller_of(interaction)
        dead = ""
        if given or forces is None:
            before = None if forces is None else forces.forces_json
            read = ReadSides(system=campaign.system, forces_json=before, given=tuple(given), revive=revive)
            entering, stayed = await self._bot.simulator.once(read, caller)
            forces, dead = entering, dead_text(stayed)
        last = next((row for row in reversed(rows) if row.is_battle), None)
        job = NextBattle(
            system=campaign.system, forces_json=forces.forces_json, last_json=None if last is None else last.setup_json
        )
        try:
            setup_json, seating = await self._bot.simulator.once(job, caller)
        except RuleError as error:
            if not rows:
                raise
            why = " ".join(filter(None, (str(error), dead, "Heal some, or bring another side with /campaign next.")))
            raise RefusedError(RuleError(why), campaign_buttons(campaign, ("rest", "heal"))) from error
        places = await self._places(interaction, campaign, last, seating)
        hook = self._campaigns.opening(campaign, rows[-1].n + 1 if rows else 1, forces)
        service = self._bot.services[BattleService]
        await service.open(interaction, campaign.system, setup_json, places, hook=hook)
        if dead:
            await interaction.followup.send(view=text_view([f"💀 {plain_sentence(dead, 2 * _MAX_NAMES)}"]))

    async def _places(
        self,
        interaction: Interaction,
        campaign: Campaign,
        last: CampaignRow | None,
        moved: Mapping[Seat, Seat | None] | None,
    ) -> list[Place]:
        """Return who sits where: as in the last battle, or as the game moves them.

        In the first battle, and in one after a battle that is no longer kept, the opener takes the first seat.
        """
        fought = None if last is None or last.battle_id is None else await self._battles.get(last.battle_id, OWN_WORK)
        places = {} if fought is None else {place.seat: place for place in fought.places}
        opener = interaction.user.id
        if moved is not None:
            seats = {
                seat: places[before].user_id if before is not None and before in places else opener
                for seat, before in moved.items()
            }
            before = [*seats.values()]  # nobody has several by accident: only the first stays theirs
            return [Place(seat, None if who in before[:at] else who) for at, (seat, who) in enumerate(seats.items())]
        if places:
            return [place.moved(seat) for seat, place in places.items()]
        return [Place(seat, None if at else opener) for at, seat in enumerate(self.rules(campaign.system).seats)]

    async def ended(self, battle: Battle) -> None:
        """Take up what stood at the end, decided or not; one transaction, the second time without effect."""
        row = await self._campaigns.row_of(battle.id)
        if row is None or not row.is_open:
            return
        steps = await self._battles.latest_steps(battle.id)
        job = TakeUp(
            system=battle.system,
            forces_json=row.forces.forces_json,
            state_json=battle.state_json,
            events=tuple(step.events_json for step in steps),
            seed=battle.key or battle.seed,
            step=battle.next_step,
        )
        try:
            taken = await self._bot.simulator.once(job)
        except CostError:  # weeks of steps: what stands flows on, but not what each fighter did
            taken = await self._bot.simulator.once(job.model_copy(update={"events": ()}))
        text = ending(battle, self.rules(battle.system))
        await self._campaigns.take_up(battle, text, taken)


def server_of(interaction: Interaction) -> int:
    """Return the server of an interaction; RuleError in direct messages."""
    if interaction.guild_id is None:
        raise RuleError("Campaigns belong to a server; use this in one.")
    return interaction.guild_id


def dead_text(names: Sequence[str]) -> str:
    """Return a sentence about the dead who were named again, "" for nobody."""
    if not names:
        return ""
    who = shorten(listed(names), _MAX_NAMES)
    return f"{who} died in an earlier battle and {'stays' if len(names) == 1 else 'stay'} dead: `revive:True` or Heal."


def ending(battle: Battle, rules: AnyRules) -> str:
    """Return how a battle ended: who won, and why."""
    outcome = battle.outcome
    if outcome is None:
        return "ended early, as it stood"
    rounds = f" after {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    if outcome.winner is None and outcome.ending in rules.undecided:
        return f"{rules.undecided[outcome.ending]}{rounds}"
    if outcome.winner is None:
        return f"nobody won{rounds}: {outcome.why}"
    return f"{seat_phrase(outcome.winner)} won{rounds}"
