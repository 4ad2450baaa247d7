"""`/boss top`: who did best against a boss in a server."""

import json
from typing import Any

from tests.bot.conftest import Table, answer, text_of
from tests.bot.games.boss_fight.boss_fights import HERO, WEAK, begin, forged, join, plain_text


async def top(table: Table, **options: Any) -> str:  # noqa: ANN401  # likewise
    return plain_text(answer(await table.ann.slash(table.channel, "boss top", boss="Inu Dogemon", **options)))


async def test_records_are_the_best_of_all_fights(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel, WEAK)
    await join(table, panel, "mine: Fang (9000/1000/0)", by=table.ben)
    await table.press(panel, "Step")
    assert "Nobody yet" in await top(table), "a fight counts when it is over"
    await table.press(panel, "Step", by=table.ben)
    mine, bens = f"<@{table.ann.id}>", f"<@{table.ben.id}>"
    assert (await top(table)).splitlines() == [
        "### 🏆 👹 Inu Dogemon",
        "**Best score of an exchange**",
        f"🥇 {bens} 7,100",
        "**Most damage in a fight**",
        f"🥇 {bens} 1,000",
        f"🥈 {mine} 100",
    ]
    panel = await begin(table)
    await join(table, panel, HERO)
    await table.press(panel, "Play to the end")
    assert (await top(table)).splitlines()[2:] == [
        f"🥇 {bens} 7,100",
        f"🥈 {mine} 6,750",
        "**Most damage in a fight**",
        f"🥇 {mine} 4,000",
        f"🥈 {bens} 1,000",
    ]
    assert "Nobody yet" in await top(table, health=2), "a boss of more health is another one"


async def test_who_leads_against_each_boss(table: Table) -> None:
    nobody = answer(await table.ann.slash(table.channel, "boss top"))
    assert text_of(nobody).endswith("Nobody yet: `/boss start` opens a fight.")
    await forged(table)
    for boss, times, deck in (("Inu Dogemon", 1, HERO), ("Inu Dogemon", 2, HERO), ("Bull", 1, WEAK)):
        panel = await begin(table, boss, health=times)
        await join(table, panel, deck)
        await table.press(panel, "Play to the end")
    leaders = plain_text(answer(await table.ann.slash(table.channel, "boss top", private=True)))
    mine = f"<@{table.ann.id}>"
    assert leaders.splitlines() == [
        "### 🏆 The best against each boss",
        "👹 **Bull**",
        f"- damage 100: {mine}",
        *("👹 **Inu Dogemon**", f"- score 6,750: {mine}", f"- damage 4,000: {mine}"),
        *("👹 **Inu Dogemon** × 2", f"- score 5,750: {mine}", f"- damage 4,000: {mine}"),
    ]


async def test_records_are_forgotten_with_their_person_and_their_server(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel, HERO)
    await table.press(panel, "Step")
    kept = answer(await table.ann.slash(table.channel, "privacy show"))
    assert "- 1 record against bosses" in text_of(kept)
    file, *_ = answer(await table.ann.slash(table.channel, "privacy export")).attachments
    (record,) = json.loads(await file.read())["boss_records"]
    assert (record["boss"], record["score"], record["damage"], record["fights"]) == ("Inu Dogemon", "6750", "4000", 1)
    reply = await table.surely("privacy delete")
    assert "1 record" in text_of(reply)
    assert "Nobody yet" in await top(table)
    assert "<@" not in text_of(panel)
    verified = answer(await table.ann.slash(table.channel, "battle verify", number=1))
    assert text_of(verified).startswith("### ✅ Match: #1")
