"""Characters that players keep, challenges between them and the bot's duelists, the odds; few presses to a fight."""

from typing import Any

import pytest
from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.games.duel.characters import CharacterService
from bot.games.duel.repositories import CharacterRepository
from bot.stats.repository import LadderRepository
from bot.store.battles import BattleRepository
from bot.ui.error_replies import MarkdownError
from bot.ui.progress import Bar
from sim.duel.battle.dungeon_values import HEROES
from sim.duel.battle.values import GROUP_1, GROUP_2
from sim.duel.critter import OPPONENTS
from tests.bot.battles.fights import end, press_seen, seen, send_form, stored, stranger, use
from tests.bot.conftest import Table, answer, button, buttons_of, chosen, expect_in, insist, said, text_of
from tests.bot.games.duel.duels import ONE, OTHER, SIDES, refusal, roll, setup_of
from tests.bot.payloads import RADIO, SELECT, components

pytestmark = pytest.mark.usefixtures("fixed_chance")


def choices(form: InteractionResult) -> dict[str, str]:
    """Return the characters that a form offers, with their values."""
    assert form.modal is not None
    (chooser,) = [node for node in components(form.modal["components"]) if node["type"] in {SELECT, RADIO}]
    return {option["label"].split(",")[0]: option["value"] for option in chooser["options"]}


async def accept(
    table: Table, message: ResponseMessage, name: str = "Roll a new one", by: MemberActor | None = None
) -> InteractionResult:
    """Accept a challenge with a character."""
    form = await table.press(message, "Accept", by=by or table.ben)
    return await (by or table.ben).submit_modal(form, chosen(form, {"character": choices(form)[name]}))


async def completions(table: Table, command: str, option: str, typed: str = "") -> list[Any]:
    return [choice["value"] for choice in await table.ann.autocomplete(table.channel, f"duel {command}", option, typed)]


async def reroll(table: Table, message: ResponseMessage) -> ResponseMessage:
    """Reroll the character of a message, and return the answer."""
    return await insist(table.ann, await table.pressed(message, "Reroll"))


async def test_a_character_is_rolled_again_in_its_place(table: Table) -> None:
    message = await table.run("duel roll", gender="she", alignment="lawful")
    own = table.bot.services[CharacterRepository].own
    (first,) = await own(table.ann.id)
    assert said(await table.pressed(message, "Reroll", by=table.ben)).startswith("⚠️ Only <@")
    await table.press(await table.pressed(message, "Reroll"), "Keep")
    assert await own(table.ann.id) == [first], "nothing is lost unasked"
    await reroll(table, message)
    (second,) = await own(table.ann.id)
    assert (second.id, second.critter.gender, second.critter.alignment) == (first.id, "she", "lawful")
    assert second.critter.abilities != first.critter.abilities
    assert first.name != second.name


async def test_a_given_name_stays_and_who_left_is_not_rolled_again(table: Table) -> None:
    await roll(table, "Torvald")
    message = await table.run("duel roll", name="Brenna", private=True)
    sheet = await reroll(table, message)
    assert "**Brenna** · " in said(sheet), "a private sheet takes the question's place"
    late = await table.pressed(sheet, "Reroll")
    characters = await table.run("duel characters")
    await table.page(characters, 1)
    assert said(await table.pressed(characters, "Dismiss", by=table.ben)).startswith(f"⚠️ Only <@{table.ann.id}> ")
    question = await table.pressed(characters, "Dismiss")
    expect_in(said(question), "This deletes your character **Brenna**; its fights go on.")
    await table.restart()
    await table.press(question, "Dismiss")
    again = [await table.pressed(each, label) for each, label in ((sheet, "Reroll"), (characters, "Dismiss"))]
    for refused in ((await table.press(late, "Reroll")).followups[-1], *again):
        assert said(refused).startswith("⚠️ This character has left you")
    assert [one.name for one in await table.bot.services[CharacterRepository].own(table.ann.id)] == ["Torvald"]


async def test_a_challenge_is_answered_by_the_one_who_was_challenged(table: Table) -> None:
    message = await table.run("duel challenge", opponent=table.ben)
    for label in ("Accept", "Decline"):
        refused = await table.press(message, label, by=stranger(table) if label == "Accept" else table.ann)
        assert said(answer(refused)) == f"⚠️ Only <@{table.ben.id}> can answer this challenge."
    await accept(table, message)
    battle = await stored(table)
    assert battle.panel_id == message.id, "the panel stands where the challenge was"
    assert (battle.seats_of(table.ann.id), battle.seats_of(table.ben.id)) == ((GROUP_1,), (GROUP_2,))
    assert (await table.press(message, "Begin", by=stranger(table))).followups[-1].ephemeral


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
    await table.ben.submit_modal(form, chosen(form, {"character": choices(form)["Roll a new one"]}))
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


async def test_two_of_one_name_do_not_fight(table: Table) -> None:
    await roll(table, "Brenna")
    await roll(table, "Brenna", by=table.ben)
    message = await table.run("duel challenge", opponent=table.ben)
    reply = (await accept(table, message, "Brenna")).followups[-1]
    expect_in(said(reply), "⚠️", "Brenna is already in this fight")
    await accept(table, message)
    assert said(message).startswith("### #1 B/X duel: before the fight\n"), "the challenge still stood"


async def test_odds_of_own_characters(table: Table) -> None:
    await roll(table, "Brenna", "Old Njal")
    text = said(await table.run("duel odds", first="brenna", second="3 hp", private=True))
    assert text.startswith("🔵 **Brenna** v 🟠 **Second**\n-# Exact odds\n")
    pair = said(await table.run("duel odds", first="Brenna, old njal", second="2 x wolf 6 hp 1d6"))
    assert "🔵 **Brenna and Old Njal** " in pair
    assert "🟠 **2 x wolf**" in pair
    assert "Read as" not in text + pair
    typed = said(await table.run("duel odds", first="BRENNA!", second="two wolves with 6 hp each, ac: 4?"))
    assert "\n-# ✏️ Read as: `Brenna vs 2 x wolves 6 hp ac 4`" in typed


async def test_a_long_simulation_tells_how_far_it_is(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[float, str]] = []
    seconds = iter(range(10, 100_000, 10))
    monkeypatch.setattr(Bar, "update", lambda _bar, share, task: calls.append((share, task)))
    monkeypatch.setattr(table.bot, "monotonic", lambda: next(seconds))
    await table.run("duel odds", roster=("groups.csv", SIDES), seed=3)
    assert calls == [(number / 10, f"{number},000 of 10,000 battles fought") for number in range(1, 11)]


async def test_odds_of_two_files_and_of_saved_rosters(table: Table) -> None:
    for name, data in (("One", ONE), ("Other", OTHER)):
        await table.ann.slash(table.channel, "roster save", name=name, kind="duel", file=(f"{name}.csv", data))
    saved = await table.run("duel odds", roster_saved="One", against_saved="Other", seed=1)
    attached = await table.run("duel odds", roster=("1.csv", ONE), against=("2.csv", OTHER), seed=1)
    assert said(saved) == said(attached)
    assert len(await completions(table, "odds", "against_saved")) == 2


async def test_the_bot_has_three_duelists(table: Table) -> None:
    await table.run("duel challenge", against="quick")
    (npc,) = (await setup_of(table)).group2
    assert (npc.name, npc.dex_mod) == ("Kari", 2)
    asked = await table.run("duel challenge", opponent=table.ben)
    refused = await table.press(asked, "Fight the bot", by=table.ben)
    assert f"Only <@{table.ann.id}> can" in said(answer(refused))
    await table.press(asked, "Fight the bot")
    expect_in(said(asked), "#2 B/X duel: before the fight", "🤖 the bot")
    (npc,) = (await setup_of(table, 2)).group2
    assert npc.name in {name for name, _, _ in OPPONENTS.values()}


async def test_a_hero_in_a_dungeon_goes_nowhere_else(table: Table) -> None:
    await roll(table, "Brenna")
    challenge = await table.run("duel challenge", opponent=table.ben)
    gate = await table.run("duel dungeon", character="Brenna")
    told = f"Brenna is busy in #1 in <#{table.channel.id}>: finish that first, or send another character."
    for command, level in (("encounter", {"level": 1}), ("challenge", {}), ("dungeon", {})):
        assert await refusal(table, command, character="Brenna", **level) == told
    assert told in said((await accept(table, challenge)).followups[-1])
    assert told in said((await table.press(challenge, "Fight the bot")).followups[-1])
    others = await table.run("duel dungeon", by=table.ben)
    form = await table.press(others, "Join")
    assert list(choices(form)) == ["Roll a new one"]
    await end(table, number=1)
    assert "Rematch" in buttons_of(gate, house=True)
    await accept(table, challenge)
    assert "#3 B/X duel" in said(challenge), "she came home, and the challenge still stands"
    assert told.replace("in #1", "in #3") in said((await table.press(gate, "Rematch")).followups[-1])


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
