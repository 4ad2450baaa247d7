"""The pages and buttons of campaigns: the diary, next battle, rest, files, end, "Next chapter" below battles; and Heal.

Fighters are healed by hand in a form with a line for each, which is read back with every mistake in its place.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self
from zipfile import ZIP_DEFLATED

from bot.answers import Query
from bot.answers.items import Confirmations
from bot.battles.events import EventService
from bot.battles.presenter import Position
from bot.campaigns import CampaignService
from bot.campaigns import render as r
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Interaction
from bot.store.battle import Battle
from bot.store.database import off_loop
from bot.store.queries import StoredQuery
from bot.ui import MAX_ENTRY, drawn, plain, text_view, zipped
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, caller_of, defer, edit_reply, show_view
from bot.ui.options import Entry, Fields, Typed
from sim.core import Problem, RuleError, Span, TextError
from sim.core.campaign import MAX_GIVEN, Adjustment, Veteran
from sim.core.names import name_key
from sim.jobs.campaign import Heal

END_DEED = "campaign-end"
_MAX_LISTED = 40
_AMOUNT = r"[+\-\u2212]?\s*[0-9]{1,8}"
_LINE = re.compile(
    rf"(?P<name>.+?)\s*[:=]\s*(?P<healing>{_AMOUNT})?\s*(?:hp|units?)?\s*(?:[,;]?\s*(?P<xp>{_AMOUNT})\s*xp)?\s*"
    r"(?:\([^()]*\)\s*)?",  # how it stands
    re.IGNORECASE | re.ASCII,
)


class HealQuery(Query):
    """Which campaign, and the amounts as typed."""

    stored_as = "campaign-heal"
    form_action = "heal"

    campaign_id: int
    name: str
    text: str = ""

    @classmethod
    def of(cls, campaign: Campaign, latest: CampaignRow, rules: r.AnyRules) -> Self:
        """Return the form with a line for each fighter who can be healed."""
        veterans = latest.forces.veterans
        namesakes = Counter(name_key(one.name) for one in veterans)
        own = [one for one in veterans if rules.seat_of(one) is None]  # people come with all their health
        wounded = [one for one in own if one.left < one.most] or own
        lines = []
        for one in wounded[:_MAX_LISTED]:
            name = _titled(one, rules) if namesakes[name_key(one.name)] > 1 else one.name
            lines.append(f"{name}: 0 ({one.left:,} of {one.most:,})")
        return cls(campaign_id=campaign.id, name=campaign.name, text="\n".join(lines), private=True)

    async def layout(self, interaction: Interaction) -> tuple[str, Fields]:
        """Ask for a line for each fighter."""
        service = interaction.client.services[CampaignService]
        rules = service.rules((await service.led(interaction, self.name)).system)
        also = "; Tom: +2, 300 XP also gives experience" if rules.learns else ""
        hint = f"Tom: 2 gives Tom 2 {rules.unit or 'units'}{also}"
        field = Entry("A line for each", MAX_ENTRY, hint, long=True).field("amounts", self.text)
        return "Heal by hand", [field]

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Read the amounts and heal."""
        query = self.model_copy(update={"text": values.get("amounts", "")})
        await defer(interaction, private=False)
        service = interaction.client.services[CampaignService]
        campaign = await service.led(interaction, query.name)
        latest, rules = await service.latest(campaign), service.rules(campaign.system)
        async with query.fixable(interaction):
            given = read_adjustments(query.text, latest.forces.veterans, rules)
            told = f"By hand: {'; '.join(_given(one, rules) for one in given)}."
            await heal(interaction, campaign, given, told)


def read_adjustments(text: str, veterans: Sequence[Veteran], rules: r.AnyRules) -> tuple[Adjustment, ...]:
    """Return what the lines give; TextError that marks what can't be read, RuleError if it is nothing."""
    # By its name, and with its side's title where both sides have the name.
    known = {name_key(one.name): one for one in reversed(veterans)}
    known |= {name_key(_titled(one, rules)): one for one in veterans}
    given, problems, start = [], [], 0
    for line in text.split("\n"):
        span = Span(start, start + len(line))
        start += len(line) + 1
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            problems.append(Problem(span, "Write a name, a colon, and how much: Tom: 2"))
            continue
        healing, xp = _number(found["healing"]), _number(found["xp"])
        if (veteran := known.get(name_key(found["name"]))) is None:
            problems.append(Problem(span, f"Nobody is called {found['name']}."))
        elif max(abs(healing), abs(xp)) > MAX_GIVEN:
            problems.append(Problem(span, f"That is too much: {MAX_GIVEN:,} at most."))
        elif found["xp"] and not rules.learns:
            problems.append(Problem(span, "Experience can't be given in this game."))
        elif healing or xp:
            given.append(Adjustment(side=veteran.side, name=veteran.name, healing=healing, experience=xp))
    if problems:
        raise TextError(text, problems)
    if not given:
        raise RuleError("This gives nobody anything: write an amount after a name.")
    return tuple(given)


def _given(one: Adjustment, rules: r.AnyRules) -> str:
    parts = []
    if one.healing:
        parts.append(f"{one.healing:+,}{f' {rules.unit}' if rules.unit else ''}")
    if one.experience:
        parts.append(f"{one.experience:+,} XP")
    return f"{one.name} {', '.join(parts)}"


def _number(text: str | None) -> int:
    return 0 if not text else int(text.replace("\u2212", "-").replace(" ", ""))


def _titled(one: Veteran, rules: r.AnyRules) -> str:
    titles = {side.name: side.title for side in rules.sides}
    return f"{titles.get(one.side, one.side)} {one.name}"


async def show_campaign(interaction: Interaction, campaign: Campaign) -> None:
    """Answer the deferred interaction with the history page."""
    bot, service = interaction.client, interaction.client.services[CampaignService]
    rules, title = service.rules(campaign.system), service.games[campaign.system]
    cast = await r.cast_of(bot, campaign, rules, await service.rows(campaign))
    card = r.campaign_card(campaign, rules, cast)
    picture = None if card is None else await drawn(bot, card, "campaign.png", caller_of(interaction))
    goes_on = r.GOES_ON if campaign.is_open and cast.rows and not cast.rows[-1].is_open else ()
    also = (r.FILES if cast.rows else "", r.END if campaign.is_open else "")
    parts = r.campaign_parts(campaign, title, rules, cast.rows)
    buttons = r.campaign_buttons(campaign, (*goes_on, *also))
    await show_view(interaction, text_view(parts, picture=picture, buttons=buttons))


async def heal(interaction: Interaction, campaign: Campaign, given: tuple[Adjustment, ...] | None, told: str) -> None:
    """Heal by rule (None) or as given, and answer the deferred interaction with how everyone stands now."""
    bot, service = interaction.client, interaction.client.services[CampaignService]
    last = await service.latest(campaign)
    job = Heal(system=campaign.system, forces_json=last.forces.forces_json, adjustments=given)
    healed = await bot.simulator.once(job, caller_of(interaction))
    if healed.forces_json == last.forces.forces_json:
        raise RuleError("A rest heals nobody now." if given is None else "This changes nothing.")
    await bot.services[CampaignRepository].adjust(campaign, last.n + 1, told, healed, interaction.id)
    text = f"🩹 {told}\n\n{r.now_text(service.rules(campaign.system), healed.veterans)}"
    await edit_reply(interaction, text, r.campaign_buttons(campaign))


async def _send_files(interaction: Interaction, campaign: Campaign) -> None:
    """Send the rosters and the log of each battle, how everyone stands, and a table; the user alone gets them."""
    await defer(interaction, private=True)
    rows = await interaction.client.services[CampaignService].rows(campaign)
    files = await r.campaign_files(interaction.client, campaign, rows, caller_of(interaction))
    data = await off_loop(sum(map(len, files.values())), zipped, files, ZIP_DEFLATED)
    if len(data) > interaction.filesize_limit:
        raise RuleError("These files are too large to upload here.")
    view = text_view([f"🗂️ **{plain(campaign.name)}**: a folder for each battle, and `now` to go on from."])
    view.add_file("campaign.zip", data)
    await show_view(interaction, view)


async def end_campaign(interaction: Interaction, name: str) -> None:
    """End a campaign after a second press."""
    services = interaction.client.services
    found = await services[CampaignService].led(interaction, name)
    await services[CampaignRepository].end(found)
    await services[EventService].drop_past()
    text = f"🏁 **{plain(found.name)}** is over. `/campaign show` still tells its story."
    await edit_reply(interaction, text)
    await interaction.followup.send(view=text_view([text]))  # for everybody in the campaign


async def show_chapter(interaction: Interaction, battle: Battle) -> None:
    """Show the campaign of a battle that is over, begun with it if it was in none."""
    if battle.is_open:
        raise RuleError(f"#{battle.number} isn't over yet.")
    await defer(interaction, private=False)
    await show_campaign(interaction, await interaction.client.services[CampaignService].chapter(interaction, battle))


def has_chapters(at: Position[Any]) -> bool:
    """Return whether a battle that is over can be followed by another one of a campaign."""
    placed = at.battle.guild_id is not None and at.battle.branch is None
    return placed and at.presenter.system.campaign is not None


@PersistentButton.matching(r"c1:(?P<campaign>[0-9]{1,18}):(?P<what>[a-z]{1,10})", "campaign-{what}")
async def campaign_button(button: PersistentButton, interaction: Interaction) -> None:
    """Send the files to anyone, do the rest for who leads the campaign."""
    service, what = interaction.client.services[CampaignService], button.match["what"]
    campaign = await service.by_id(interaction, int(button.match["campaign"]), ended=what == r.FILES)
    if what == r.FILES:
        await _send_files(interaction, campaign)
        return
    service.expect_leader(interaction, campaign)
    match what:
        case "next":
            await defer(interaction, private=False)
            await service.next(interaction, campaign, ())
        case "rest":
            await defer(interaction, private=False)
            await heal(interaction, campaign, None, f"A rest. {service.rules(campaign.system).rest}")
        case "heal":
            latest = await service.latest(campaign)
            await HealQuery.of(campaign, latest, service.rules(campaign.system)).send_form(interaction)
        case "end":
            text = f"This ends **{plain(campaign.name)}**: no battle can follow, its history stays."
            await interaction.client.services[Confirmations].ask(interaction, END_DEED, campaign.name, text)
        case _:
            raise RuleError(OUTDATED_BUTTON)
