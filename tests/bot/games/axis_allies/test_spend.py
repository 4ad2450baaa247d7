"""The war room through Discord: one good path and one refusal."""

from tests.bot.conftest import Table, alt_of, expect_in, text_of


async def test_one_budget_for_two_fronts(table: Table) -> None:
    fronts = "3 inf vs 2 inf worth 5; 2 inf, 1 tank vs 4 inf worth 8"
    asked = await table.run("aa spend", budget=20, fronts=fronts, edition="1942", planes="1 fighter: all")
    expect_in(text_of(asked), "🛒 **4 infantry, 2 artillery**", "📖 1942 second edition")
    expect_in(
        alt_of(asked), "Buy 4 infantry, 2 artillery for 20 IPC, worth 12.85.", "Front 2: ", "and 1 fighter, taken 99.3%"
    )
    expect_in(
        text_of(await table.page(asked, 1)), "-# Front 1: 1 infantry, 1 artillery, taken 98.2% of the time, gains 2.33"
    )
    expect_in(text_of(await table.page(asked, 2)), "2. ⚔️ **2 infantry, 1 tank** vs 🛡️ **4 infantry**, worth 8")


async def test_a_front_without_a_worth_is_named(table: Table) -> None:
    refused = await table.run("aa spend", budget=20, fronts="3 inf vs 2 inf worth 5; 2 inf vs 4 inf")
    expect_in(text_of(refused), "Front 2: say what its territory is worth, such as: 2 inf vs 4 inf worth 5")
