"""The clock of any battle, as a referee sets it: on the panel, in reminders, when time is up, after an undo."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from simcord import MemberActor

from bot.app import TICK_SECONDS
from bot.battles.clock.timetable import DAY
from bot.battles.maintenance import AGAIN_SECONDS, MaintenanceTasks
from bot.battles.service import BattleService
from sim.core.errors import RuleError
from sim.core.journal import Kind
from tests.bot.battles.fights import (
    begin,
    click_seen,
    expect_match,
    kinds,
    seen,
    set_clock,
    steps_after,
    steps_at,
    stored,
    stranger,
    tick,
    told,
    tools,
)
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

BERLIN = ZoneInfo("Europe/Berlin")


def posted(table: Table) -> list[str]:
    return [message.content for message in table.channel.history() if message.content]


async def test_a_clock_is_shown_warned_of_and_acts(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    assert "⏰" not in text_of(panel)
    said = await set_clock(table, judge, turn="24 h", warning="2 h", grace="30 min")
    begun = int(table.clock.now)
    due = begun + 24 * 3600
    expect_in(said, "1 day a turn, a warning 2 hours before, 30 minutes of grace", f"<t:{due}:R>")
    expect_in(
        text_of(panel),
        f"⏳ Waiting for <@{table.ann.id}>",
        f"⏰ Time is up <t:{due}:R>, with 30 minutes of grace; then the next round is fought.",
        "⏱️ The clock is set: 1 day a turn",
    )
    assert await tick(table) == 22 * 3600
    table.clock.now = due - 2 * 3600
    later = await tick(table)
    (warning,) = [text for text in posted(table) if text.startswith("⏳")]
    expect_in(warning, f"<@{table.ann.id}>", f"<t:{due}:R>")
    assert later == 2.5 * 3600
    await tick(table)
    await table.restart()
    await tick(table)
    assert len([text for text in posted(table) if text.startswith("⏳")]) == 1, "each warning comes once"
    assert await steps_at(table, due + 1799) == 0
    assert await steps_at(table, due + 1800) == 1
    expect_in(text_of(panel), "round 1", f"⏰ <@{table.ann.id}> is away, so Fracas plays for them.")
    assert await kinds(table) == [Kind.CLOCK, Kind.CLOCK, Kind.STEP]
    log = text_of(await table.run("battle log")).replace("\\", "")
    expect_in(log, "The attacker is away, so Fracas plays for them.")
    await expect_match(table)


async def test_a_fight_stops_and_asks_after_a_whole_round_without_anybody(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, "20 inf vs 20 inf")
    await set_clock(table, judge, turn="1 h")
    await steps_after(table, 3600)
    await tick(table)
    asks = "⏸️ Nobody was there for a whole round, so the clock is stopped. Waiting for "
    expect_in(text_of(panel), "is away, so Fracas plays for them", f"{asks}<@{table.ann.id}>: is anybody here?")
    assert await steps_after(table, 3 * DAY) == 1
    old, custom_id = seen(table, panel), button(panel, "Go on")
    expect_in(told(await table.press(panel, "Go on", by=stranger(table))), "⚠️ Only those who fight in #1")
    await table.press(panel, "Go on", by=table.ben)
    expect_in(text_of(panel), f"⏰ Time is up <t:{int(table.clock.now) + 3600}:R>", "The clock goes on.")
    await click_seen(table, old, (table.ann, custom_id))
    assert await kinds(table) == [Kind.CLOCK, Kind.CLOCK, Kind.STEP, Kind.CLOCK, Kind.CLOCK], "once is enough"
    await steps_after(table, 3600)
    await tick(table)
    assert asks in text_of(panel)
    await table.press(panel, "Fight round 3")
    assert asks not in text_of(panel), "who acts is there"
    assert await steps_after(table, 3600) == 4
    await expect_match(table)


async def test_who_does_not_choose_losses_in_time_loses_by_default_and_nobody_sees_them_before(
    table: Table, judge: MemberActor
) -> None:
    panel = await begin(table, "4 inf, 4 tanks vs 4 inf, 4 tanks", casualties="manual")
    await set_clock(table, judge, turn="1 h")
    await table.press(panel, "Fight round 1")
    expect_in(
        text_of(panel), f"Waiting for <@{table.ann.id}> and <@{table.ben.id}>", "the losses are chosen by default"
    )
    assert await steps_after(table, 3600) == 2
    await expect_match(table)


async def test_the_clock_stops_and_goes_on(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h")
    table.clock.now += 3600
    await table.press(await tools(table, judge), "Stop the clock", by=judge)
    expect_in(text_of(panel), "⏸️ The clock is stopped, 1 hour left")
    shown = await tools(table, judge)
    assert "Let the clock go on" in buttons_of(shown)
    assert await steps_after(table, 3 * DAY) == 0
    twice = await table.run("battle clock", by=judge)
    await table.press(shown, "Let the clock go on", by=judge)
    expect_in(text_of(panel), f"⏰ Time is up <t:{int(table.clock.now) + 3600}:R>", "The clock goes on.")
    refused = await table.pressed(twice, "Let the clock go on", by=judge)
    assert text_of(refused) == "⚠️ The clock of #1 isn't stopped."
    assert await steps_after(table, 3599) == 0
    assert await steps_after(table, 1) == 1
    assert await kinds(table) == [*[Kind.CLOCK] * 4, Kind.STEP]
    await expect_match(table)


async def test_a_turn_is_extended_also_after_its_end(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h", time_up="ask")
    due = int(table.clock.now) + 2 * 3600
    form = await table.press(await tools(table, judge), "Extend this turn", by=judge)
    await judge.submit_modal(form, {"time": "90 min"})
    expect_in(text_of(panel), f"<t:{due + 5400}:R>", "This turn lasts 90 minutes longer.", "the referee is asked")
    await steps_at(table, due + 6000)
    expect_in(text_of(panel), "⏰ Time is up. The referee decides: `/battle referee number:1`")
    (asked,) = [text for text in posted(table) if text.startswith("⏰")]
    expect_in(asked, "Time is up in [#1]", "The referee decides")
    await tick(table)
    assert len([text for text in posted(table) if text.startswith("⏰")]) == 1
    form = await table.press(await tools(table, judge), "Extend this turn", by=judge)
    await judge.submit_modal(form, {"time": "1 h"})
    expect_in(text_of(panel), f"⏰ Time is up <t:{int(table.clock.now) + 3600}:R>")
    await table.press(panel, "Fight round 1")
    expect_in(text_of(panel), f"⏰ Time is up <t:{int(table.clock.now) + 7200}:R>")
    await expect_match(table)


async def test_an_undo_takes_no_clock_back_and_its_turn_begins_anew(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=table.ann)
    await table.press(panel, "Fight round 1")
    await set_clock(table, judge, turn="2 h")
    await table.press(await tools(table, judge), "Stop the clock", by=judge)
    table.clock.now += 100
    await table.ann.slash(table.channel, "battle undo")
    expect_in(
        text_of(panel),
        "before round 1",
        "⏸️ The clock is stopped, 2 hours left",
    )
    await table.press(await tools(table, judge), "Let the clock go on", by=judge)
    assert await steps_after(table, 7199) == 1
    assert await steps_after(table, 1) == 2
    done = [Kind.STEP, Kind.CLOCK, Kind.CLOCK, Kind.UNDO, Kind.CLOCK, Kind.CLOCK, Kind.STEP]
    assert (await kinds(table))[:7] == done
    await expect_match(table)


async def test_a_press_on_a_panel_from_before_the_clock_was_stopped_still_counts(
    table: Table, judge: MemberActor
) -> None:
    panel = await begin(table)
    old = seen(table, panel)
    custom_id = button(panel, "Fight round 1")
    await set_clock(table, judge, turn="2 h")
    await click_seen(table, old, (table.ann, custom_id))
    assert (await stored(table)).steps == 1
    await click_seen(table, old, (table.ann, custom_id))
    assert (await stored(table)).steps == 1


async def test_a_request_to_undo_outlives_a_change_of_the_clock(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight round 1")
    await table.ann.slash(table.channel, "battle undo")
    await set_clock(table, judge, turn="2 h")
    await table.press(panel, "Agree", by=table.ben)
    assert await kinds(table) == [Kind.STEP, Kind.CLOCK, Kind.UNDO]
    assert "before round 1" in text_of(panel)
    await expect_match(table)


@pytest.mark.parametrize(
    ("begun", "due"),
    [
        (datetime(2027, 3, 27, 12, 0, tzinfo=BERLIN), datetime(2027, 3, 27, 20, 0, tzinfo=BERLIN)),
        (datetime(2027, 3, 27, 19, 30, tzinfo=BERLIN), datetime(2027, 3, 28, 20, 0, tzinfo=BERLIN)),
        (datetime(2027, 10, 30, 19, 30, tzinfo=BERLIN), datetime(2027, 10, 31, 20, 0, tzinfo=BERLIN)),
    ],
)
async def test_turns_end_at_the_same_hour_when_the_clocks_change(
    table: Table, judge: MemberActor, begun: datetime, due: datetime
) -> None:
    await judge.slash(table.channel, "battle hours", zone="Europe/Berlin")
    panel = await begin(table)
    table.clock.now = begun.timestamp()
    await set_clock(table, judge, hour="8 pm")
    at = int(due.timestamp())
    expect_in(text_of(panel), f"⏰ Time is up <t:{at}:R>", "turns end at 20:00 Europe/Berlin")
    assert await steps_at(table, at - 1) == 0
    assert await steps_at(table, at) == 1
    next_day = int(due.replace(day=due.day + 1).timestamp()) if due.day < 30 else None
    if next_day is not None:
        expect_in(text_of(panel), f"⏰ Time is up <t:{next_day}:R>")


async def test_nights_do_not_count(table: Table, judge: MemberActor) -> None:
    said = text_of(
        answer(
            await judge.slash(table.channel, "battle hours", zone="Europe/Berlin", quiet_from="23:00", quiet_to="8:00")
        )
    )
    expect_in(said, "This server's time: Europe/Berlin", "Quiet from **23:00** to **08:00**. Nights don't count.")
    panel = await begin(table)
    table.clock.now = datetime(2027, 3, 27, 22, 0, tzinfo=BERLIN).timestamp()
    await set_clock(table, judge, turn="2 h")
    at = int(datetime(2027, 3, 28, 9, 0, tzinfo=BERLIN).timestamp())
    expect_in(text_of(panel), f"⏰ Time is up <t:{at}:R>")
    refused = await set_clock(table, judge, hour="2:30")
    expect_in(refused, "⚠️ Turns can't end in the quiet hours")
    await judge.slash(table.channel, "battle hours", nights="wait")
    await set_clock(table, judge, turn="2 h")
    at = int(datetime(2027, 3, 28, 8, 0, tzinfo=BERLIN).timestamp())
    expect_in(text_of(panel), f"⏰ Time is up <t:{at}:R>")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"turn": "soon"}, "⚠️ Time for a turn: type a time such as 24 h"),
        ({"turn": "31 days"}, "⚠️ A turn lasts from a minute to 30 days"),
        ({"turn": "1 h", "warning": "2 h"}, "⚠️ The warning has to come after the turn has begun"),
        ({"hour": "25:00"}, "⚠️ Turns end at: type an hour such as 20:00"),
        ({"turn": "1 h", "time_up": "pass"}, "⚠️ There are no turns to pass in this game."),
    ],
)
async def test_a_clock_that_can_not_be(table: Table, judge: MemberActor, options: dict[str, str], said: str) -> None:
    await begin(table)
    assert (await set_clock(table, judge, **options)).startswith(said)
    assert await kinds(table) == []


async def test_only_a_referee_sets_the_clock_and_the_hours(table: Table) -> None:
    await begin(table)
    expect_in(await set_clock(table, table.ann, turn="1 h"), "⚠️ Only the referee of #1")
    expect_in(await set_clock(table, table.ann), "No time limit", "A referee may set it")
    said = text_of(await table.run("battle hours", zone="Europe/Berlin"))
    expect_in(said, "⚠️ Only somebody who may manage messages")
    said = text_of(await table.run("battle hours"))
    expect_in(said, "This server's time: UTC", "No quiet hours")
    assert await kinds(table) == []


async def test_a_free_seat_stops_every_clock(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=None)
    await set_clock(table, judge, turn="1 h")
    said = await set_clock(table, judge, warning="10 min")
    expect_in(said, "1 hour a turn, a warning 10 minutes before", "Nobody's turn now")
    assert await steps_after(table, 2 * DAY) == 0
    await table.press(panel, "Join as defender", by=table.ben)
    expect_in(text_of(panel), f"⏰ Time is up <t:{int(table.clock.now) + 3600}:R>")
    assert await steps_after(table, 3600) == 1


async def test_the_bot_looks_at_clocks_at_the_second_when_they_are_due(table: Table, judge: MemberActor) -> None:
    await begin(table)
    await table.bot.tick()
    assert table.bot.tick.seconds == TICK_SECONDS
    await set_clock(table, judge, turn="1 min")
    table.clock.now += 48
    await table.bot.tick()
    assert table.bot.tick.seconds == 12
    table.clock.now += 12
    await table.bot.tick()
    assert (await stored(table)).steps == 1


async def test_a_turn_that_can_not_be_timed_out_now_is_a_minute_later(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(table)
    await set_clock(table, judge, turn="1 h")

    async def busy(*_: object) -> bool:
        raise RuleError("All workers are busy.")

    table.clock.now += 3600
    with monkeypatch.context() as patched:
        patched.setattr(table.bot.services[BattleService], "time_out", busy)
        assert await tick(table) == AGAIN_SECONDS
    await tick(table)
    assert (await stored(table)).steps == 0
    assert await steps_after(table, AGAIN_SECONDS) == 1


async def test_the_time_in_which_the_bot_was_down_is_given_back(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h", warning="30 min")
    due = int(table.clock.now) + 2 * 3600
    table.clock.now += 3600
    await table.restart(away=3 * 3600)
    await table.bot.services[MaintenanceTasks].catch_up()
    due += 3 * 3600
    expect_in(text_of(panel), f"⏰ Time is up <t:{due}:R>", "The bot was away for 3 hours of this turn")
    assert (await stored(table)).steps == 0
    await steps_at(table, due - 1800)
    (warning,) = [text for text in posted(table) if text.startswith("⏳")]
    assert f"<t:{due}:R>" in warning
    assert await steps_at(table, due - 1) == 0
    assert await steps_at(table, due) == 1
    assert "The bot was away" not in text_of(panel), "the next turn has all its time"
    await expect_match(table)


async def test_a_short_restart_gives_nothing(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h")
    due = int(table.clock.now) + 2 * 3600
    await table.restart(away=120)
    await table.bot.services[MaintenanceTasks].catch_up()
    expect_in(text_of(panel), f"⏰ Time is up <t:{due}:R>")


async def test_no_turn_ends_while_discord_is_out_of_reach(
    table: Table, judge: MemberActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = await begin(table)
    await set_clock(table, judge, turn="2 h")
    due = int(table.clock.now) + 2 * 3600
    await tick(table)
    with monkeypatch.context() as patched:
        patched.setattr(type(table.bot), "connected", False)
        for _ in range(3):
            assert await steps_after(table, 3600) == 0
    await table.bot.services[MaintenanceTasks].catch_up()
    expect_in(text_of(panel), f"⏰ Time is up <t:{due + 3 * 3600}:R>")
