"""A live bot whose gateway connection breaks, is told to connect again, or delivers twice."""

import pytest

from tests.live.conftest import Live

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


async def expect_answers(live: Live) -> None:
    """Check that the bot answers."""
    assert "3 infantry" in (await live.ann.slash("aacalc", battle="3 inf vs 2 inf")).text


async def test_op_7_resumes_the_session(live: Live) -> None:
    gateway = live.discord.gateway
    resumed, identified = gateway.resumed, gateway.identified
    await gateway.reconnect()
    await live.discord.until(lambda: gateway.resumed > resumed)
    assert gateway.identified == identified
    await expect_answers(live)


async def test_op_9_of_a_session_that_lives_resumes_it(live: Live) -> None:
    gateway = live.discord.gateway
    resumed = gateway.resumed
    await gateway.invalidate(resumable=True)
    await live.discord.until(lambda: gateway.resumed > resumed)
    await expect_answers(live)


async def test_op_9_of_a_dead_session_begins_a_new_one(live: Live) -> None:
    gateway = live.discord.gateway
    identified = gateway.identified
    await gateway.invalidate(resumable=False)
    await live.discord.until(lambda: gateway.identified > identified)
    await expect_answers(live)


async def test_what_was_asked_while_the_socket_was_gone_is_answered_after_resume(live: Live) -> None:
    gateway = live.discord.gateway
    resumed = gateway.resumed
    gateway.drop()
    asked = await live.ann.slash("aacalc", battle="3 inf vs 2 inf", wait=False)
    assert asked.response is None
    await live.discord.until(lambda: gateway.resumed > resumed and asked.ended)
    assert "3 infantry" in asked.text


async def test_a_command_delivered_twice_is_handled_once(live: Live) -> None:
    begun = await live.ann.slash("aa battle", setup="6 tanks vs 10 inf", attacker=live.ann, defender=live.ben)
    requests = len(live.discord.api.requests)
    await live.discord.send(begun)
    await expect_answers(live)
    ours = [request for request in live.discord.api.requests[requests:] if str(begun.id) in request.path]
    assert ours == []
    assert live.discord.posted(live.channel)[0] is begun.message
    assert begun.followups == []


async def test_a_press_delivered_twice_at_once_is_one_step(live: Live) -> None:
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    pressed = await live.ann.press(begun.message, "Fight round 1", wait=False)
    await live.discord.send(pressed)
    await live.discord.until(lambda: pressed.ended)
    await live.ann.press(begun.message, "Fight round 2")
    assert begun.message.text.startswith("### #1 Axis & Allies: round 2\n")
    callbacks = [one for one in live.discord.api.requests if f"/interactions/{pressed.id}/" in one.path]
    assert len(callbacks) == 1
    assert pressed.followups == []


async def test_a_form_delivered_twice_is_handled_once(live: Live) -> None:
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")
    opened = await live.ann.press(asked.message, "Edit")
    sent = await live.ann.submit(opened, battle="7 tanks vs 10 inf")
    await live.discord.send(sent)
    await expect_answers(live)
    assert sum(f"/interactions/{sent.id}/" in one.path for one in live.discord.api.requests) == 1
