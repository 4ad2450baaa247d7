"""`/boss start`: a party steps one boss together (.docs/rules/boss_fight.md, "A party fight"); `/boss top`, ladder.

Who takes part, and the choice of tokens: a list on the panel, a preview for oneself, the strike.
"""

from typing import Any

from simcord import MemberActor, ResponseMessage

from bot.battles.presenter import DICE, NO_CHANCE
from bot.games.boss_fight.presenter import BossFightPresenter
from bot.ui.error_replies import OUTDATED_BUTTON
from sim.boss_fight.battle import HandMember, Setup
from sim.boss_fight.tables import LADDER, known_boss
from tests.bot.battles.fights import outside, press_forged, send_form, stored, stranger, told, write
from tests.bot.conftest import Table, answer, button, chosen, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, both, forged, join, picture, state_of
from tests.bot.payloads import SECTION, SELECT, components


async def test_a_step_belongs_to_whose_turn_it_is_and_after_five_minutes_to_anyone_in_the_fight(table: Table) -> None:
    panel = await both(table)
    due = int(table.clock.now) + BossFightPresenter.absent_seconds
    refused = told(await table.press(panel, "Strike with the best", by=table.ben))
    expect_in(refused, "⚠️", "'s turn. You can step in at", f"<t:{due}:t>")
    clock = text_of(await table.run("battle clock"))
    for text in (said(panel), clock):
        assert f"Others can step in at <t:{due}:t>" in text, "the same time as the refusal's"
    assert "1 day a turn" in clock
    table.clock.now = due - 1
    assert "You can step in" in told(await table.press(panel, "Strike with the best", by=table.ben))
    await join(table, panel, by=stranger(table))  # who joins prolongs nobody's turn
    table.clock.now = due
    assert told(await table.press(panel, "Strike with the best", by=stranger(table))).startswith("⚠️ It's <@")
    await table.press(panel, "Strike with the best", by=table.ben)
    assert [member.hits for member in (await state_of(table)).members] == [1, 0, 0], "Ann's exchange, not Ben's"
    assert "▶️ **Wind**" in said(panel), "the next living member in order of joining"
    step = button(panel, "Strike with the best")
    forged = await press_forged(table, panel, step.replace(":step", ":round"), by=table.ann)
    assert told(forged).startswith("⚠️ It's <@"), "an older panel had all buttons"
    assert text_of(await table.run("battle verify", by=table.ben)).startswith("### ✅ Match: #1, 4 rows")
    await table.surely("privacy delete", by=table.ben)
    for by in (table.ann, stranger(table)):
        assert told(await table.press(panel, "Strike with the best", by=by)).startswith("⚠️ It's member 2's turn.")


async def test_a_fight_in_direct_messages(table: Table) -> None:
    """A boss of one's own; nobody is a referee there, and no records are kept."""
    user = outside(table)
    await user.slash("boss forge", bosses=("b.csv", b"name,health\nMine,50\n"))
    await user.slash("boss forge", boss="Mine", picture=("mine.jpg", picture()))
    panel = answer(await user.slash("boss start", boss="mine"))
    assert [attachment.filename for attachment in panel.attachments] == ["card.png", "boss.png"]
    (portrait,) = [node["accessory"] for node in components(panel.components) if node["type"] == SECTION]
    assert portrait["description"] == "Mine, as its maker drew it"
    form = await user.click(panel, label="Join with your own")
    await user.submit_modal(form, chosen(form, {"deck": WEAK}))
    newer = answer(await user.slash("battle show"))
    assert f"https://discord.com/channels/@me/{panel.channel_id}/{newer.id}" in text_of(panel)
    await user.click(newer, label="Fight to the end")
    assert "🛡️ the party wins after 1 round" in text_of(newer)
    assert "records against bosses" not in text_of(answer(await user.slash("privacy show")))
    assert "Records are only kept in servers" in text_of(answer(await user.slash("boss top", boss="Mine")))


async def test_a_boss_forged_before_a_rung_got_its_name_stays(table: Table) -> None:
    await forged(table)
    await write(table, "UPDATE bosses SET name = 'Mossback', name_key = 'mossback' WHERE name_key = 'bull'")
    panel = await begin(table, "mossback")
    assert (await state_of(table)).setup.boss.health == 100, "the forged one"
    assert "Mossback" in text_of(panel)


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
    held = {seat: names[user_id] for seat, user_id in (await stored(table)).holders.items()}
    assert {member.seat: member.name for member in state.members} == held
    assert {*held.values()} == {"ann", "ben"}


async def test_a_form_of_before_somebody_else_joined_and_stepped_still_joins_once(table: Table) -> None:
    panel = await begin(table)
    form, second = [await table.press(panel, "Join with your own", by=table.ben) for _ in range(2)]
    await join(table, panel)
    await table.press(panel, "Strike with the best")
    await table.ben.submit_modal(form, chosen(form, {"deck": WEAK}))
    assert "You are already in this battle." in told(
        await table.ben.submit_modal(second, chosen(second, {"deck": WEAK}))
    )
    assert "You are already in this battle." in text_of(await table.pressed(panel, "Join")), "before the form"
    assert [member.hits for member in (await state_of(table)).members] == [1, 0]


async def test_of_many_saved_decks_one_is_named_and_may_be_deleted_meanwhile(table: Table) -> None:
    for number in range(26):
        await table.ann.slash(table.channel, "roster save", name=f"Deck {number}", kind="boss", text=HERO)
    panel = await begin(table)
    form = await table.press(panel, "Join with your own")
    await table.surely("roster delete", name="Deck 0")
    refused = await table.ann.submit_modal(form, chosen(form, {"deck": "", "saved": "#1"}))
    assert "There is no saved roster" in told(refused)
    await table.fill(refused.followups[0], "Fix it", {"deck": "", "saved": "deck 7"})
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
    assert OUTDATED_BUTTON in told(await press_forged(table, preview, too_many))
    await table.press(panel, "Strike with the best")
    assert "has changed: it is now at round 1" in told(await table.press(preview, "Strike"))
    assert (await state_of(table)).exchanges == 1


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
