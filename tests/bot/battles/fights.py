"""What tests of battles share: how players begin them, press old buttons, and press at the same time."""

import logging
import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, Env, InteractionResult, MemberActor, ResponseMessage
from simcord.backend import serializers
from simcord.builders import UserHandle
from simcord.enums import ComponentType, InteractionType
from simcord.interactions import base_payload

from bot.battles.maintenance import MaintenanceTasks
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.transactions import PanelRepository
from sim.core.journal import Kind
from tests.bot.conftest import Table, answer, said, text_of


async def begin(table: Table, setup: str = "6 tanks vs 10 inf", **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Open a battle of Ann against Ben, or of those given; None leaves a seat free."""
    given = {"attacker": table.ann, "defender": table.ben} | options
    typed = {name: value for name, value in given.items() if value is not None}
    return await table.run("aa battle", setup=setup, **typed)


async def begun(table: Table, setup: str = "6 tanks vs 10 inf", rounds: int = 1, **options: Any) -> ResponseMessage:  # noqa: ANN401  # likewise
    """Open a battle as `begin` does, and let Ann fight its first rounds."""
    panel = await begin(table, setup, **options)
    for _ in range(rounds):
        await table.press(panel, "Next round")
    return panel


async def files_of(table: Table, **options: Any) -> dict[str, bytes]:  # noqa: ANN401  # likewise
    """Return the files of `/battle log`."""
    return await table.files(await table.ann.slash(table.channel, "battle log", **options))


async def expect_match(table: Table, rows: int | None = None, **options: Any) -> None:  # noqa: ANN401  # likewise
    """Check that a battle is verified, and how many rows it has."""
    verdict = text_of(await table.run("battle verify", **options))
    assert re.match(rf"### ✅ Match: #\d+, {'.*' if rows is None else rows} rows?\n", verdict), verdict


async def end(table: Table, *, by: MemberActor | None = None, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """End a battle as somebody who may do that alone, and return the private answer."""
    asked = answer(await (by or table.ann).slash(table.channel, "battle end", **options))
    await table.press(asked, "End it", by=by)
    return asked


async def more(table: Table, panel: ResponseMessage, label: str, *, by: MemberActor | None = None) -> ResponseMessage:
    """Press a button behind "More" of a battle that is over, and return what answers it."""
    return await table.pressed(await table.pressed(panel, "More", by=by), label, by=by)


async def undo(table: Table, *, by: MemberActor, **options: Any) -> ResponseMessage:  # noqa: ANN401  # likewise
    """Take a step back as a referee who has no seat, and return the private answer."""
    asked = await table.run("battle undo", by=by, **options)
    await table.press(asked, "Undo", by=by)
    return asked


async def stored(table: Table, number: int = 1) -> Battle:
    """Read a battle of the channel."""
    battle = await table.bot.services[BattleRepository].by_number(table.channel.id, number)
    assert battle is not None
    return battle


@dataclass
class Seen:
    """A message as a player saw it, whatever has become of it since."""

    id: int
    channel_id: int
    payload: dict[str, Any]


def seen(table: Table, message: ResponseMessage | Seen) -> Seen:
    """Keep what players see now."""
    backend = table.env.backend
    payload = serializers.message_payload(backend, backend.get_message(message.channel_id, message.id))
    return Seen(message.id, message.channel_id, deepcopy(dict(payload)))


def with_button(message: Seen, custom_id: str, *values: str) -> Seen:
    """Return a message as an earlier version showed it, with a button, or a list, that it doesn't have any more."""
    options = [{"label": "?", "value": value} for value in values]
    item = {"type": 3, "options": options} if values else {"type": 2, "style": 2, "label": "?"}
    row = {"type": 1, "id": 90, "components": [item | {"id": 91, "custom_id": custom_id}]}
    return Seen(message.id, message.channel_id, message.payload | {"components": [*message.payload["components"], row]})


async def click_seen(
    table: Table, message: Seen, *presses: tuple[MemberActor, str], twice: bool = False
) -> list[InteractionResult]:
    """Press buttons by their ids, all before the bot answers any; `twice`: Discord delivers each press two times."""
    results = [press_seen(table, message, actor, custom_id, twice=twice) for actor, custom_id in presses]
    await table.env.settle()
    return results


async def press_forged(
    table: Table, message: ResponseMessage | Seen, custom_id: str, *, by: MemberActor | None = None
) -> InteractionResult:
    """Press a button that a message doesn't have: one of an earlier version, or one that a player made up."""
    shown = message if isinstance(message, Seen) else seen(table, message)
    (result,) = await click_seen(table, with_button(shown, custom_id), (by or table.ann, custom_id))
    return result


def press_seen(
    table: Table, message: Seen, actor: MemberActor, custom_id: str, *, chosen: str | None = None, twice: bool = False
) -> InteractionResult:
    """Press a button by its id, or choose from a list, and don't wait for the answer."""
    return send(table.env, actor, pressing(custom_id, *([] if chosen is None else [chosen])), message, twice=twice)


def send_form(table: Table, actor: MemberActor, form: InteractionResult, values: dict[str, str]) -> InteractionResult:
    """Send a form and don't wait for the answer."""
    assert form.modal is not None
    fields = [{"type": 18, "component": {"type": 4, "custom_id": name, "value": text}} for name, text in values.items()]
    return send(table.env, actor, {"custom_id": form.modal["custom_id"], "components": fields}, table.channel.id)


def pressing(custom_id: str, *values: str) -> dict[str, Any]:
    """Return what Discord says of a press, or of what is chosen from a list."""
    kind = ComponentType.STRING_SELECT if values else ComponentType.BUTTON
    return {"custom_id": custom_id, "component_type": kind} | ({"values": [*values]} if values else {})


def send(
    env: Env, who: MemberActor | UserHandle, data: dict[str, Any], on: Seen | int, *, twice: bool = False
) -> InteractionResult:
    """Send a press or a form on a message, or in a channel, and don't wait for the answer."""
    kind = InteractionType.MODAL_SUBMIT if "components" in data else InteractionType.MESSAGE_COMPONENT
    guild_id = who.guild.id if isinstance(who, MemberActor) else None
    channel_id = on.channel_id if isinstance(on, Seen) else on
    record, payload = base_payload(
        env.backend, type=kind, channel_id=channel_id, guild_id=guild_id, user_id=who.id, data=data
    )
    if isinstance(on, Seen):
        record.source_message_id = on.id
        payload["message"] = on.payload
    for _ in range(1 + twice):
        env.backend.emit("INTERACTION_CREATE", deepcopy(payload))
    return InteractionResult(env, record)


def told(result: InteractionResult) -> str:
    """Return what a press is answered with in private, whether it was acknowledged before or not."""
    (reply,) = result.followups or [answer(result)]
    assert reply.ephemeral
    return said(reply)


async def write(table: Table, sql: str, *parameters: str | int | None) -> None:
    """Change the database behind the bot's back."""
    await table.bot.services[Database].execute(sql, list(parameters))


async def unshown(table: Table) -> list[int]:
    """Return the numbers of the battles with changes that aren't shown yet."""
    return [battle.number for battle in await table.bot.services[PanelRepository].pending()]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the bot logged as its own mistake, or with a traceback."""
    ours = [record for record in caplog.records if record.name.startswith("fracas")]
    return [str(vars(record)) for record in ours if record.levelno >= logging.ERROR or record.exc_info]


async def tick(table: Table) -> float | None:
    """Let the bot look at the clocks."""
    return await table.bot.services[MaintenanceTasks].tick()


async def steps_after(table: Table, seconds: float) -> int:
    """Let time go by, let the bot look at the clocks, and return how many steps the battle has then."""
    table.clock.now += seconds
    await tick(table)
    return (await stored(table)).steps


def cut_off(table: Table) -> None:
    """Let no message be edited until the faults are cleared."""
    for where in ("/webhooks/*", "/channels/*"):
        table.env.inject_error("PATCH", where, status=400, code=50035, times=None)


async def set_clock(table: Table, judge: MemberActor, **options: object) -> str:
    """Type `/battle clock`, and return what is said."""
    return text_of(await table.run("battle clock", by=judge, **options))


async def tools(table: Table, judge: MemberActor) -> ResponseMessage:
    """Return the message with a referee's buttons."""
    return await table.run("battle referee", by=judge)


async def use(table: Table, judge: MemberActor, tool: str, values: dict[str, object]) -> str:
    """Open a referee's form, submit it, and return what is said."""
    form = await table.press(await tools(table, judge), tool, by=judge)
    return text_of(answer(await judge.submit_modal(form, values)))


async def kinds(table: Table) -> list[Kind]:
    """Return the kinds of the journal's rows."""
    return [row.kind for row in await table.bot.services[BattleRepository].journal((await stored(table)).id)]


def stranger(table: Table, **permissions: bool) -> MemberActor:
    """Let somebody else into the server, with these permissions."""
    guild = table.ann.guild
    roles = [guild.create_role("judge", permissions=discord.Permissions(**permissions))] if permissions else []
    return guild.add_member(table.env.create_user("judge" if permissions else "zoe"), roles=roles)


def outside(table: Table) -> UserHandle:
    """Return Ann where she is in no server: in her direct messages."""
    return UserHandle(table.env, table.env.backend.get_user(table.ann.id))


def elsewhere(table: Table, user: UserHandle) -> tuple[ChannelHandle, MemberActor]:
    """Make a channel in another server, and let somebody in who may manage messages there."""
    guild = table.env.create_guild()
    role = guild.create_role("judge", permissions=discord.Permissions(manage_messages=True))
    return guild.create_text_channel("elsewhere"), guild.add_member(user, roles=[role])


def the_bot(table: Table) -> UserHandle:
    """Return the bot as a player may name it."""
    assert table.bot.user is not None
    return UserHandle(table.env, table.env.backend.get_user(table.bot.user.id))
