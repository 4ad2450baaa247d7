"""The first minute of three strangers: ready decks, the traits, their own names, and the next boss of the ladder."""

from bot.store.database import Connection, Database
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import LADDER
from sim.boss_fight.ways import ready_hands
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, forged, join, state_of
from tests.bot.payloads import components


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


async def test_a_victory_leads_to_the_next_rung(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await join(table, panel, "mine: Fang (90000/10000/0)")
    await table.press(panel, "Strike with the best")
    assert buttons_of(panel) == ["Next: Tin Colossus, level 2"]
    opened = await table.pressed(panel, "Next: Tin Colossus, level 2", by=table.ben)
    assert text_of(opened).startswith("### #2 Boss fight: Tin Colossus, waiting for players\n")
    again = await table.press(panel, "Next: Tin Colossus, level 2")
    assert text_of(answer(again)) == "⚠️ #2 against Tin Colossus is open already: join it."
    await join(table, opened, WEAK)
    await table.press(opened, "Fight to the end")
    assert buttons_of(opened, house=True)[0] == "Rematch"


async def test_only_the_ladder_goes_on(table: Table) -> None:
    await forged(table)
    for boss in ("Bull", LADDER[-1].name):
        panel = await begin(table, boss)
        await join(table, panel, "mine: Fang (900000/200000/0 PP)")
        await table.press(panel, "Strike with the best")
        assert "the party wins" in text_of(panel)
        assert buttons_of(panel) == []


async def test_a_boss_forged_before_a_rung_got_its_name_stays(table: Table) -> None:
    await forged(table)
    await table.bot.services[Database].write(rename_bull)
    panel = await begin(table, "mossback")
    assert (await state_of(table)).setup.boss.health == 100, "the forged one"
    assert "Mossback" in text_of(panel)


async def rename_bull(conn: Connection) -> None:
    await conn.execute("UPDATE bosses SET name = 'Mossback', name_key = 'mossback' WHERE name_key = 'bull'")
