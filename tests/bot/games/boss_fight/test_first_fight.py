"""The first minute of three strangers: ready decks, the traits, their own names, and the next boss of the ladder."""

from bot.store.database import Connection, Database
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import LADDER, STARTER_DECKS
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, forged, join, state_of
from tests.bot.payloads import SELECT, components


async def first_fight(table: Table) -> None:
    """Let three people join the first rung, each with the deck that their form offers."""
    panel = await table.run("boss start")
    for who in (table.ann, table.ben, stranger(table)):
        form = await table.press(panel, "Join", by=who)
        assert form.modal is not None
        nodes = list(components(form.modal["components"]))
        (menu,) = [node for node in nodes if node["type"] == SELECT]
        (ready,) = [option["value"] for option in menu["options"] if option.get("default")]
        (name,) = [node["value"] for node in nodes if node.get("custom_id") == "name"]
        await who.submit_modal(form, {"ready": [ready], "name": name})


async def test_three_people_who_only_press_join_and_submit_win_the_first_fight_in_5_to_10_exchanges(
    table: Table,
) -> None:
    await first_fight(table)
    state = await state_of(table)
    assert state.setup.boss == LADDER[0]
    assert [member.name for member in state.members] == ["ann", "ben", "zoe"]
    decks = [member.deck for member in state.members]
    assert decks == [parse_deck(deck.text) for deck in STARTER_DECKS[: len(decks)]], "each is offered another one"


async def test_a_deck_of_ones_own_goes_before_a_ready_one(table: Table) -> None:
    await table.fill(await begin(table), "Join", {"ready": ["knight"], "deck": HERO})
    assert (await state_of(table)).members[0].deck == parse_deck(HERO)


async def test_a_deleted_member_loses_the_name_on_the_panel_and_in_the_log(table: Table) -> None:
    panel = await both(table, health=10)
    await table.press(panel, "Step")
    await table.press(panel, "Step", by=table.ben)
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
    await table.press(panel, "Step")
    assert buttons_of(panel) == ["Next: Tin Colossus, level 2"]
    opened = await table.pressed(panel, "Next: Tin Colossus, level 2", by=table.ben)
    assert text_of(opened).startswith("### #2 Boss fight: Tin Colossus, waiting for somebody to join\n")
    again = await table.press(panel, "Next: Tin Colossus, level 2")
    assert text_of(answer(again)) == "⚠️ #2 against Tin Colossus is open already: join it."
    await join(table, opened, WEAK)
    await table.press(opened, "Play to the end")
    assert buttons_of(opened, house=True)[0] == "Rematch"


async def test_only_the_ladder_goes_on(table: Table) -> None:
    await forged(table)
    for boss in ("Bull", LADDER[-1].name):
        panel = await begin(table, boss)
        await join(table, panel, "mine: Fang (900000/200000/0 PP)")
        await table.press(panel, "Step")
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
