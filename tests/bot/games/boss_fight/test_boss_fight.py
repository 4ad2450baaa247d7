"""`/boss start`: a party steps one boss together (.docs/rules/boss_fight.md, "A party fight"); `/boss top`, ladder."""

import json

from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.games.boss_fight.presenter import BossFightPresenter
from bot.store.database import Connection, Database
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import LADDER
from sim.boss_fight.ways import ready_hands
from tests.bot.battles.fights import click_seen, seen, stranger, told
from tests.bot.conftest import Table, answer, button, buttons_of, chosen, expect_in, said, text_of
from tests.bot.games.boss_fight import boss_fights as b
from tests.bot.games.boss_fight.boss_fights import HERO, begin, both, forged, state_of
from tests.bot.payloads import components


async def press_action(table: Table, panel: ResponseMessage, action: str, by: MemberActor) -> list[InteractionResult]:
    """Press the button of an action on an older panel, which had all of them."""
    step = button(panel, "Strike with the best")
    pressed = step.replace(":step", f":{action}")
    old = seen(table, panel)
    old.payload = json.loads(json.dumps(old.payload).replace(step, pressed))
    return await click_seen(table, old, (by, pressed))


async def test_the_boss_s_words_and_picture(table: Table) -> None:
    await b.forged(table)
    await table.ann.slash(table.channel, "boss forge", boss="frost giant", picture=("giant.jpg", b.picture()))
    panel = await b.begin(table, "Frost Giant", health=2)
    assert [attachment.filename for attachment in panel.attachments] == ["card.png", "boss.png"]
    (portrait,) = [node["accessory"] for node in components(panel.components) if node["type"] == 9]
    assert portrait["description"] == "Frost Giant, as its maker drew it"
    await b.join(table, panel, "mine: Fang (3000/250/0)")
    assert "**Frost Giant** enters: *Who dares?*" in said(panel)
    await table.press(panel, "Strike with the best")
    assert "Impossible!" not in said(panel), "550 of 800 is more than half"
    await table.press(panel, "Strike with the best")
    expect_in(said(panel), "No rested token against 💥 Fury", "deals no damage")
    await table.press(panel, "Strike with the best")
    assert "**Frost Giant** is down to half its health: *Impossible!*" in said(panel)
    await table.press(panel, "Fight to the end")
    assert "**Frost Giant** falls: *The ice melts*" in said(panel)
    assert "-200" not in said(panel), "damage past zero is a fall"


async def test_a_step_belongs_to_the_member_whose_turn_it_is(table: Table) -> None:
    panel = await b.both(table)
    refused = told(await table.press(panel, "Strike with the best", by=table.ben))
    due = int(table.clock.now) + BossFightPresenter.absent_seconds
    expect_in(refused, "⚠️", "'s turn. You can step in at", f"<t:{due}:t>")
    clock = text_of(await table.run("battle clock"))
    for text in (said(panel), clock):
        assert f"Others can step in at <t:{due}:t>" in text, "the same time as the refusal's"
    assert "1 day a turn" in clock
    zoe = stranger(table)
    assert told(await table.press(panel, "Strike with the best", by=zoe)).startswith("⚠️ It's <@")
    await table.press(panel, "Strike with the best")
    assert "▶️ **Wind**" in said(panel), "the next living member in order of joining"
    (by_ann,) = await press_action(table, panel, "round", table.ann)
    assert told(by_ann).startswith("⚠️ It's <@")


async def test_after_five_minutes_anyone_in_the_fight_may_step(table: Table) -> None:
    panel = await b.both(table)
    table.clock.now += BossFightPresenter.absent_seconds - 1
    assert "You can step in" in told(await table.press(panel, "Strike with the best", by=table.ben))
    table.clock.now += 1
    assert told(await table.press(panel, "Strike with the best", by=stranger(table))).startswith("⚠️ It's <@")
    await table.press(panel, "Strike with the best", by=table.ben)
    assert [member.hits for member in (await b.state_of(table)).members] == [1, 0], "Ann's exchange, not Ben's"
    assert text_of(await table.run("battle verify", by=table.ben)).startswith("### ✅ Match: #1, 3 rows")


async def test_who_joins_prolongs_nobody_s_turn(table: Table) -> None:
    panel = await b.both(table)
    table.clock.now += BossFightPresenter.absent_seconds - 10
    await b.join(table, panel, by=stranger(table))
    table.clock.now += 10
    await table.press(panel, "Strike with the best", by=table.ben)
    assert [member.hits for member in (await b.state_of(table)).members] == [1, 0, 0]


async def test_a_referee_may_step_any_time(table: Table, judge: MemberActor) -> None:
    panel = await b.both(table)
    await table.press(panel, "Strike with the best", by=judge)
    await press_action(table, panel, "round", judge)
    assert [member.hits for member in (await b.state_of(table)).members] == [1, 1], "the rest of the round"
    assert "Round" not in buttons_of(panel), "the members can't press it"
    await press_action(table, panel, "run", judge)
    assert (await b.state_of(table)).winner == "boss"


async def test_a_fight_in_direct_messages(table: Table) -> None:
    """A boss of one's own; nobody is a referee there, and no records are kept."""
    user = UserHandle(table.env, table.env.backend.get_user(table.ann.id))
    await user.slash("boss forge", bosses=("b.csv", b"name,health\nMine,50\n"))
    await user.slash("boss forge", boss="Mine", picture=("mine.jpg", b.picture()))
    panel = answer(await user.slash("boss start", boss="mine"))
    assert [attachment.filename for attachment in panel.attachments] == ["card.png", "boss.png"]
    form = await user.click(panel, label="Join with your own")
    await user.submit_modal(form, chosen(form, {"deck": b.WEAK}))
    await user.click(panel, label="Fight to the end")
    assert "🛡️ the party wins after 1 round" in text_of(panel)
    assert "records against bosses" not in text_of(answer(await user.slash("privacy show")))
    assert "Records are only kept in servers" in text_of(answer(await user.slash("boss top", boss="Mine")))


async def test_from_nothing_to_the_first_exchange_in_three_presses(table: Table) -> None:
    """Who joins after that is offered another hand, and called as on Discord."""
    panel = await table.run("boss start")
    await table.press(panel, "Join")
    await table.press(panel, "Strike with the best")
    assert [member.hits for member in (await state_of(table)).members] == [1]
    for who in (table.ben, stranger(table)):
        await table.press(panel, "Join", by=who)
    state = await state_of(table)
    assert (state.setup.boss, state.setup.edition) == (LADDER[0], "hands")
    assert [member.name for member in state.members] == ["ann", "ben", "zoe"]
    assert [member.deck for member in state.members] == list(ready_hands()[:3])


async def test_a_deck_of_ones_own_goes_before_a_ready_one(table: Table) -> None:
    await table.fill(await begin(table), "Join with your own", {"ready": "knight", "deck": HERO})
    assert (await state_of(table)).members[0].deck == parse_deck(HERO)


async def test_a_deleted_member_loses_the_name_on_the_panel_and_in_the_log(table: Table) -> None:
    panel = await both(table, health=10)
    await table.press(panel, "Strike with the best")
    await table.press(panel, "Strike with the best", by=table.ben)
    await table.surely("privacy delete")
    text = said(panel)
    assert "Ice" not in text
    assert "**Member 1**" in text
    (card,) = [item for node in components(panel.components) if node["type"] == 12 for item in node["items"]]
    expect_in(card["description"], "Member 1 1,000 / 3,000", "Wind")
    assert "Ice" not in card["description"]
    log = said(await table.run("battle log", by=table.ben))
    expect_in(log, "Member 1 joins with 3,000 health.", "Wind joins")
    assert "Ice" not in log
    assert "Ice" not in said(await table.pressed(panel, "Arithmetic", by=table.ben))
    assert text_of(await table.run("battle verify", by=table.ben)).startswith("### ✅ Match")


async def test_a_boss_forged_before_a_rung_got_its_name_stays(table: Table) -> None:
    await forged(table)
    await table.bot.services[Database].write(rename_bull)
    panel = await begin(table, "mossback")
    assert (await state_of(table)).setup.boss.health == 100, "the forged one"
    assert "Mossback" in text_of(panel)


async def rename_bull(conn: Connection) -> None:
    await conn.execute("UPDATE bosses SET name = 'Mossback', name_key = 'mossback' WHERE name_key = 'bull'")
