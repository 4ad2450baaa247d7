"""Who takes part in a boss fight: joining with a deck, leaving, coming back, undone and at the same time."""

import json
from typing import Any

import pytest
from simcord import InteractionResult, MemberActor
from simcord.enums import InteractionType
from simcord.interactions import base_payload

from tests.bot.battles.fights import stranger, told, undo
from tests.bot.conftest import Table, buttons_of, chosen, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, join, seats, state_of
from tests.bot.payloads import RADIO, components


async def test_two_people_join_at_once(table: Table) -> None:
    """Both send their forms before the bot answers either: each gets a seat, and is called as on Discord."""
    panel = await begin(table)
    forms = [(who, await table.press(panel, "Join with your own", by=who)) for who in (table.ann, table.ben)]
    results = [send_form(table, who, form, {"deck": WEAK}) for who, form in forms]
    await table.env.settle()
    assert [result.followups for result in results] == [[], []], "neither is refused"
    state = await state_of(table)
    assert [member.seat for member in state.members] == ["member-1", "member-2"]
    names = {table.ann.id: "ann", table.ben.id: "ben"}
    held = {seat: names[user_id] for seat, user_id in (await seats(table)).items() if user_id is not None}
    assert {member.seat: member.name for member in state.members} == held
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}


async def test_a_form_of_before_somebody_else_joined_and_stepped_still_joins(table: Table) -> None:
    panel = await begin(table)
    form = await table.press(panel, "Join with your own", by=table.ben)
    await join(table, panel)
    await table.press(panel, "Strike with the best")
    await table.ben.submit_modal(form, chosen(form, {"deck": WEAK}))
    assert [member.hits for member in (await state_of(table)).members] == [1, 0]


def send_form(table: Table, actor: MemberActor, form: InteractionResult, values: dict[str, str]) -> InteractionResult:
    """Send a form and don't wait for the answer."""
    assert form.modal is not None
    fields = [{"type": 18, "component": {"type": 4, "custom_id": name, "value": text}} for name, text in values.items()]
    record, payload = base_payload(
        table.env.backend,
        type=InteractionType.MODAL_SUBMIT,
        channel_id=table.channel.id,
        guild_id=actor.guild.id,
        user_id=actor.id,
        data={"custom_id": form.modal["custom_id"], "components": fields},
    )
    table.env.backend.emit("INTERACTION_CREATE", payload)
    return InteractionResult(table.env, record)


async def test_nobody_joins_twice(table: Table) -> None:
    panel = await begin(table)
    late = await table.press(panel, "Join with your own")
    await join(table, panel)
    assert "You are already in this battle." in text_of(await table.pressed(panel, "Join")), "before the form"
    assert "You are already in this battle." in told(await table.ann.submit_modal(late, chosen(late, {"deck": WEAK})))
    assert len((await state_of(table)).members) == 1


async def test_leaving_and_coming_back(table: Table) -> None:
    panel = await both(table, health=10)
    await table.press(panel, "Strike with the best")
    await table.press(panel, "Leave")
    expect_in(said(panel), "🚪 **Ice** <@", ", away")
    assert await seats(table) == {"member-1": table.ann.id, "member-2": table.ben.id}, "the seat waits"
    await table.press(panel, "Strike with the best", by=table.ben)
    assert "Only <@" in told(await table.press(panel, "Come back", by=table.ben))
    await table.press(panel, "Come back")
    assert [member.name for member in (await state_of(table)).members] == ["Wind", "Ice"], "placed last"


async def test_an_undone_join_frees_its_seat(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    await table.ann.slash(table.channel, "battle undo")
    assert await seats(table) == {}
    assert (await state_of(table)).members == ()
    assert buttons_of(panel) == ["Join", "Join with your own", "Hands and traits"]
    await join(table, panel, name="Again")
    assert [member.name for member in (await state_of(table)).members] == ["Again"]


async def test_an_undone_leave_gives_the_seat_back(table: Table) -> None:
    await table.press(await both(table), "Leave", by=table.ben)
    judge = stranger(table, manage_messages=True)
    await undo(table, by=judge)
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}


async def test_a_deck_that_can_not_be_read_is_kept_to_be_mended(table: Table) -> None:
    panel = await begin(table)
    refused = await join(table, panel, "hero: V, Assasin")
    assert "Did you mean Assassin?" in told(refused)
    form = await table.press(refused.followups[0], "Fix it")
    assert form.modal is not None
    assert "hero: V, Assasin" in json.dumps(form.modal, default=str)
    await table.ann.submit_modal(form, chosen(form, {"deck": HERO}))
    assert (await state_of(table)).members[0].health == 4000


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"deck": WEAK, "saved": "#1"}, "Give one deck: as text, as a file, or a saved one by its name."),
        (
            {"deck": "mine: Fang (0/100/0)"},
            "A deck without health can't fight: you would be down from the start.",
        ),
        ({"deck": WEAK, "name": "a\u200bb"}, "The name holds an invisible or unknown character (U+200B)."),
        ({"deck": WEAK, "name": "iCE"}, "A member of this fight is called iCE already."),
    ],
)
async def test_what_can_not_join(table: Table, values: dict[str, Any], sentence: str) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    panel = await begin(table)
    await join(table, panel, by=table.ben, name="Ice")
    assert told(await join(table, panel, values.pop("deck"), **values)) == f"⚠️ {sentence}"
    assert len((await state_of(table)).members) == 1


async def test_a_saved_deck_and_a_file_join(table: Table) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    panel = await begin(table)
    form = await table.press(panel, "Join with your own")
    assert form.modal is not None
    _, (none, deck) = [node["options"] for node in components(form.modal["components"]) if node["type"] == RADIO]
    assert (none["default"], deck["label"]) == (True, "Mine")
    await table.ann.submit_modal(form, chosen(form, {"deck": "", "saved": deck["value"]}))
    rows = b"token,trait,element,health,physical_damage,magical_damage\nWall,Brick,Earth,500,0,0\n"
    await table.fill(panel, "Join with your own", {"deck": "", "file": ("deck.csv", rows)}, by=table.ben)
    assert [member.health for member in (await state_of(table)).members] == [4000, 500]


async def test_a_saved_deck_that_is_deleted_meanwhile(table: Table) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    form = await table.press(await begin(table), "Join with your own")
    await table.surely("roster delete", name="Mine")
    refused = await table.ann.submit_modal(form, chosen(form, {"deck": "", "saved": "#1"}))
    assert "There is no saved roster" in told(refused)
    await table.fill(refused.followups[0], "Fix it", {"deck": HERO})
    assert (await state_of(table)).members[0].health == 4000


async def test_of_many_saved_decks_one_is_named(table: Table) -> None:
    for number in range(26):
        await table.ann.slash(table.channel, "roster save", name=f"Deck {number}", kind="boss", text=HERO)
    panel = await begin(table)
    await join(table, panel, "", saved="deck 7")
    assert (await state_of(table)).members[0].health == 4000


@pytest.mark.rest
async def test_a_full_party(table: Table) -> None:
    panel = await begin(table, health=1000)
    people = [table.ann.guild.add_member(table.env.create_user(f"p{number}")) for number in range(12)]
    for who in people:
        await join(table, panel, "mine: Fang (900000000/1/0)", by=who, name=f"\N{PILE OF POO}*{'x' * 30}{who.id % 97}")
    assert "Join" not in buttons_of(panel)
    assert said(panel).count("<@") == 12
    for who in people:
        await table.press(panel, "Strike with the best", by=who)
    assert "round 2" in text_of(panel)
