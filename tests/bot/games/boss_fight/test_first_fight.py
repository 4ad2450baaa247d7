"""The first minute of three strangers: ready decks, the traits, their own names, and the next boss of the ladder."""

import json

import pytest

from bot.store.database import Connection, Database
from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.presets import LADDER, STARTER_DECKS
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, forged, join, plain_text, refusal, state_of
from tests.bot.payloads import SELECT, TEXT_INPUT, components


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


async def test_the_join_form_offers_ready_decks_with_a_line_each(table: Table) -> None:
    form = await table.press(await begin(table), "Join")
    assert form.modal is not None
    (menu,) = [node for node in components(form.modal["components"]) if node["type"] == SELECT]
    assert [(option["label"], option["description"]) for option in menu["options"]] == [
        (deck.name, deck.line) for deck in STARTER_DECKS
    ]


async def test_a_deck_of_ones_own_goes_before_a_ready_one(table: Table) -> None:
    await table.fill(await begin(table), "Join", {"ready": ["knight"], "deck": HERO})
    assert (await state_of(table)).members[0].deck == parse_deck(HERO)


@pytest.mark.parametrize(
    ("nick", "name"),
    [
        ("Zoë 🐉", "Zoë 🐉"),
        ("a\u200bb\u202ec  d", "abc d"),
        ("\u3164\u200b", ""),
        ("x" * 60, "x" * 32),
        ("Ice", "Ice 2"),
    ],
)
async def test_members_are_called_as_on_discord(table: Table, nick: str, name: str) -> None:
    panel = await begin(table)
    await join(table, panel, name="Ice")
    guest = table.ann.guild.add_member(table.env.create_user("guest", global_name=nick[:32]))
    form = await table.press(panel, "Join", by=guest)
    assert form.modal is not None
    (field,) = [node for node in components(form.modal["components"]) if node.get("custom_id") == "name"]
    assert (field.get("value") or "") == name


async def test_a_deleted_member_loses_the_name_on_the_panel_and_in_the_log(table: Table) -> None:
    panel = await both(table, health=10)
    await table.press(panel, "Step")
    await table.press(panel, "Step", by=table.ben)
    await table.surely("privacy delete")
    text = plain_text(panel)
    assert "Ice" not in text
    assert "**Member 1**" in text
    (card,) = [item for node in components(panel.components) if node["type"] == 12 for item in node["items"]]
    expect_in(card["description"], "Member 1 1,000 / 3,000", "Wind")
    assert "Ice" not in card["description"]
    log = plain_text(await table.run("battle log", by=table.ben))
    expect_in(log, "Member 1 joins with 3,000 health.", "Wind joins")
    assert "Ice" not in log
    assert "Ice" not in plain_text(await table.pressed(panel, "Arithmetic", by=table.ben))
    assert text_of(await table.run("battle verify", by=table.ben)).startswith("### ✅ Match")


async def test_a_victory_leads_to_the_next_rung(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await join(table, panel, "mine: Fang (90000/10000/0)")
    await table.press(panel, "Step")
    assert buttons_of(panel) == ["Next: Tin Colossus, level 2", "Arithmetic"]
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
        assert buttons_of(panel) == ["Arithmetic"]


async def test_start_offers_the_ladder_first(table: Table) -> None:
    await forged(table)
    offered = await table.ann.autocomplete(table.channel, "boss start", "boss", "")
    assert [choice["value"] for choice in offered][: len(LADDER)] == [foe.name for foe in LADDER]
    assert offered[0]["name"] == "Mossback (level 1, 10,000 health)"


async def test_a_boss_forged_before_a_rung_got_its_name_stays(table: Table) -> None:
    await forged(table)
    await table.bot.services[Database].write(rename_bull)
    panel = await begin(table, "mossback")
    assert (await state_of(table)).setup.boss.health == 100, "the forged one"
    assert "Mossback" in text_of(panel)


async def rename_bull(conn: Connection) -> None:
    await conn.execute("UPDATE bosses SET name = 'Mossback', name_key = 'mossback' WHERE name_key = 'bull'")


async def test_the_traits_are_read_by_kind_with_their_numbers(table: Table) -> None:
    message = await table.pressed(await begin(table), "Decks and traits", by=table.ben)
    assert message.ephemeral
    expect_in(plain_text(message), *(deck.text for deck in STARTER_DECKS))
    (jump,) = [node for node in components(message.components) if node["type"] == SELECT]
    titles = [option["label"] for option in jump["options"]]
    assert titles[:2] == ["Ready decks", "Attack: level, kind, material, rarity, quality"]
    text = "\n".join([plain_text(await table.page(message, at, by=table.ben)) for at in range(len(titles))])
    expect_in(text, "**Level**, physical: I 100 · II 200", "- Hammer: 1,500 physical; pierces physical")
    hero = plain_text(await table.run("boss traits", kind="hero"))
    expect_in(hero, "**Hero tokens**", "- Warrior: 1,000 health, 1,000 physical; pierces physical, resists physical")
    files = {
        each.filename: await each.read() for each in (await table.pressed(message, "Files", by=table.ben)).attachments
    }
    assert len(files["traits.csv"].splitlines()) == 205


async def test_words_that_are_no_trait_find_what_they_may_mean(table: Table) -> None:
    refused = await table.ann.slash(table.channel, "boss deck", deck="fire sword")
    assert "Did you mean attack: Sword @Fire or hero: Sword @Fire?" in refusal(refused)
    offered = await table.ann.autocomplete(table.channel, "boss deck", "deck", "hero: fire swo")
    assert [choice["value"] for choice in offered] == ["hero: Sword @Fire"]


async def test_the_forge_s_menus(table: Table) -> None:
    form = await table.ann.slash(table.channel, "boss forge")
    assert form.modal is not None
    nodes = list(components(form.modal["components"]))
    (menu,) = [node for node in nodes if node["type"] == SELECT]
    assert [option["label"] for option in menu["options"]][-5:] == [
        *("Earth", "Pierces physical", "Resists physical", "Pierces magical", "Resists magical"),
    ]
    (figures,) = [node["value"] for node in nodes if node["type"] == TEXT_INPUT and node.get("custom_id") == "figures"]
    values = {"name": "Mud", "figures": figures, "nature": ["Water", "Earth"], "words": ""}
    refused = answer(await table.ann.submit_modal(form, values))
    assert "A boss has one element" in plain_text(refused)
    form = await table.press(refused, "Fix it")
    assert '"default": true' in json.dumps(form.modal, default=str), "what was chosen is still chosen"
    made = answer(await table.ann.submit_modal(form, values | {"nature": ["Earth", "MR"]}))
    expect_in(plain_text(made), "👹 **Mud** level 1, ⛰️ Earth, 10,000 health, 1,500 physical damage, resists magical")
