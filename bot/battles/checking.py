"""Checks battles where people see them: from a panel in the channel, or from a journal that was posted as a file."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import discord

from bot.battles.journal import verify_battle, verify_text
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui.interactions import caller_of, defer, edit_reply, origin_of
from bot.ui.options import read_attachment
from bot.ui.text import plain_sentence
from sim.core.errors import RuleError
from sim.core.numbers import quantity
from sim.jobs.battle import CheckFile, FileReport

_BUTTON: Final = re.compile(r"b[12]:(?P<battle>[0-9]{1,18}):.*")
_JOURNAL: Final = ".jsonl"
_MAX_BYTES: Final = 1 << 20
_MAX_SENTENCE: Final = 1000


async def answer_check(interaction: Interaction, battle: Battle, noted: str | None = None) -> None:
    """Answer with the check of a battle of the channel; `noted`: as `check_last_hash` has it."""
    await defer(interaction, private=False)
    # Without what has been added since the battle was read.
    bot, repository = interaction.client, interaction.client.services[BattleRepository]
    rows = (await repository.journal_rows(battle.id))[: battle.version]
    states = await repository.states(battle.id, battle.version)
    report = await verify_battle(bot.simulator, battle, rows, states, caller_of(interaction), noted)
    await edit_reply(interaction, verify_text(battle, report, len(rows)))


async def check_message(interaction: Interaction, message: discord.Message) -> None:
    """Check the battle whose panel a message is, else the journal that is attached to it."""
    user = interaction.client.user
    if user is not None and message.author.id == user.id:
        for custom_id in _custom_ids(message.components):
            if (found := _BUTTON.fullmatch(custom_id)) is not None:
                battle = await interaction.client.services[BattleService].find(
                    int(found["battle"]), origin_of(interaction)
                )
                await answer_check(interaction, battle)
                return
    journal = next((file for file in message.attachments if file.filename.endswith(_JOURNAL)), None)
    if journal is None:
        raise RuleError(
            "This isn't a battle's panel, and no journal is attached: the .jsonl file from Files under /battle log."
        )
    await defer(interaction, private=False)
    upload = await read_attachment(journal, max_bytes=_MAX_BYTES)
    report = await interaction.client.simulator.run(CheckFile(data=upload.data), caller_of(interaction))
    presenters = interaction.client.services[Presenters]
    title = presenters.of(report.system).title if report.system in presenters else report.system
    await edit_reply(interaction, _file_text(upload.name, title, report))


def _custom_ids(components: Iterable[Any]) -> Iterator[str]:
    for each in components:
        if isinstance(getattr(each, "custom_id", None), str):
            yield each.custom_id
        yield from _custom_ids(getattr(each, "children", ()))


def _file_text(name: str, title: str, report: FileReport) -> str:
    """Return the answer for a file; that it is of a battle that was fought here, only its panel shows."""
    head = f"{'✅ Match' if report.mismatch is None else '❌ No match'}: {title}, {quantity(report.rows, 'row')}"
    lines = [f"### {head}", f"-# {plain_sentence(name, _MAX_SENTENCE)}"]
    if report.mismatch is not None:
        return "\n".join([*lines, f"The first difference: {plain_sentence(report.mismatch, _MAX_SENTENCE)}"])
    lines.append("Every row follows from the row before, the rules and the revealed seed.")
    lines += [f"-# {sentence}" for sentence in report.seal]
    lines.append(f"-# Final fingerprint `{report.last_hash}`: compare it with the one on the battle's panel")
    return "\n".join(lines)
