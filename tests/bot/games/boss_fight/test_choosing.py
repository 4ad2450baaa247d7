"""The choice of tokens: a list on the panel, a preview for oneself, the strike; and where the dice come from."""

from typing import Any

from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.battles.presenter import DICE, NO_CHANCE
from bot.games.boss_fight.choosing import token_text
from bot.games.boss_fight.presenter import BossFightPresenter
from sim.boss_fight.battle.values import HandMember, Setup
from sim.boss_fight.tables import LADDER, known_boss
from sim.boss_fight.ways import ready_hands
from tests.bot.battles.fights import told
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import WEAK, begin, join, state_of
from tests.bot.payloads import SELECT, components


def menu(message: ResponseMessage) -> dict[str, Any]:
    (found,) = [node for node in components(message.components) if node["type"] == SELECT]
    return dict(found)


async def choose(table: Table, message: ResponseMessage, values: list[str], by: MemberActor | None = None) -> Any:  # noqa: ANN401  # what it led to
    return await (by or table.ann).select(message, custom_id=menu(message)["custom_id"], values=values)


async def test_tokens_are_shown_before_they_strike(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await table.press(panel, "Join")
    text = text_of(panel)
    expect_in(text, "Now **", "· Next ")
    assert "wins in" not in text, "nothing tells the end"
    shown = menu(panel)
    assert (shown.get("min_values", 1), shown["max_values"]) == (1, 5)
    assert [option["label"] for option in shown["options"]][:2] == ["hero: Warrior", "attack: Dagger"]
    preview = answer(await choose(table, panel, ["0", "1"]))
    assert preview.ephemeral
    expect_in(text_of(preview), "### hero, attack", "⚔️ You deal ", "🩸 You take ", "Rested for ")
    assert (await state_of(table)).exchanges == 0
    await choose(table, preview, ["0", "1", "5"])
    await table.press(preview, "Strike")
    state = await state_of(table)
    assert isinstance(state.members[0], HandMember)
    assert state.members[0].tired == ("hero", "attack", "buff")
    assert menu(panel)["options"][0]["label"] == "attack 2: Sword, II", "the tired aren't offered"
    expect_in(said(panel), "hero, attack, buff against ")
    expect_in(said(await table.pressed(panel, "Arithmetic")), "hero, attack, buff against ", "Deals **")


async def test_only_whose_turn_it_is_chooses_and_old_lists_do_nothing(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    await table.press(panel, "Join")
    await table.press(panel, "Join", by=table.ben)
    assert told(await choose(table, panel, ["0"], by=table.ben)).startswith("⚠️ ")
    preview = answer(await choose(table, panel, ["0"]))
    await table.press(panel, "Strike with the best")
    assert "already at round 1" in told(await table.press(preview, "Strike"))
    assert (await state_of(table)).exchanges == 1


async def test_what_tokens_bring() -> None:
    knight = ready_hands()[0]
    told = {token.name: token_text(token) for token in knight.tokens}
    assert told["hero"].endswith("Earth")
    assert "resists physical" in told["defense"]


async def test_the_panel_has_no_button_too_many(table: Table) -> None:
    panel = await begin(table, LADDER[0].name)
    assert buttons_of(panel) == ["Join", "Join with your own", "Hands and traits"]
    await table.press(panel, "Join")
    assert buttons_of(panel) == ["Strike with the best", "Fight to the end", "Join", "Leave", "Join with your own"]
    await table.press(panel, "Strike with the best")
    assert buttons_of(panel)[-1] == "Arithmetic"


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
