"""Characters and challenges: what the scenes don't show (tests/bot/snapshots), such as who comes late, or twice."""

import pytest
from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.games.duel.characters import CharacterService
from bot.games.duel.repositories import CharacterRepository
from bot.stats import LadderRepository
from bot.store.battles import BattleRepository
from bot.ui.error_replies import MarkdownError
from bot.ui.progress import Bar
from sim.duel.battle import GROUP_2
from sim.duel.battle.dungeon_values import HEROES
from tests.bot.battles.fights import press_seen, seen, send_form, stored, stranger, use
from tests.bot.conftest import Table, answer, button, chosen, expect_in, said, text_of
from tests.bot.games.duel.duels import SIDES, roll
from tests.bot.payloads import RADIO, SELECT, components

pytestmark = pytest.mark.usefixtures("fixed_chance")


def choices(form: InteractionResult) -> dict[str, str]:
    """Return the characters that a form offers, with their values."""
    assert form.modal is not None
    (chooser,) = [node for node in components(form.modal["components"]) if node["type"] in {SELECT, RADIO}]
    return {option["label"].split(",")[0]: option["value"] for option in chooser["options"]}


async def accept(table: Table, message: ResponseMessage) -> InteractionResult:
    """Let Ben accept a challenge with a new character."""
    form = await table.press(message, "Accept", by=table.ben)
    return await table.ben.submit_modal(form, chosen(form, {"character": "new"}))


@pytest.mark.parametrize("is_open", [False, True])
async def test_who_accepts_a_challenge_agrees_that_the_duel_is_rated(table: Table, *, is_open: bool) -> None:
    ladders = table.bot.services[LadderRepository]
    await ladders.set_open(table.ann.guild.id, is_open=is_open)
    message = await table.run("duel challenge", opponent=table.ben)
    assert ("🪜 Rated" in text_of(message)) is is_open
    await ladders.set_open(table.ann.guild.id, is_open=True)
    await accept(table, message)
    assert {place.seat for place in (await stored(table)).places if place.agreed} >= {GROUP_2}
    assert ("🪜 Rated" in text_of(message)) is is_open, "a challenge that didn't say so doesn't count"


async def test_a_challenge_is_answered_once_and_after_a_restart(table: Table) -> None:
    await roll(table, "Brenna")
    message = await table.run("duel challenge", opponent=table.ben, turns="anyone")
    await table.restart()
    form = await table.press(message, "Accept", by=table.ben)
    second = await table.press(message, "Accept", by=table.ben)
    await table.ben.submit_modal(form, chosen(form, {"character": "new"}))
    late = await table.ben.submit_modal(second, chosen(second, {"character": "new"}))
    assert "is too old to continue" in said(answer(late))
    assert len(await table.bot.services[BattleRepository].open_in(table.channel.id)) == 1
    await table.press(message, "Begin", by=stranger(table))
    assert said(message).startswith("### #1 B/X duel: the opening\n")


async def test_a_duel_without_a_panel_is_not_started_twice(table: Table) -> None:
    message = await table.run("duel challenge", opponent=table.ben)
    table.env.inject_error("PATCH", "/webhooks/*", status=400, code=50035, times=1)
    reply = (await accept(table, message)).followups[-1]
    assert said(reply).startswith("⚠️ Done, but Discord doesn't let me show it just now")
    assert "is too old to continue" in said(answer(await table.press(message, "Accept", by=table.ben)))
    assert len(await table.bot.services[BattleRepository].open_in(table.channel.id)) == 1


async def test_a_long_simulation_tells_how_far_it_is(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[float, str]] = []
    seconds = iter(range(10, 100_000, 10))
    monkeypatch.setattr(Bar, "update", lambda _bar, share, task: calls.append((share, task)))
    monkeypatch.setattr(table.bot, "monotonic", lambda: next(seconds))
    await table.run("duel odds", roster=("groups.csv", SIDES), seed=3)
    assert calls == [(number / 10, f"{number},000 of 10,000 battles fought") for number in range(1, 11)]


async def test_a_campaign_s_hero_is_known_again_with_another_level_whoever_plays_it(table: Table) -> None:
    await roll(table, "Brenna")
    await table.run("duel dungeon")
    judge = stranger(table, manage_messages=True)
    expect_in(await use(table, judge, "Take over a seat", {"seat": [HEROES[0]]}), "takes over")
    (hero,) = [one.critter for one in await table.bot.services[CharacterRepository].own(table.ann.id)]
    risen = hero.model_copy(update={"hp": hero.hp + 5, "to_hit": hero.to_hit - 2})
    with pytest.raises(MarkdownError, match="Brenna is busy in #1"):
        await table.bot.services[CharacterService].expect_free(table.ann.id, [risen])
    stranger_of_that_name = hero.model_copy(update={"abilities": None})
    await table.bot.services[CharacterService].expect_free(table.ann.id, [stranger_of_that_name])


async def test_two_presses_at_once_do_not_send_one_hero_twice(table: Table) -> None:
    await roll(table, "Brenna")
    for message in [await table.run("duel challenge", opponent=table.ben) for _ in range(2)]:
        press_seen(table, seen(table, message), table.ann, button(message, "Fight the bot"))
    await table.env.settle()
    assert len(await table.bot.services[BattleRepository].open_of(table.ann.id)) == 1


async def test_no_join_at_the_same_time_and_no_undo_send_one_hero_twice(table: Table, judge: MemberActor) -> None:
    await roll(table, "Brenna")
    gates = [await table.run("duel dungeon", by=by) for by in (table.ben, stranger(table))]
    forms = [await table.press(gate, "Join") for gate in gates]
    results = [send_form(table, table.ann, form, {"character": choices(form)["Brenna"]}) for form in forms]
    await table.env.settle()
    (here,) = await table.bot.services[BattleRepository].open_of(table.ann.id)  # whichever was first
    told = f"Brenna is busy in #{here.number} in <#{table.channel.id}>"
    expect_in("".join(said(reply) for result in results for reply in result.followups), told)
    await table.press(gates[here.number - 1], "Step out")
    await table.run("duel encounter", character="Brenna", level=1)
    asked = await table.run("battle undo", by=judge, number=here.number)
    refused = await table.press(asked, "Undo", by=judge)
    expect_in(said(refused.followups[-1]), told.replace(f"in #{here.number}", "in #3"))
    assert [battle.number for battle in await table.bot.services[BattleRepository].open_of(table.ann.id)] == [3]
