"""A challenge a week in a channel: one try a day for everyone, a board, a card, and nothing posted twice."""

from typing import Any

from simcord import MemberActor, ResponseMessage

from bot.battles.publisher import EndedBattles
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, said


async def test_open(table: Table, judge: MemberActor) -> None:
    post = await table.run("weekly open", by=judge, kind="Boss")
    print(said(post)); print(alt_of(post))
    form = await table.press(post, "Try")
    print(form.modal)
    panel = answer(await table.ann.submit_modal(form, {"choice": "mage"}))
    print(said(panel), buttons_of(panel))
    r = await table.press(panel, "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    print(said(table.channel.messages[-1]))
    for m in table.channel.messages: print("----", said(m), buttons_of(m))
    r = await table.press(post, "Try")
    print(said(answer(r)))
    b = await table.run("weekly board")
    print(said(b))
    print(said(await table.run("battle undo")))
