"""A challenge a week in a channel, or a puzzle a day: one try for everyone, a board, a card, nothing posted twice."""

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.battles import ServerHours, ServerHoursRepository
from bot.store.database import Database
from bot.weekly.repository import Challenge, Standing, WeeklyRepository
from sim.boss_fight.battle.challenge import BossChallenge
from sim.core.challenge import Entry
from tests.bot.battles.fights import (
    click_seen,
    elsewhere,
    outside,
    press_forged,
    seen,
    stored,
    stranger,
    tick,
    told,
    tools,
    write,
)
from tests.bot.conftest import Table, answer, buttons_of, expect_in, posts, said

MONDAY = datetime(2027, 1, 18, tzinfo=UTC).timestamp()
"""The first second of the week after."""


async def tried(table: Table, post: ResponseMessage, *, by: MemberActor | None = None) -> ResponseMessage:
    """Open a try, and return its panel or question, or the refusal."""
    pressed = await table.press(post, "Try", by=by)
    if pressed.modal is None:
        return pressed.followups[-1] if pressed.followups else answer(pressed)
    return answer(await (by or table.ann).submit_modal(pressed, {"choice": "mage"}))


async def week(table: Table) -> Challenge:
    """Return the channel's newest challenge."""
    found = await table.bot.services[WeeklyRepository].latest(table.channel.id)
    assert found is not None
    return found


async def board(table: Table) -> list[Standing]:
    """Return the week's board."""
    return await table.bot.services[WeeklyRepository].board(await week(table))


async def opened(table: Table, by: MemberActor, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Open boss challenges in the channel."""
    return await table.run("weekly open", by=by, **({"kind": "Boss"} | options))


def heads(table: Table) -> list[str]:
    """Return the first lines of the posts and cards in the channel, in order."""
    first = (said(message).split("\n")[0] for message in posts(table))
    return [line for line in first if line.startswith(("### 🗓️", "🏆"))]


@pytest.mark.parametrize("nick", ["\u3164", "漢字1", "M\u0336\u0337\u0338\u200de"])
async def test_nobody_is_called_by_a_number(table: Table, judge: MemberActor, nick: str) -> None:
    zoe = table.ann.guild.add_member(table.env.create_user("zoe"), nick=nick)
    name = "M\u0336\u0337e" if nick.startswith("M") else "zoe"
    for panel in (await tried(table, await opened(table, judge), by=zoe), await table.run("mka new", by=zoe)):
        expect_in(said(panel), f"**{name}** <@{zoe.id}>")


async def test_nobody_joins_a_try_before_its_own_player(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the first join had been too much for the workers: the panel is there without its player."""
    monkeypatch.setattr(BossChallenge, "enter", lambda _self, setup, _choice, _name: Entry(setup))
    panel = await tried(table, await opened(table, judge))
    pressed = await table.press(panel, "Join", by=table.ben)
    expect_in(told(pressed), "is another player's try. Open your own from the weekly challenge.")
    await table.press(panel, "Join")
    assert (await stored(table)).holders == {"member-1": table.ann.id}


async def test_what_was_open_before_gives_no_second_try(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge)
    one, other = [await table.press(post, "Try") for _ in range(2)]
    await table.ann.submit_modal(one, {"choice": "mage"})
    expect_in(said(answer(await table.ann.submit_modal(other, {"choice": "monk"}))), "You have had today's try")
    shown, press = seen(table, post), (table.ben, f"w1:{(await week(table)).id}")
    await table.run("weekly close", by=judge)
    (late,) = await click_seen(table, shown, press)
    assert told(late) == "⚠️ The weekly challenges here are closed."
    await opened(table, judge)
    table.clock.now = (await week(table)).ends_at
    (late,) = await click_seen(table, shown, press)
    assert told(late) == "⚠️ Week 2 is over. A new challenge opens every Monday."


async def test_equals_share_a_place(table: Table, judge: MemberActor) -> None:
    post = await opened(table, judge)
    zoe = stranger(table)
    for person in (table.ann, table.ben, zoe):
        await table.fight_out(await tried(table, post, by=person), by=person)
    await write(table, "UPDATE weekly_tries SET points = 900, rounds = 3 WHERE user_id <> ?", zoe.id)
    await write(table, "UPDATE weekly_tries SET points = 900, rounds = 4 WHERE user_id = ?", zoe.id)
    places = {one.user_id: one.place for one in await board(table)}
    assert places == {table.ann.id: 1, table.ben.id: 1, zoe.id: 3}, "of equal damage fewer rounds are better"


async def test_a_try_in_which_somebody_else_took_the_seat_does_not_count(table: Table, judge: MemberActor) -> None:
    panel = await tried(table, await opened(table, judge))
    assert "Take over a seat" not in buttons_of(await tools(table, judge))
    form = await press_forged(table, panel, "b4:1:take", by=judge)
    expect_in(said(answer(await judge.submit_modal(form, {"seat": ["member-1"]}))), "#1 is another player's try.")
    # As a referee could before.
    await write(table, "UPDATE seats SET user_id = ?", table.ben.id)
    await table.fight_out(panel, by=table.ben)
    assert await board(table) == []
    assert await table.bot.services[WeeklyRepository].missing() == []


async def test_a_message_whose_sending_was_cut_off_is_known_again_or_not_sent(table: Table, judge: MemberActor) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    await tick(table)
    for later in (30, 3_600):  # the bot was killed after it had sent the post, and starts that much later
        await write(table, "UPDATE weekly_challenges SET post_id = NULL WHERE week = '2027-W03'")
        await write(table, "UPDATE weeklies SET next_at = ?", int(MONDAY))
        table.clock.now = MONDAY + later
        await tick(table)
    path = f"/channels/{table.channel.id}/messages"
    bodies = [sent.json for sent in table.env.http_requests if sent.method == "POST" and sent.path.endswith(path)]
    nonces = [body["nonce"] for body in bodies if isinstance(body, dict) and body.get("enforce_nonce")]
    assert len(nonces) == 2, "an hour later Discord would take it for another message"
    assert nonces[0] == nonces[1]
    assert "Try" in buttons_of(await table.run("weekly board"))


async def test_what_another_process_is_about_is_left_to_it(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    with monkeypatch.context() as patch:
        patch.setattr(table.bot.services[Database], "alone", lambda _name, *, wait: nullcontext(wait))
        await tick(table)
        assert len(heads(table)) == 1
    await tick(table)
    heads_now = [head[:13] for head in heads(table)]
    assert heads_now == ["### 🗓️ Week 2", "### 🗓️ Week 3"], "a week without tries has no card"


@pytest.mark.parametrize(("status", "code"), [(400, 50035), (404, 10003)])
async def test_what_discord_refuses_is_posted_a_minute_later_unless_the_channel_is_gone(
    table: Table, judge: MemberActor, status: int, code: int
) -> None:
    await opened(table, judge)
    table.clock.now = MONDAY
    table.env.inject_error("POST", f"/channels/{table.channel.id}/messages", status=status, code=code, times=1)
    await tick(table)
    assert len(heads(table)) == 1
    table.clock.now += 60
    await tick(table)
    assert len(heads(table)) == (2 if status == 400 else 1)
    assert ((await week(table)).weekly.next_at is None) is (status == 404)


@pytest.mark.parametrize("shared", [True, False])
async def test_servers_that_share_fight_the_same_and_others_their_own(
    table: Table, judge: MemberActor, shared: bool
) -> None:
    there, other = elsewhere(table, table.env.create_user("other"))
    await opened(table, judge, shared=shared)
    await other.slash(there, "weekly open", kind="Boss", shared=shared)
    before = (await week(table)).setup_json
    table.clock.now = MONDAY
    await tick(table)
    found = [await table.bot.services[WeeklyRepository].latest(channel.id) for channel in (table.channel, there)]
    setups = {one.setup_json for one in found if one is not None and one.week == "2027-W03"}
    assert len(setups) == (1 if shared else 2)
    assert before not in setups


async def test_tomorrows_question_takes_no_answer_today(table: Table, judge: MemberActor) -> None:
    question = await tried(table, await opened(table, judge, kind="Puzzles"))
    expect_in(told(await press_forged(table, question, "w2:1:2027-01-16:0")), "This was another day's question.")


@pytest.mark.parametrize(
    ("zones", "later", "day"),
    [
        (("America/Los_Angeles", "Pacific/Auckland"), -3_600, 7),
        (("Pacific/Auckland", "America/Los_Angeles"), 5 * 3_600, 1),
    ],
)
async def test_a_server_that_moves_to_another_zone_stays_in_its_week(
    table: Table, judge: MemberActor, zones: tuple[str, str], later: int, day: int
) -> None:
    """On Sunday evening it is Monday there, and on Monday Sunday: neither an eighth day, nor the last one first."""
    before, after = map(ServerHours, zones)
    hours = table.bot.services[ServerHoursRepository]
    await hours.put(table.ann.guild.id, before)
    await opened(table, judge, kind="Puzzles")
    table.clock.now = (await week(table)).ends_at + later
    await tick(table)
    await hours.put(table.ann.guild.id, after)
    expect_in(said(await tried(table, posts(table)[-1])), f", day {day}")


async def test_the_same_puzzle_elsewhere_takes_the_answer_that_was_given(table: Table, judge: MemberActor) -> None:
    """Else somebody could read the answer in one server, and give it in another one."""
    there, ann = elsewhere(table, outside(table))
    post = await opened(table, judge, kind="Puzzles")
    far = answer(await ann.slash(there, "weekly open", kind="Puzzles"))
    question = await tried(table, far, by=ann)
    await table.pressed(await tried(table, post), "B")
    pressed = await ann.click(question, custom_id="w2:2:2027-01-15:0")
    expect_in(told(pressed), "You have had today's try: 0 of 1 solved")
    expect_in(said(far), f"<@{ann.id}> · 0 of 1 solved")
