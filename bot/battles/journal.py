"""The journal of a battle: the log as lines, pages and files, its replay and check, and why players can trust the dice.

A replay runs in workers, in parts side by side, in chunks that get smaller if they take too long.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discord

from bot.answers import Answer, PagedQuery
from bot.answers.document import Document, Page, lazy_pages, room
from bot.battles import BattleService
from bot.battles.clocks import note_line
from bot.battles.panel import foot_line
from bot.battles.presenter import GREY, Chance, HasFiles, HidesInformation, Position, Presenters, mixin_of
from bot.battles.publisher import ReplaySite
from bot.battles.timetable import read_note
from bot.client import Client, Interaction
from bot.result_cache import CachingSimulator
from bot.store import OWN_WORK
from bot.store.battle import Battle, branch_text
from bot.store.battles import BattleRepository
from bot.store.database import cooperative
from bot.ui import message_url, plain, plain_sentence
from bot.ui.interactions import caller_of, defer, edit_reply, origin_of
from bot.ui.options import read_attachment
from sim.core import RuleError
from sim.core.journal import Journal, JournalRow, Kind, Mismatch, row_line
from sim.core.journal_file import dump_lines
from sim.core.numbers import quantity
from sim.core.replay import VerifyReport, check_end, check_last_hash, compare_outcomes
from sim.core.seal import PostedSeal
from sim.jobs.battle import MAX_ROWS, CheckChain, CheckFile, Checkpoint, CheckSeal, ReplayChunk, starts
from sim.workers.queue import Caller, OverrunError

MAX_LINE = 600
"""UTF-16 units of a log line on a page; the file has the whole line."""


async def log_lines(at: Position[Any], entries: Sequence[JournalRow], caller: Caller | None = None) -> list[str]:
    """Return the log, a line for each event; undone steps stay in it."""
    steps = [entry for entry in entries if entry.kind is Kind.STEP]
    narrated = iter(await at.presenter.narrate(at.battle, at.state, steps, caller))
    lines: list[str] = []
    async for entry in cooperative(entries):
        match entry.kind:
            case Kind.STEP:
                lines += next(narrated)
            case Kind.CLOCK | Kind.SEATS:
                lines.append(note_line(read_note(entry).what))
            case _:
                lines.append(row_line(entry))
    return lines


def visible_rows(at: Position[Any], entries: Sequence[JournalRow]) -> int | None:
    """Return how many of the first rows everybody may see; None if not even the setup before them."""
    hides = mixin_of(at.presenter, HidesInformation)
    hidden = hides.hidden_rows(at.battle, at.state, entries) if at.battle.is_open else 0
    return None if hidden is None else len(entries) - hidden


async def battle_files(
    at: Position[Any], entries: Sequence[JournalRow], caller: Caller | None = None
) -> dict[str, bytes]:
    """Return the log as text, the system's own files, and the journal up to the first hidden row.

    They contain the seed only once the battle is closed.
    """
    battle = at.battle
    head = [f"#{battle.number} {at.presenter.title}", f"Seed's SHA-256: {battle.seed_hash}"]
    if battle.revealed is not None:
        head += [f"Seed: {battle.revealed.hex()}", f"Final fingerprint: {battle.last_hash}"]
    head += filter(None, [branch_text(battle)])
    name = f"battle-{battle.number}"
    lines = await log_lines(at, entries, caller)
    files = {f"{name}.txt": "\n".join([*head, "", *lines, ""]).encode()}
    files |= await mixin_of(at.presenter, HasFiles).files(battle, at.state, entries, caller)
    if (visible := visible_rows(at, entries)) is None:
        return files
    # A file can't be recalled when a person's data is deleted, so it names nobody; verifying needs no actors.
    rows = tuple([replace(entry, actor=None) async for entry in cooperative(entries[:visible])])
    journal = Journal(battle.head, rows, battle.revealed, battle.outcome)
    lines = [line async for line in cooperative(dump_lines(journal))]
    files[f"{name}.jsonl"] = "".join(lines).encode()
    return files


class LogQuery(PagedQuery):
    """A request for a battle's log."""

    stored_as = "battle-log"
    has_form = False

    battle_id: int

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the log as pages; as files the log as text, and the journal."""
        battle = await bot.services[BattleService].find(self.battle_id, OWN_WORK)
        battles, presenters = bot.services[BattleRepository], bot.services[Presenters]

        async def write() -> Document:
            entries, at = await battles.journal(battle.id), await presenters.position(battle)
            whole = visible_rows(at, entries) == len(entries)
            lines = [at.presenter.shown_line(line) for line in await log_lines(at, entries, caller)]
            watch = await bot.services[ReplaySite].line(battle, battles)
            hidden = "" if whole else "-# What this battle hides is revealed when it is over."
            more = filter(None, [watch, foot_line(battle), hidden])
            head = "\n".join([f"### #{battle.number} {at.presenter.title}: the log", *more])
            written = partial(plain, limit=MAX_LINE)  # players' names are in it
            ranges = lazy_pages(lines or ["Nothing has happened yet."], written, MAX_LINE, room(head))
            return Document(head, GREY, [Page(f"Lines {start + 1} to {end}", page) for start, end, page in ranges])

        async def files() -> dict[str, bytes]:
            entries = await battles.journal(battle.id)
            return await battle_files(await presenters.position(battle), entries, caller)

        # Every page turn needs the whole log again.
        document = await bot.simulator.through(("battle-log", battle.id, battle.version), write)
        return Answer(document, files)


_PARTS = 4
"""How many smaller chunks replace one that takes too long."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A battle with the rows of its journal to go through; the seed, which may be secret, goes only to the workers."""

    simulator: CachingSimulator
    battle: Battle
    rows: Sequence[JournalRow]
    caller: Caller | None = None

    async def verify(self, states: Mapping[int, str], noted: str | None = None) -> VerifyReport:
        """Verify a battle from its whole journal.

        `states`: those that were kept, by version, where the parts may start. `noted`: as `check_last_hash` has it.
        """
        battle, rows, head = self.battle, self.rows, self.battle.head
        checks = [CheckChain.following(head, rows, battle.seed, 0)]  # of the head and of the rows' chain
        while (checked := sum(len(check.rows) for check in checks)) < len(rows):
            checks.append(CheckChain.following(head, rows, battle.seed, checked))
        mismatch = next(filter(None, await self.simulator.map(checks, self.caller)), None)
        posted = PostedSeal(battle.seal.hash, battle.seal_id) if battle.seal and battle.seal_id else None
        if mismatch is None:
            mismatch, seal = await self.simulator.once(CheckSeal.of(head, rows, posted), self.caller)
        if mismatch is not None:
            return VerifyReport(mismatch)
        found = await self.run(starts(rows, states))
        if isinstance(found, Mismatch):
            return VerifyReport(found)
        if len(rows) != battle.version:
            sentence = f"The battle is at version {battle.version}, but its journal has {quantity(len(rows), 'row')}."
            return VerifyReport(Mismatch(None, sentence))
        mismatch = check_end(rows, closed=not battle.is_open) or check_last_hash(head.hash, rows, noted)
        if mismatch is not None:
            return VerifyReport(mismatch)
        return replace(compare_outcomes(found.outcome, battle.outcome), seal=tuple(seal))

    async def run(self, parts: Sequence[Checkpoint | None] = (None,), *, dice: bool = False) -> Checkpoint | Mismatch:
        """Return the checkpoint after all rows, or the first mismatch; each part goes on to where the next one starts.

        `dice`: with what was thrown since the last start.
        """
        head, rows, seed = self.battle.head, self.rows, self.battle.seed
        at, mismatch, most = list(parts), None, MAX_ROWS
        ends = [*(part.version for part in parts[1:] if part is not None), len(rows)]
        while going := [part for part, end in enumerate(ends) if (start := at[part]) is None or start.version < end]:
            jobs = [ReplayChunk.following(head, rows[: ends[part]], seed, at[part], most, dice=dice) for part in going]
            try:
                reports: list[Checkpoint | Mismatch] = await self.simulator.map(jobs, self.caller)
            except OverrunError:
                if most <= 1:
                    raise
                most = max(1, max(len(job.rows) for job in jobs) // _PARTS)
                continue
            for part, report in zip(going, reports, strict=True):
                if isinstance(report, Mismatch):
                    mismatch = report
                    del ends[part:]  # only what comes before could differ earlier
                    break
                at[part] = report
        last = mismatch or at[-1]
        if last is None:
            raise AssertionError("a replay of nothing has a checkpoint, too")
        return last


async def stand_after(bot: Client, battle: Battle, rows: Sequence[JournalRow]) -> Checkpoint:
    """Return how the battle stood after the first rows of its journal, from the last state on that was kept."""
    states = await bot.services[BattleRepository].states(battle.id, len(rows))
    found = await Replay(bot.simulator, battle, rows).run(starts(rows, states)[-1:])
    if isinstance(found, Mismatch):
        raise RuleError(f"This battle can't be replayed: {found.sentence}")
    return found


_OFFLINE = "python -m sim verify --hash HASH"
_MAX_SENTENCE = 1000
_MAX_BYTES = 1 << 20


def fairness_text(battle: Battle, chance: Chance) -> str:
    """Return why the dice can be trusted, and how to check the battle; in private, as few want to know."""
    number = battle.number
    lines = [f"### {chance.question}"]
    if chance.each is None:
        lines.append("This game has no dice: all of it follows from the rules and from what the players do.")
    elif battle.chain is not None:
        lines.append(_sealed_text(battle))
    else:
        lines.append(
            f"The bot drew a secret seed when #{number} opened. Every {chance.each} follows from it, so no player can"
            f" choose one; the seed is revealed at the end, so you can check. Only a public beacon could show that "
            f"the host didn't choose the seed, and there is none here."
        )
    if chance.each is not None:
        if battle.revealed is not None:
            lines.append(f"The seed:\n`{battle.seed.hex()}`")
        lines.append(f"Its SHA-256, fixed since the battle opened:\n`{battle.seed_hash}`")
    if battle.is_open:
        lines.append(f"-# `/battle verify number:{number}` replays what has happened so far.")
    else:
        lines.append(f"The battle's final fingerprint:\n`{battle.previous_hash}`")
        lines.append(
            f"-# `/battle verify number:{number}` replays it all. To check it without the bot, take the .jsonl of the"
            f" files of `/battle log number:{number}`: `{_OFFLINE} battle-{number}.jsonl`"
        )
    return "\n\n".join(lines)


def _sealed_text(battle: Battle) -> str:
    """Return what holds for a battle whose dice a beacon has a part in, and what doesn't, in at most 60 words."""
    text = (
        "Nobody can choose these dice, not even the host: they follow from the bot's secret seed and {round} of"
        " [drand](https://drand.love), public chance still to come when {seal} was posted. But once that round is out,"
        " a host who looks knows the rolls to come, and may refuse a press or end a battle. To check:"
        " `/help command:battle verify`"
    )
    seal = battle.seal
    if seal is None:
        return text.format(round="a round", seal="a seal")
    if battle.seal_id is None:
        late = "The seal of this battle didn't come in time, so its host could have chosen its dice."
        return f"{late} They follow from the bot's seed and from round {seal.round} of {seal.beacon.name}."
    where = f"[the seal]({message_url(battle.guild_id, battle.shown_in, battle.seal_id)})"
    return text.format(round=f"round {seal.round}", seal=where)


async def answer_check(interaction: Interaction, battle: Battle, noted: str | None = None) -> None:
    """Answer with the check of a battle of the channel; `noted`: as `check_last_hash` has it."""
    await defer(interaction, private=False)
    # Without what has been added since the battle was read.
    bot, repository = interaction.client, interaction.client.services[BattleRepository]
    rows = (await repository.journal(battle.id))[: battle.version]
    states = await repository.states(battle.id, battle.version)
    report = await Replay(bot.simulator, battle, rows, caller_of(interaction)).verify(states, noted)
    lines = [f"### {'✅ Match' if report.match else '❌ No match'}: #{battle.number}, {quantity(len(rows), 'row')}"]
    if report.mismatch is not None:
        lines.append(f"The first difference: {plain_sentence(report.mismatch.sentence, _MAX_SENTENCE)}")
    elif battle.revealed is None:
        lines.append("Every row follows from the row before, the rules and the dice so far.")
    else:
        lines.append("Every row follows from the row before, the rules and the revealed seed.")
    lines += [f"-# {sentence}" for sentence in report.seal]
    if battle.revealed is None:
        lines.append(f"-# The seed is revealed at the end. Its SHA-256: `{battle.seed_hash}`")
    else:
        lines.append(f"-# Seed `{battle.revealed.hex()}`, SHA-256 `{battle.seed_hash}`")
        lines.append(f"-# Final fingerprint `{battle.previous_hash}`")
        lines.append(f"-# Offline, with the .jsonl of `/battle log`: `{_OFFLINE} FILE`")
    await edit_reply(interaction, "\n".join(lines))


async def check_message(interaction: Interaction, message: discord.Message) -> None:
    """Check the battle whose panel a message is, else the journal that is attached to it."""
    user = interaction.client.user
    if user is not None and message.author.id == user.id:
        for custom_id in _custom_ids(message.components):
            if (found := re.fullmatch("b[12]:([0-9]{1,18}):.*", custom_id)) is not None:
                service = interaction.client.services[BattleService]
                battle = await service.find(int(found[1]), origin_of(interaction))
                await answer_check(interaction, battle)
                return
    journal = next((file for file in message.attachments if file.filename.endswith(".jsonl")), None)
    if journal is None:
        raise RuleError(
            "This isn't a battle's panel, and no journal is attached: the .jsonl file from Files under /battle log."
        )
    await defer(interaction, private=False)
    upload = await read_attachment(journal, max_bytes=_MAX_BYTES)
    report = await interaction.client.simulator.run(CheckFile(data=upload.data), caller_of(interaction))
    presenters = interaction.client.services[Presenters]
    title = presenters.of(report.system).title if report.system in presenters else report.system
    # Nothing here says that it was fought here: only its panel shows that.
    head = f"{'✅ Match' if report.mismatch is None else '❌ No match'}: {title}, {quantity(report.rows, 'row')}"
    lines = [f"### {head}", f"-# {plain_sentence(upload.name, _MAX_SENTENCE)}"]
    if report.mismatch is not None:
        lines.append(f"The first difference: {plain_sentence(report.mismatch, _MAX_SENTENCE)}")
    else:
        lines.append("Every row follows from the row before, the rules and the revealed seed.")
        lines += [f"-# {sentence}" for sentence in report.seal]
        lines.append(f"-# Final fingerprint `{report.last_hash}`: compare it with the one on the battle's panel")
    await edit_reply(interaction, "\n".join(lines))


def _custom_ids(components: Iterable[Any]) -> Iterator[str]:
    for each in components:
        if isinstance(getattr(each, "custom_id", None), str):
            yield each.custom_id
        yield from _custom_ids(getattr(each, "children", ()))
