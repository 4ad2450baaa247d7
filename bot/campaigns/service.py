"""Runs campaigns: finds them, opens the next battle, heals, and takes up what is left at its end.

By hand fighters are healed in a form with a line for each, read back with every mistake in its place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import discord

from bot.answers.handler import FormHandler, Query, form
from bot.battles.panel import is_referee
from bot.battles.presenter import DropIn, Presenters
from bot.battles.publisher import EndedBattles
from bot.battles.service import BattleService
from bot.campaigns.render import AnyRules, now_text
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Client, Interaction
from bot.store import OWN_WORK
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import off_loop
from bot.store.queries import StoredQuery
from bot.ui.interactions import caller_of, defer, edit_reply, open_form
from bot.ui.modals import text_field
from bot.ui.text import MAX_ENTRY, did_you_mean, shorten
from sim.core.battle import Seat
from sim.core.campaign import MAX_GIVEN, Adjustment, CampaignRules, CampaignSide, Deed, HasCampaign, Veteran
from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.journal import seat_name
from sim.core.names import name_key
from sim.core.numbers import quantity
from sim.jobs.campaign import FirstForces, Heal, NextBattle, ReadSides, TakeUp, campaign_rules

HEAL_ACTION = "heal"

_MAX_LISTED = 40
_AMOUNT = r"[+\-\u2212]?\s*[0-9]{1,8}"
_LINE = re.compile(
    rf"(?P<name>.+?)\s*[:=]\s*(?P<healing>{_AMOUNT})?\s*(?:hp|units?)?\s*(?:[,;]?\s*(?P<xp>{_AMOUNT})\s*xp)?\s*",
    re.IGNORECASE | re.ASCII,
)
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
        presenters = self._bot.services[Presenters].values()
        return {one.system.name: one.title for one in presenters if isinstance(one.system, HasCampaign)}

    def rules(self, system: str) -> _Rules:
        """Return how a system's battles are linked; RuleError if they can't be."""
        return campaign_rules(self._bot.services[Presenters].of(system).system)

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
        """Return what happened, with the ends of all battles that are over, and members by their names there."""
        return await self._named(await self._settled_rows(campaign))

    async def _named(self, rows: Sequence[CampaignRow]) -> list[CampaignRow]:
        """Call members as their battles' panels do: campaigns keep no person's name, as people may be forgotten."""
        names: dict[str, str] = {}
        named = []
        for row in rows:
            battle = None if row.battle_id is None else await self._battles.get(row.battle_id, OWN_WORK)
            if battle is not None:
                at = await self._bot.services[Presenters].position(battle)
                if isinstance(at.presenter, DropIn):
                    seats = [place.seat for place in battle.places]
                    names = {
                        seat_name(seat).capitalize(): at.presenter.seat_label(battle, at.state, seat) for seat in seats
                    }
            veterans = tuple(_renamed(one, names) for one in row.forces.veterans)
            forces = row.forces.model_copy(update={"veterans": veterans})
            named.append(replace(row, forces=forces, deeds=tuple(_renamed(one, names) for one in row.deeds)))
        return named

    async def _settled_rows(self, campaign: Campaign) -> list[CampaignRow]:
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
            job = FirstForces(system=system, setup_json=first.setup_json)
            linked = first, await self._bot.simulator.once(job, caller_of(interaction))
        guild_id = server_of(interaction)
        return await self._campaigns.found(guild_id, interaction.user.id, name, system, linked, interaction.id)

    async def next(self, interaction: Interaction, campaign: Campaign, given: Sequence[tuple[str, bytes]]) -> None:
        """Open the next battle from where things stand, with the sides that are given in place of those that were."""
        rows = await self.standing(campaign)
        forces = rows[-1].forces if rows else None
        caller = caller_of(interaction)
        if given or forces is None:
            before = None if forces is None else forces.forces_json
            read = ReadSides(system=campaign.system, forces_json=before, given=tuple(given))
            forces = await self._bot.simulator.once(read, caller)
        last = next((row for row in reversed(rows) if row.is_battle), None)
        job = NextBattle(
            system=campaign.system, forces_json=forces.forces_json, last_json=None if last is None else last.setup_json
        )
        planned = await self._bot.simulator.once(job, caller)
        presenter = self._bot.services[Presenters].of(campaign.system)
        read_setup = presenter.system.setups.read_json
        setup = await off_loop(len(planned.setup_json), read_setup, planned.setup_json)
        seats, bots = await self._seating(interaction, campaign, last, planned.seating)
        hook = self._campaigns.opening(campaign, rows[-1].n + 1 if rows else 1, forces)
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
        places = {} if last is None or last.battle_id is None else await self._campaigns.places(last.battle_id)
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
        self, interaction: Interaction, campaign: Campaign, given: tuple[Adjustment, ...] | None, text: str
    ) -> CampaignRow:
        """Heal the fighters by rule (None) or as given, and return how they stand."""
        rows = await self.standing(campaign)
        if not rows:
            raise RuleError(f"{campaign.name} has no fighters yet: /campaign next opens its first battle.")
        last = rows[-1]
        job = Heal(system=campaign.system, forces_json=last.forces.forces_json, adjustments=given)
        healed = await self._bot.simulator.once(job, caller_of(interaction))
        if healed.forces_json == last.forces.forces_json:
            raise RuleError("This changes nothing.")
        await self._campaigns.adjust(campaign, last.n + 1, text, healed, interaction.id)
        return (await self._campaigns.rows(campaign.id))[-1]


NamedT = TypeVar("NamedT", Veteran, Deed)


def _renamed(one: NamedT, names: Mapping[str, str]) -> NamedT:
    return one if one.name not in names else one.model_copy(update={"name": names[one.name]})


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
        row = await self._campaigns.row_of(battle.id)
        if row is None or not row.is_open:
            return
        steps = await self._bot.services[BattleRepository].latest_steps(battle.id)
        job = TakeUp(
            system=battle.system,
            forces_json=row.forces.forces_json,
            state_json=battle.state_json,
            events=tuple(step.events_json for step in steps),
            seed=battle.key or battle.seed,
            step=battle.next_step,
        )
        taken = await self._bot.simulator.once(job)
        text = ending(battle, self._bot.services[CampaignService].rules(battle.system))
        await self._campaigns.take_up(battle, text, taken, taken.deeds)


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


class HealQuery(Query):
    """Which campaign, and the amounts as typed."""

    campaign_id: int
    name: str
    text: str = ""


class HealHandler(FormHandler[HealQuery]):
    """Takes what a referee gives by hand."""

    kind = "campaign-heal"
    query = HealQuery

    async def open(self, interaction: Interaction, campaign: Campaign, rows: Sequence[CampaignRow]) -> None:
        """Open the form; the interaction must be unanswered."""
        veterans = rows[-1].forces.veterans
        wounded = [one for one in veterans if one.left < one.most] or veterans
        sides = self._rules(campaign).sides
        text = "\n".join(f"{_name(one, veterans, sides)}: 0" for one in wounded[:_MAX_LISTED])
        stored = await self.store(
            interaction, HealQuery(campaign_id=campaign.id, name=campaign.name, text=text, private=True)
        )
        await open_form(interaction, self._form(stored, text, self._rules(campaign)))

    async def act(self, interaction: Interaction, stored: StoredQuery, _action: str) -> None:
        """Open the form again to fix it."""
        query = self.read(stored)
        campaign = await self._campaign(interaction, query)
        await open_form(interaction, self._form(stored, query.text, self._rules(campaign)))

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Read the amounts and heal."""
        query = self.read(stored).model_copy(update={"text": values.get("amounts", "")})
        await defer(interaction, private=False)
        service = self._bot.services[CampaignService]
        campaign = await self._campaign(interaction, query)
        rows = await service.standing(campaign)
        rules = self._rules(campaign)
        try:
            given = read_adjustments(query.text, rows[-1].forces.veterans if rows else (), rules)
            row = await service.heal(interaction, campaign, given, adjustments_text(given, rules))
        except RuleError as error:
            raise await self.reject(interaction, query, error) from error
        await edit_reply(interaction, f"🩹 {row.text}\n\n{now_text(rules, row.forces.veterans)}")

    async def _campaign(self, interaction: Interaction, query: HealQuery) -> Campaign:
        service = self._bot.services[CampaignService]
        found = await service.find(interaction, query.name)
        service.expect_leader(interaction, found)
        return found

    def _rules(self, campaign: Campaign) -> AnyRules:
        return self._bot.services[CampaignService].rules(campaign.system)

    def _form(self, stored: StoredQuery, text: str, rules: AnyRules) -> discord.ui.Modal:
        also = "; Tom: +2, 300 XP also gives experience" if rules.learns else ""
        hint = f"Tom: 2 gives Tom 2 {rules.unit or 'units'}{also}"
        field = text_field("amounts", "A line for each", text, max_length=MAX_ENTRY, hint=hint, long=True)
        return form("Heal by hand", stored.id, HEAL_ACTION, [field])


def read_adjustments(text: str, veterans: Sequence[Veteran], rules: AnyRules) -> tuple[Adjustment, ...]:
    """Return what the lines give; TextError that marks what can't be read, RuleError if it is nothing."""
    known = dict(_names(veterans, rules))
    given, problems, start = [], [], 0
    for line in text.split("\n"):
        span = Span(start, start + len(line))
        start += len(line) + 1
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        veteran = None if found is None else known.get(name_key(found["name"]))
        if found is None:
            problems.append(Problem(span, "Write a name, a colon, and how much: Tom: 2"))
        elif veteran is None:
            problems.append(Problem(span, f"Nobody is called {found['name']}."))
        elif max(abs(_number(found["healing"])), abs(_number(found["xp"]))) > MAX_GIVEN:
            problems.append(Problem(span, f"That is too much: {MAX_GIVEN:,} at most."))
        elif found["xp"] and not rules.learns:
            problems.append(Problem(span, "Experience can't be given in this game."))
        elif _number(found["healing"]) or _number(found["xp"]):
            given.append(
                Adjustment(
                    side=veteran.side,
                    name=veteran.name,
                    healing=_number(found["healing"]),
                    experience=_number(found["xp"]),
                )
            )
    if problems:
        raise TextError(text, problems)
    if not given:
        raise RuleError("This gives nobody anything: write an amount behind a name.")
    return tuple(given)


def adjustments_text(given: Sequence[Adjustment], rules: AnyRules) -> str:
    """Return what was given, as a sentence."""
    return f"By hand: {'; '.join(_given(one, rules) for one in given)}."


def _given(one: Adjustment, rules: AnyRules) -> str:
    parts = []
    if one.healing:
        parts.append(f"{one.healing:+,}{f' {rules.unit}' if rules.unit else ''}")
    if one.experience:
        parts.append(f"{one.experience:+,} XP")
    return f"{one.name} {', '.join(parts)}"


def _number(text: str | None) -> int:
    return 0 if not text else int(text.replace("\u2212", "-").replace(" ", ""))


def _names(veterans: Sequence[Veteran], rules: AnyRules) -> Iterator[tuple[str, Veteran]]:
    """Yield each fighter by the key of its name, and with its side's title where both sides have the name."""
    for one in reversed(veterans):
        yield name_key(one.name), one
    for one in veterans:
        yield name_key(_titled(one, rules.sides)), one


def _name(one: Veteran, veterans: Sequence[Veteran], sides: Sequence[CampaignSide]) -> str:
    twice = sum(name_key(other.name) == name_key(one.name) for other in veterans) > 1
    return _titled(one, sides) if twice else one.name


def _titled(one: Veteran, sides: Sequence[CampaignSide]) -> str:
    title = next((side.title for side in sides if side.name == one.side), one.side)
    return f"{title} {one.name}"
