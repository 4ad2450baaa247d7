"""Heals fighters by hand: in a form with a line for each, read back with every mistake in its place."""

import re
from collections.abc import Iterator, Sequence

from bot.answers.handler import FormHandler, Query
from bot.campaigns.render import AnyRules, campaign_buttons, now_text
from bot.campaigns.repository import Campaign, CampaignRow
from bot.campaigns.service import CampaignService
from bot.client import Interaction
from bot.store.queries import StoredQuery
from bot.ui.interactions import defer, edit_reply
from bot.ui.modals import Fields, text_field
from bot.ui.text import MAX_ENTRY
from sim.core.campaign import MAX_GIVEN, Adjustment, CampaignSide, Veteran
from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.names import name_key

_MAX_LISTED = 40
_AMOUNT = r"[+\-\u2212]?\s*[0-9]{1,8}"
_LINE = re.compile(
    rf"(?P<name>.+?)\s*[:=]\s*(?P<healing>{_AMOUNT})?\s*(?:hp|units?)?\s*(?:[,;]?\s*(?P<xp>{_AMOUNT})\s*xp)?\s*"
    r"(?:\([^()]*\)\s*)?",  # how it stands
    re.IGNORECASE | re.ASCII,
)


async def show_healed(interaction: Interaction, campaign: Campaign, rules: AnyRules, row: CampaignRow) -> None:
    """Answer the deferred interaction with what was given, how everyone stands now, and what can be done next."""
    text = f"🩹 {row.text}\n\n{now_text(rules, row.forces.veterans)}"
    await edit_reply(interaction, text, campaign_buttons(campaign))


class HealQuery(Query):
    """Which campaign, and the amounts as typed."""

    campaign_id: int
    name: str
    text: str = ""


class HealHandler(FormHandler[HealQuery]):
    """Takes what a referee gives by hand."""

    kind = "campaign-heal"
    form_action = "heal"

    async def ask(self, interaction: Interaction, campaign: Campaign, latest: CampaignRow) -> None:
        """Open the form; the interaction must be unanswered."""
        veterans, rules = latest.forces.veterans, self._rules(campaign)
        own = [one for one in veterans if rules.seat_of(one) is None]  # people come with all their health
        wounded = [one for one in own if one.left < one.most] or own
        text = "\n".join(
            f"{_name(one, veterans, rules.sides)}: 0 ({one.left:,} of {one.most:,})" for one in wounded[:_MAX_LISTED]
        )
        query = HealQuery(campaign_id=campaign.id, name=campaign.name, text=text, private=True)
        await self.new_form(interaction, query)

    async def layout(self, interaction: Interaction, query: HealQuery) -> tuple[str, Fields]:
        """Ask for a line for each fighter."""
        rules = self._rules(await self._bot.services[CampaignService].led(interaction, query.name))
        also = "; Tom: +2, 300 XP also gives experience" if rules.learns else ""
        hint = f"Tom: 2 gives Tom 2 {rules.unit or 'units'}{also}"
        field = text_field("amounts", "A line for each", query.text, max_length=MAX_ENTRY, hint=hint, long=True)
        return "Heal by hand", [field]

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Read the amounts and heal."""
        query = self.read(stored).model_copy(update={"text": values.get("amounts", "")})
        await defer(interaction, private=False)
        service = self._bot.services[CampaignService]
        campaign = await service.led(interaction, query.name)
        rows = await service.standing(campaign)
        rules = self._rules(campaign)
        async with self.fixable(interaction, query):
            given = read_adjustments(query.text, rows[-1].forces.veterans if rows else (), rules)
            told = f"By hand: {'; '.join(_given(one, rules) for one in given)}."
            row = await service.heal(interaction, campaign, given, told)
        await show_healed(interaction, campaign, rules, row)

    def _rules(self, campaign: Campaign) -> AnyRules:
        return self._bot.services[CampaignService].rules(campaign.system)


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
        raise RuleError("This gives nobody anything: write an amount after a name.")
    return tuple(given)


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
