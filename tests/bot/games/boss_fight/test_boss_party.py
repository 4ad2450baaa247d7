"""Who takes part in a boss fight, and the choice of tokens: a list on the panel, a preview for oneself, the strike."""

from typing import Any

from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import DICE, NO_CHANCE
from bot.games.boss_fight.items import token_text
from bot.games.boss_fight.presenter import BossFightPresenter
from bot.ui.error_replies import OUTDATED_BUTTON
from sim.boss_fight.battle.values import HandMember, Setup
from sim.boss_fight.tables import LADDER, known_boss
from sim.boss_fight.ways import ready_hands
from tests.bot.battles.fights import click_seen, seen, send_form, told, undo, with_button
from tests.bot.conftest import Table, answer, button, chosen, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, join, seats, state_of
from tests.bot.payloads import RADIO, SELECT, components


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


async def test_nobody_joins_twice(table: Table) -> None:
    panel = await begin(table)
    late = await table.press(panel, "Join with your own")
    await join(table, panel)
    assert "You are already in this battle." in text_of(await table.pressed(panel, "Join")), "before the form"
    assert "You are already in this battle." in told(await table.ann.submit_modal(late, chosen(late, {"deck": WEAK})))
    assert len((await state_of(table)).members) == 1


async def test_an_undone_leave_gives_the_seat_back(table: Table, judge: MemberActor) -> None:
    await table.press(await both(table), "Leave", by=table.ben)
    await undo(table, by=judge)
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}


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


def menu(message: ResponseMessage) -> dict[str, Any]:
    (found,) = [node for node in components(message.components) if node["type"] == SELECT]
    return dict(found)


async def choose(table: Table, message: ResponseMessage, values: list[str], by: MemberActor | None = None) -> Any:  # noqa: ANN401  # what it led to
    return await (by or table.ann).select(message, custom_id=menu(message)["custom_id"], values=values)


async def test_tokens_are_shown_before_they_strike(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await table.press(panel, "Join")
    preview = answer(await choose(table, panel, ["0", "1"]))
    assert (await state_of(table)).exchanges == 0
    await choose(table, preview, ["0", "1", "5"])
    await table.press(preview, "Strike")
    state = await state_of(table)
    assert isinstance(state.members[0], HandMember)
    assert state.members[0].tired == ("hero", "attack", "buff")
    assert menu(panel)["options"][0]["label"] == "attack 2: Sword, II", "the tired aren't offered"
    expect_in(said(await table.pressed(panel, "Arithmetic")), "hero, attack, buff against ", "Deals **")


async def test_only_whose_turn_it_is_chooses_and_old_lists_do_nothing(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await table.press(panel, "Join")
    await table.press(panel, "Join", by=table.ben)
    assert told(await choose(table, panel, ["0"], by=table.ben)).startswith("⚠️ ")
    preview = answer(await choose(table, panel, ["0"]))
    too_many = button(preview, "Strike").rpartition(":")[0] + ":63"
    (forged,) = await click_seen(table, with_button(seen(table, preview), too_many), (table.ann, too_many))
    assert OUTDATED_BUTTON in told(forged)
    await table.press(panel, "Strike with the best")
    assert "already at round 1" in told(await table.press(preview, "Strike"))
    assert (await state_of(table)).exchanges == 1


async def test_what_tokens_bring() -> None:
    knight = ready_hands()[0]
    told = {token.name: token_text(token) for token in knight.tokens}
    assert told["hero"].endswith("Earth")
    assert "resists physical" in told["defense"]


async def test_there_are_dice_where_the_boss_has_a_choice(table: Table) -> None:
    presenter, system = BossFightPresenter(table.bot), BossFightPresenter.system
    gale, dog = known_boss("Gale Wyrm"), known_boss("Inu Dogemon")
    assert gale is not None
    assert dog is not None
    chances = [
        presenter.chance_in(system.begin(setup))
        for setup in (Setup(boss=gale, edition="hands"), Setup(boss=gale), Setup(boss=dog, edition="hands"))
    ]
    assert chances == [DICE, NO_CHANCE, NO_CHANCE]
    await join(table, await begin(table, "Gale Wyrm"))
    await table.press(await table.run("battle show"), "Fight to the end")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match")


async def test_the_clock_says_for_whom_it_strikes_and_stops_when_nobody_is_there(table: Table) -> None:
    panel = await begin(table, "Mossback")
    for who in (table.ann, table.ben):
        await join(table, panel, f"{WEAK}; other: Fist (9000/1/0)", by=who)
    for _ in range(4):
        table.clock.pass_days(1.1)
        await table.bot.services[MaintenanceTasks].catch_up()
    assert (await state_of(table)).exchanges == 2, "a whole round"
    expect_in(said(panel), "is away, so Fracas plays for them", "Nobody was there for a whole round")
    assert button(panel, "Go on")
