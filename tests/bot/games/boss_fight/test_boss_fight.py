"""`/boss start`: a party steps one boss together (.docs/rules/boss_fight.md, "A party fight"); and `/boss top`."""

import io
import json
from hashlib import sha256
from typing import Any

from PIL import Image
from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.battles.fairness import NO_CHANCE
from bot.battles.maintenance import MaintenanceTasks
from bot.games.boss_fight.presenter import BossFightPresenter
from tests.bot.battles.fights import click_seen, end, seen, stranger
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, text_of
from tests.bot.games.boss_fight.boss_fights import (
    HERO,
    WEAK,
    begin,
    both,
    forged,
    join,
    picture,
    plain_text,
    refusal,
    seats,
    state_of,
)
from tests.bot.payloads import components


async def press_action(table: Table, panel: ResponseMessage, action: str, by: MemberActor) -> list[InteractionResult]:
    """Press the button of an action on an older panel, which had all of them."""
    step = button(panel, "Step")
    pressed = step.replace(":step", f":{action}")
    old = seen(table, panel)
    old.payload = json.loads(json.dumps(old.payload).replace(step, pressed))
    return await click_seen(table, old, (by, pressed))


async def test_somebody_alone_fells_the_boss(table: Table) -> None:
    panel = await begin(table)
    assert text_of(panel).startswith("### #1 Boss fight: Inu Dogemon, waiting for somebody to join\n")
    assert buttons_of(panel) == ["Join", "Decks and traits"]
    assert "Press **Join** and pick a ready deck" in text_of(panel)
    await join(table, panel, HERO, name="Frost")
    assert "▶️ **Frost** <@" in plain_text(panel)
    assert buttons_of(panel) == ["Step", "Round", "Play to the end", "Join", "Leave", "Arithmetic", "Decks and traits"]
    await table.press(panel, "Step")
    text = plain_text(panel)
    assert text.startswith("### #1 Boss fight: Inu Dogemon, 🛡️ the party wins after 1 round\n")
    assert (
        "**Frost** deals 2,500 physical + 1,500 magical = **4,000** damage\n🩸 and takes 250 physical damage\n" in text
    )
    assert "🏅 Score 6,750" in text, "damage 4000 - health 1000 + health 4000 - damage 250"
    assert buttons_of(panel) == ["Arithmetic"], "it is over"


async def test_the_bars_are_a_picture_with_words(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel, HERO, name="Frost")
    assert [attachment.filename for attachment in panel.attachments] == ["card.png"]
    assert Image.open(io.BytesIO(await panel.attachments[0].read())).format == "PNG"
    (item,) = [item for node in components(panel.components) if node["type"] == 12 for item in node["items"]]
    assert item["description"] == (
        "Before the fight. The party wins in 1 exchange. Inu Dogemon 1,000 / 1,000. Frost 4,000 / 4,000, next."
    )


async def test_the_boss_s_words_and_picture(table: Table) -> None:
    await forged(table)
    await table.ann.slash(table.channel, "boss forge", boss="frost giant", picture=("giant.jpg", picture()))
    panel = await begin(table, "Frost Giant", health=2)
    assert [attachment.filename for attachment in panel.attachments] == ["card.png", "boss.png"]
    (portrait,) = [node["accessory"] for node in components(panel.components) if node["type"] == 9]
    assert portrait["description"] == "Frost Giant, as its maker drew it"
    await join(table, panel, "mine: Fang (3000/250/0)")
    assert "**Frost Giant** enters: *Who dares?*" in plain_text(panel)
    await table.press(panel, "Step")
    assert "Impossible!" not in plain_text(panel), "550 of 800 is more than half"
    await table.press(panel, "Step")
    assert "**Frost Giant** is down to half its health: *Impossible!*" in plain_text(panel)
    await table.press(panel, "Play to the end")
    assert "**Frost Giant** falls: *The ice melts*" in plain_text(panel)
    assert "-200" not in plain_text(panel), "damage past zero is a fall"


async def test_a_step_belongs_to_the_member_whose_turn_it_is(table: Table) -> None:
    panel = await both(table)
    refused = refusal(await table.press(panel, "Step", by=table.ben))
    due = int(table.clock.now) + BossFightPresenter.absent_seconds
    expect_in(refused, "⚠️", "somebody else's turn", f"<t:{due}:R>")
    zoe = stranger(table)
    assert refusal(await table.press(panel, "Step", by=zoe)).startswith("⚠️ Only member 1 (<@")
    await table.press(panel, "Step")
    assert "▶️ **Wind**" in plain_text(panel), "the next living member in order of joining"
    (by_ann,) = await press_action(table, panel, "round", table.ann)
    assert refusal(by_ann).startswith("⚠️ It is somebody else's turn. ")


async def test_after_five_minutes_anyone_in_the_fight_may_step(table: Table) -> None:
    panel = await both(table)
    table.clock.now += BossFightPresenter.absent_seconds - 1
    assert "somebody else's turn" in refusal(await table.press(panel, "Step", by=table.ben))
    table.clock.now += 1
    assert refusal(await table.press(panel, "Step", by=stranger(table))).startswith("⚠️ Only ")
    await table.press(panel, "Step", by=table.ben)
    assert [member.hits for member in (await state_of(table)).members] == [1, 0], "Ann's exchange, not Ben's"
    assert text_of(await table.run("battle verify", by=table.ben)).startswith("### ✅ Match: #1, 3 rows")


async def test_who_joins_prolongs_nobody_s_turn(table: Table) -> None:
    panel = await both(table)
    table.clock.now += BossFightPresenter.absent_seconds - 10
    await join(table, panel, by=stranger(table))
    table.clock.now += 10
    await table.press(panel, "Step", by=table.ben)
    assert [member.hits for member in (await state_of(table)).members] == [1, 0, 0]


async def test_a_referee_may_step_any_time(table: Table) -> None:
    panel = await both(table)
    judge = stranger(table, manage_messages=True)
    await table.press(panel, "Step", by=judge)
    await press_action(table, panel, "round", judge)
    assert [member.hits for member in (await state_of(table)).members] == [1, 1], "the rest of the round"
    assert "Round" not in buttons_of(panel), "the members can't press it"
    await press_action(table, panel, "run", judge)
    assert (await state_of(table)).winner == "boss"


async def test_after_a_day_the_clock_steps(table: Table) -> None:
    panel = await both(table)
    table.clock.pass_days(1.1)
    await table.bot.services[MaintenanceTasks].catch_up()
    assert [member.hits for member in (await state_of(table)).members] == [1, 0]
    assert "▶️ **Wind**" in plain_text(panel)


async def test_a_press_that_is_delivered_twice_is_one_step(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    await click_seen(table, seen(table, panel), (table.ann, button(panel, "Step")), twice=True)
    assert (await state_of(table)).members[0].hits == 1


async def test_two_presses_of_one_step_are_one_step(table: Table) -> None:
    panel = await both(table)
    judge = stranger(table, manage_messages=True)
    step = button(panel, "Step")
    results = await click_seen(table, seen(table, panel), (table.ann, step), (judge, step))
    assert sum(bool(result.followups) for result in results) == 1, "one of both is told that it is done"
    assert [member.hits for member in (await state_of(table)).members] == [1, 0]


async def test_all_members_down(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await table.press(panel, "Step", by=table.ben)
    await table.press(panel, "Step")
    expect_in(plain_text(panel), "💀 **Ice** is down", "💀 **Ice** <@")
    await table.press(panel, "Step", by=table.ben)
    assert text_of(panel).startswith("### #1 Boss fight: Inu Dogemon, 👹 the boss wins after 2 rounds\n")


async def test_the_boss_falls_together_with_a_member(table: Table) -> None:
    """The party has won, also when the step's member falls with the boss; its score is 0 only beyond the health."""
    await forged(table)
    panel = await begin(table, "Bull")
    await join(table, panel, WEAK)
    await table.press(panel, "Step")
    assert "🛡️ the party wins after 1 round, and nobody is left standing" in text_of(panel)
    assert "**Member 1** is down" in plain_text(panel)


async def test_a_seed_of_one_s_own(table: Table) -> None:
    """It is taken and plain_text, as everywhere; the fight has no dice, and goes as it would with any other."""
    panel = await begin(table, seed=5)
    expect_in(text_of(await table.pressed(panel, NO_CHANCE.question)), "has no dice", "`/battle verify number:1`")
    seed_hash = sha256((5).to_bytes(32, "big")).hexdigest()
    assert seed_hash in text_of(await table.run("battle verify"))
    await join(table, panel)
    await table.press(panel, "Play to the end")
    expect_in(text_of(await table.run("battle verify")), "✅ Match", f"Seed `{5:064x}`")


async def test_a_stalemate(table: Table) -> None:
    await forged(table)
    panel = await begin(table, "Stone")
    await join(table, panel, "mine: Fang (100/0/0)")
    await table.press(panel, "Round")
    assert text_of(panel).startswith("### #1 Boss fight: Stone, ⚖️ a stalemate after 1 round\n")


async def test_a_step_is_taken_back_by_agreement(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await table.ann.slash(table.channel, "battle undo")
    assert (await state_of(table)).members[0].hits == 1, "the others have a say"
    await table.press(panel, "Agree", by=table.ben)
    assert [member.hits for member in (await state_of(table)).members] == [0, 0]
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, 4 rows")


async def test_end_log_and_verify(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await end(table)
    assert "ended" in text_of(panel).splitlines()[0]
    log = await table.ann.slash(table.channel, "battle log")
    text = plain_text(answer(log))
    assert "Ice joins with 3,000 health." in text
    assert "Ice: 100 physical to the boss, 900 left; 2,000 physical back, 1,000 of 3,000 left." in text
    files = await table.files(log)
    assert list(files) == ["battle-1.txt", "battle-1.jsonl"]
    assert str(table.ann.id) not in files["battle-1.jsonl"].decode()
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, 4 rows")


async def test_a_fight_goes_on_after_a_restart(table: Table) -> None:
    panel = await both(table)
    assert (await table.press(panel, "Join", by=stranger(table))).modal is not None
    await table.restart()
    await table.press(panel, "Step")
    assert "▶️ **Wind**" in plain_text(panel)
    arithmetic = await table.pressed(panel, "Arithmetic")
    await table.restart()
    assert "The stacks" not in text_of(await table.pressed(arithmetic, "▶️"))


async def test_the_arithmetic_can_be_checked_with_a_pencil(table: Table) -> None:
    panel = await begin(table, "Axieom Asmodeus", health=2)
    await join(table, panel, f"{HERO} @Fire", name="Frost")
    await join(table, panel, "mine: Fang (900/100/70 PP) @Earth", by=table.ben, name="Wind")
    await table.press(panel, "Step")
    document = await table.pressed(panel, "Arithmetic", by=table.ben)
    assert document.ephemeral
    assert "**Exchange 1 of Frost**, the last of the fight" in plain_text(document)
    assert "The boss: 13,000 − 2,250 = **10,750**" in plain_text(document)
    sums = plain_text(await table.page(document, 1, by=table.ben))
    assert "1,500 physical + 750 magical = **2,250**" in sums
    assert "Physical: 3,500 × 0.125 = 437.5" in sums
    assert "Magical: 4,500 × 1 × 32 = 144,000" in sums, "it pierces magic; a Fire token of 5 traits against Water: 2^5"
    assert "Score" not in sums
    assert "hero: × 0.125 · × 1 · × 32" in plain_text(await table.page(document, 2, by=table.ben))
    token = plain_text(await table.page(document, 3, by=table.ben))
    assert "**hero**, 🔥 Fire, against 💧 Water" in token
    assert "the boss has the advantage: magic on the boss × 0.5, on you × 2 for each trait" in token
    assert "\nAssassin   1,000 × 0.5 = 500\n" in token
    assert "\nAssassin 500 × 1 × 0.5 = 250\n" in token
    assert "\nEpic             0.5 · 1 · 2\n" in token
    assert "\ntogether               1,500\n" in token
    blocks = "\n".join(token.split("```")[1::2])
    assert max(map(len, blocks.splitlines())) <= 28
    other = await table.pressed(document, "Next member", by=table.ben)
    assert "### 🧮 #1: Wind against Axieom Asmodeus" in plain_text(other)
    files = await table.pressed(other, "Files", by=table.ben)
    assert [attachment.filename for attachment in files.attachments] == ["deck.csv", "exchange.txt"]


async def test_an_old_button_of_arithmetic_of_a_fight_without_members(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    old = seen(table, panel)
    pressed = button(panel, "Arithmetic")
    await table.press(panel, "Leave")
    (result,) = await click_seen(table, old, (table.ann, pressed))
    assert text_of(answer(result)) == "⚠️ Nobody is in this fight yet."


async def test_a_fight_whose_member_was_forgotten_goes_on(table: Table) -> None:
    panel = await both(table)
    await table.surely("privacy delete")
    table.clock.now += BossFightPresenter.absent_seconds
    await table.press(panel, "Step", by=table.ben)
    assert [member.hits for member in (await state_of(table)).members] == [1, 0]
    assert buttons_of(panel)[0] == "Step"


async def test_no_such_boss(table: Table) -> None:
    refused = await table.run("boss start", boss="Inu Dogeman")
    expect_in(plain_text(refused), "⚠️ There is no boss called Inu Dogeman", "Did you mean Inu Dogemon?", "/boss list")


async def test_a_fight_in_direct_messages(table: Table) -> None:
    """A boss of one's own; nobody is a referee there, and no records are kept."""
    user = UserHandle(table.env, table.env.backend.get_user(table.ann.id))
    await user.slash("boss forge", bosses=("b.csv", b"name,health\nMine,50\n"))
    await user.slash("boss forge", boss="Mine", picture=("mine.jpg", picture()))
    panel = answer(await user.slash("boss start", boss="mine"))
    assert [attachment.filename for attachment in panel.attachments] == ["card.png", "boss.png"]
    await user.submit_modal(await user.click(panel, label="Join"), {"deck": WEAK})
    await user.click(panel, label="Play to the end")
    assert "🛡️ the party wins after 1 round" in text_of(panel)
    assert "- 0 records against bosses" in text_of(answer(await user.slash("privacy show")))


async def top(table: Table, **options: Any) -> str:  # noqa: ANN401  # likewise
    return plain_text(await table.run("boss top", boss="Inu Dogemon", **options))


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
    assert text_of(await table.run("boss top")).endswith("Nobody yet: `/boss start` opens a fight.")
    await forged(table)
    for boss, times, deck in (("Inu Dogemon", 1, HERO), ("Inu Dogemon", 2, HERO), ("Bull", 1, WEAK)):
        panel = await begin(table, boss, health=times)
        await join(table, panel, deck)
        await table.press(panel, "Play to the end")
    leaders = plain_text(await table.run("boss top", private=True))
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
    assert "- 1 record against bosses" in text_of(await table.run("privacy show"))
    file, *_ = (await table.run("privacy export")).attachments
    (record,) = json.loads(await file.read())["boss_records"]
    assert (record["boss"], record["score"], record["damage"], record["fights"]) == ("Inu Dogemon", "6750", "4000", 1)
    assert "1 record" in text_of(await table.surely("privacy delete"))
    assert "Nobody yet" in await top(table)
    assert "<@" not in text_of(panel)
    assert text_of(await table.run("battle verify", number=1)).startswith("### ✅ Match: #1")
