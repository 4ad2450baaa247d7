"""`/battle coach` and the button behind "More"."""

import pytest

from tests.bot.battles.fights import begin, end, more, stranger
from tests.bot.conftest import Table, alt_of, answer, buttons_of, text_of


@pytest.mark.usefixtures("fixed_dice")
async def test_who_had_a_seat_is_told_of_luck_and_decisions(table: Table) -> None:
    panel = await begin(table, "1942: 6 inf, 2 tanks vs 6 inf")
    assert "isn't over yet" in text_of(answer(await table.ann.slash(table.channel, "battle coach")))
    await table.press(panel, "Next round")
    await table.press(panel, "Retreat")

    told = await table.run("battle coach")
    assert text_of(told).startswith("### 🎓 The coach on #1\n")
    assert "You played within " in alt_of(told)
    private = await more(table, panel, "The coach", by=table.ben)
    assert "You played perfectly; " in alt_of(private)
    assert "The other side gave away " in alt_of(private)
    in_money = await table.run("battle coach", aim="ipc", by=stranger(table))
    assert "The attacker played" in alt_of(in_money)
    assert " IPC" in alt_of(in_money)
    assert "chance or ipc" in text_of(answer(await table.ann.slash(table.channel, "battle coach", aim="beauty")))


async def test_losses_chosen_beside_submarines_are_weighed(table: Table) -> None:
    await begin(table, "2 sub, 1 dd vs 2 dd, 1 tr", casualties="manual")
    await end(table)
    assert "You played perfectly" in alt_of(await table.run("battle coach"))


@pytest.mark.usefixtures("fixed_dice")
async def test_a_boss_fight_alone_is_coached_and_a_party_is_told_why_not(table: Table) -> None:
    for number, alone in ((1, True), (2, False)):
        panel = answer(await table.ann.slash(table.channel, "boss start", boss="Hollow King"))
        await table.press(panel, "Join")
        if not alone:
            await table.press(panel, "Join", by=table.ben)
        await table.press(panel, "Strike with the best")
        await end(table, number=number)
        behind = await table.pressed(panel, "More")
        assert ("The coach" in buttons_of(behind, house=True)) is alone
    told = alt_of(await table.run("battle coach", number=1))
    assert "You played " in told
    assert "the dice " in told
    refused = await table.ann.slash(table.channel, "battle coach", number=2)
    assert "a party has too many choices" in text_of(refused.followups[0])
