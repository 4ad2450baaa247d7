"""A profile is a card of what somebody can be proud of, with an emblem and a color of their own choice."""

import json

import pytest

from bot.stats.profiles import Trophies
from bot.stats.repository import Span
from bot.store.people import PeopleRepository
from sim.core.cards.emblems import Crest
from tests.bot import payloads
from tests.bot.battles.fights import begin, the_bot
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, files_of, said, text_of
from tests.bot.stats.test_stats import fought

CHANGE = "Emblem, color, puzzles"
pytestmark = pytest.mark.usefixtures("fixed_dice")


async def choose(table: Table, emblem: str = "fox", color: str = "moss", positions: str = "no") -> str:
    """Have Ann choose, and return her profile's picture in words."""
    form = await table.press(await table.run("profile"), CHANGE)
    return alt_of(
        answer(await table.ann.submit_modal(form, {"emblem": [emblem], "color": color, "positions": positions}))
    )


async def test_a_chosen_emblem_and_color_are_on_the_profile_and_in_seat_lists(table: Table) -> None:
    before = Crest.of(table.ann.id)
    page = await table.run("profile")
    expect_in(alt_of(page), f", {before}: No battles yet.")
    assert buttons_of(page) == [CHANGE]
    expect_in(await choose(table), ", fox in moss: No battles yet.")
    form = await table.press(page, CHANGE)
    assert form.modal is not None
    fields = [node["component"] for node in payloads.components(form.modal["components"]) if "component" in node]
    chosen = [option["value"] for field in fields for option in field["options"] if option.get("default")]
    assert chosen == ["fox", "moss", "no"], "puzzles are off until somebody allows them"
    panel = await begin(table, defender=the_bot(table))
    expect_in(text_of(panel), f"Attacker: 🦊 <@{table.ann.id}>", "Defender: 🤖 the bot")
    await choose(table, "sun", "green")
    expect_in(alt_of(await table.run("profile")), "sun in green")


async def test_what_was_chosen_is_kept_told_and_deleted(table: Table) -> None:
    await choose(table)
    expect_in(
        said(await table.run("privacy show")),
        "- 1 emblem with a color, and whether your battles may become puzzles, from /profile",
    )
    files = await files_of(await table.run("privacy export"))
    assert json.loads(files["about-you.json"])["people"] == [{"emblem": "fox", "color": "moss", "positions": 0}]
    panel = await begin(table)
    await table.surely("privacy delete")
    assert await table.bot.services[PeopleRepository].chosen([table.ann.id]) == {}
    assert "🦊" not in text_of(panel)


async def test_the_card_tells_of_nemesis_luck_and_what_features_add(table: Table) -> None:
    for _ in range(2):
        await fought(table, "6 tanks vs 5 inf", attacker=table.ben, defender=table.ann)

    async def fallen(span: Span, user_id: int) -> str:
        return "Drifa" if user_id == table.ann.id and span.guild_id else ""

    table.bot.services[Trophies]["Fallen heroes"] = "skull", fallen
    page = await table.run("profile")
    expect_in(
        alt_of(page), "2 battles.", "Nemesis: ben: 2 lost.", "Fallen heroes: Drifa.", "Signature game: Axis & Allies."
    )
    expect_in(alt_of(page), "Luckiest roll: ")
    expect_in(said(page), "battles of this server", "**Axis & Allies**: 2 battles, 2 lost")
    theirs = await table.run("profile", who=table.ben)
    assert buttons_of(theirs) == []
    assert "Nemesis" not in alt_of(theirs), "who always loses is none"
    assert "Drifa" not in alt_of(theirs)


async def test_nobody_else_has_a_profile_without_battles(table: Table) -> None:
    reply = await table.run("profile", who=table.ben)
    expect_in(said(reply), "No battles of ben are remembered here.")
