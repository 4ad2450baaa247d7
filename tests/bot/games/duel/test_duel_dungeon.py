"""`/duel dungeon`: one to four heroes, room by room, and the list of the best."""

from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.games.duel.repositories import MAX_SCORES, CharacterRepository, ScoreEntry, ScoreRepository, write_scores
from bot.store.battles import BattleRepository
from sim.duel.critter import Critter, Damage
from tests.bot.battles.fights import end, stored, stranger, undo
from tests.bot.conftest import Table, answer, buttons_of, chosen, expect_in, said, text_of
from tests.bot.games.duel.duels import opened, roll
from tests.bot.payloads import components


async def join(table: Table, panel: ResponseMessage, by: MemberActor, character: str = "new") -> InteractionResult:
    form = await table.press(panel, "Join", by=by)
    return await by.submit_modal(form, chosen(form, {"character": character}))


async def giant(table: Table) -> None:
    """Give Ann a hero who wins."""
    hero = Critter(name="Ymir", hp=300, to_hit=2, damage=Damage(count=9))
    await table.bot.services[CharacterRepository].add(table.ann.id, hero)


async def best_heroes(table: Table) -> str:
    """Return the last page of the characters; Ann has one."""
    return said(await table.page(await table.run("duel characters"), 1))


async def put(table: Table, *gains: tuple[MemberActor, str, int]) -> None:
    """Write scores of battle #1."""
    battle = await stored(table)

    async def write(conn: object) -> None:
        found = [ScoreEntry(who.id, name, points, "1 of 1 rooms, level 1") for who, name, points in gains]
        await write_scores(conn, battle.id, found, 0)  # type: ignore[arg-type]  # what the database gives

    await table.bot.services[BattleRepository]._db.write(write)


async def test_a_character_that_was_dismissed_meanwhile(table: Table) -> None:
    panel = await opened(table, "dungeon")
    await roll(table, "Torvald", by=table.ben)
    (torvald,) = await table.bot.services[CharacterRepository].own(table.ben.id)
    form = await table.press(panel, "Join", by=table.ben)
    await table.bot.services[CharacterRepository].delete(table.ben.id, torvald.id)
    gone = (await table.ben.submit_modal(form, chosen(form, {"character": str(torvald.id)}))).followups[-1]
    assert said(gone).startswith("⚠️ That character is gone")
    await table.fill(gone, "Fix it", {"character": "new"}, by=table.ben)
    assert f"Hero 2: <@{table.ben.id}>\n" in said(panel)


async def test_who_joined_may_step_out_and_a_referee_takes_others_out(table: Table) -> None:
    panel = await opened(table, "dungeon")
    zoe, judge = stranger(table), stranger(table, manage_messages=True)
    for who in (table.ben, zoe):
        await join(table, panel, who)
    form = await table.press(await table.run("battle referee", by=judge), "Take a player out", by=judge)
    assert form.modal is not None
    (seats,) = [node["options"] for node in components(form.modal["components"]) if "options" in node]
    assert [option["value"] for option in seats] == ["hero-2", "hero-3"], "who brought the first hero stays"
    assert text_of(answer(await judge.submit_modal(form, {"seat": "hero-2"}))) == "👋 Hero 2 is out of #1."
    assert {place.seat: place.user_id for place in (await stored(table)).places} == {
        "hero-1": table.ann.id,
        "hero-3": zoe.id,
    }
    await undo(table, by=judge)
    assert [place.user_id for place in (await stored(table)).places] == [table.ann.id, table.ben.id, zoe.id]
    await table.press(panel, "Step out", by=zoe)
    expect_in(said((await table.press(panel, "Step out")).followups[-1]), "⚠️ Only <@")
    await join(table, panel, zoe)
    await table.press(panel, "Enter room 1", by=zoe)
    assert "Step out" not in buttons_of(panel)
    expect_in(text_of(await table.run("battle verify")), "### ✅ Match")


async def test_the_heroes_leave_with_what_they_have(table: Table) -> None:
    await giant(table)
    panel = await opened(table, "dungeon", rooms=5)
    for label in ("Enter room 1", "Fight to the end", "Go home"):
        await table.press(panel, label)
    assert said(panel).startswith("### #1 B/X dungeon: 🚪 home after room 1\n")
    (best,) = await table.bot.services[ScoreRepository].best("dungeon", table.ann.guild.id, table.ann.id, 10)
    assert best.points > 0
    text = f"### 🏆 The best dungeon heroes here\n🥇 **Ymir** ✨ {best.points} XP\n-# 1 of 5 rooms, level 1 · "
    expect_in(await best_heroes(table), f"\n{text}<@{table.ann.id}>")


async def test_a_dungeon_that_is_ended_early_is_in_no_list(table: Table) -> None:
    await giant(table)
    panel = await opened(table, "dungeon")
    for label in ("Enter room 1", "Fight to the end"):
        await table.press(panel, label)
    await end(table, number=1)
    assert said(panel).startswith("### #1 B/X dungeon: ended, room 1 of 6")
    assert "\nNobody has brought experience out of a dungeon here yet." in await best_heroes(table)


async def test_an_undone_dungeon_is_in_no_list_and_says_so(table: Table) -> None:
    await giant(table)
    panel = await opened(table, "dungeon", rooms=5)
    for label in ("Enter room 1", "Fight to the end"):
        await table.press(panel, label)
    reply = await table.run("battle undo")
    assert said(reply) == "↩️ #1: one step back. A dungeon with an undo isn't ranked in `/duel characters`."
    for label in ("Fight to the end", "Go home"):
        await table.press(panel, label)
    assert said(panel).startswith("### #1 B/X dungeon: 🚪 home after room 1\n")
    assert "-# ↩️ Not ranked: a step was taken back" in said(panel)
    assert "\nNobody has brought experience out of a dungeon here yet." in await best_heroes(table)


async def test_the_list_has_the_best_first_and_keeps_no_more_than_it_may(table: Table) -> None:
    await opened(table, "dungeon")
    await put(table, *((table.ann, f"Hero {points}", points) for points in range(1, MAX_SCORES + 11)))
    scores = await table.bot.services[ScoreRepository].best(
        "dungeon", table.ann.guild.id, table.ann.id, MAX_SCORES + 50
    )
    assert [score.points for score in scores] == list(range(MAX_SCORES + 10, 10, -1))
    text = await best_heroes(table)
    expect_in(text, f"🥇 **Hero {MAX_SCORES + 10}**", "\n4. **Hero ")
    assert text.count(" XP") == 25


async def test_each_server_has_its_own_list(table: Table) -> None:
    await opened(table, "dungeon")
    await put(table, (table.ann, "Brenna", 50))
    other = table.env.create_guild()
    channel = other.create_text_channel("elsewhere")
    zoe = other.add_member(table.env.create_user("zoe"))
    expect_in(said(answer(await zoe.slash(channel, "duel characters"))), "No character yet", "\nNobody has brought")
