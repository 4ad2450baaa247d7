"""Joins battles, rates, undoes and ends them with the other players' consent, and opens their rematches.

Before a step is taken back or a battle is ended, its players read what that costs.
"""

import logging
from collections.abc import Sequence
from typing import Any

import discord

from bot.battles import BattleService, panel
from bot.battles import presenter as p
from bot.battles.clocks import battle_link, pinging, waiting_in
from bot.battles.endings import HasRematches, Rematch
from bot.battles.journal import stand_after
from bot.battles.opponents import CHARACTERS
from bot.battles.referee import when_text
from bot.battles.threads import wish_thread
from bot.battles.timetable import PlainNote, Reseat, read_note
from bot.client import Client, Interaction, undelivered
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import cooperative, off_loop
from bot.store.transactions import Commit, SeatChange, UndoRequestRepository, put_in_seat
from bot.ui import Style, text_view
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import acknowledge, edit_reply, origin_of, reply
from sim.core import RuleError
from sim.core.battle import REFEREE, Seat
from sim.core.journal import JournalRow, Kind, active_steps, seat_phrase, version_before
from sim.core.numbers import quantity
from sim.core.values import text_digest

_log = logging.getLogger("fracas.display")


class ConsentService:
    """Handles the buttons and commands that battles of every system share."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[BattleService]
        self._battles = bot.services[BattleRepository]
        self._undo_requests = bot.services[UndoRequestRepository]

    async def press(self, interaction: Interaction, battle_id: int, version: int, what: str, of: str) -> None:
        """Handle a press on a button that joins, brings or relieves the bot, undoes or ends."""
        await acknowledge(interaction)
        match what, of:
            case "join" | "bot" | "relieve", whom:
                take = {"join": self._join, "bot": self._fight_bot, "relieve": self._relieve_bot}[what]
                await take(interaction, battle_id, whom)
            case "accept", "rated":
                await self._accept(interaction, battle_id)
            case "resume", "clock":
                await self._resume(interaction, battle_id, version)
            case "agree", "undo":
                await self._agree_undo(interaction, battle_id, version)
            case "refuse", "undo":
                await self._refuse_undo(interaction, battle_id, version)
            case "undo", "referee":
                await self._undo_as_referee(interaction, battle_id, version)
            case "keep", _:
                await interaction.edit_original_response(view=text_view(["Nothing was changed."]))
            case "close", _:
                await self._end(interaction, battle_id, version, None)
            case "end", asker:
                await self._end(interaction, battle_id, version, asker)
            case _:
                raise RuleError(OUTDATED_BUTTON)

    async def ask_undo(self, interaction: Interaction, battle: Battle, version: int) -> discord.ui.LayoutView:
        """Request to undo the step that led to `version`, or undo it if nobody has to agree; return the answer.

        A referee without a seat is asked to confirm.
        """
        user_id = interaction.user.id
        async with (
            self._service.explain_conflicts(interaction),
            self._battles.locked(battle.id, origin_of(interaction)) as now,
        ):
            self._service.expect(now, version)
            at = await self._bot.services[p.Presenters].position(now)
            seat = panel.seat_or_referee(now, interaction)
            _expect_loose(now)
            rows = await self._battles.journal(now.id)
            version_before(rows)  # RuleError if there is no step
            last = active_steps(rows)[-1]
            if panel.is_outside(now, interaction):
                return undo_confirmation(at, last)
            if seat != REFEREE and last.actor not in {None, str(user_id)}:
                raise RuleError("Only the player who made the last step can take it back.")
            if asked := bool(panel.other_participants(now, user_id)):
                await self._undo_requests.ask(now.id, now.version, user_id, interaction.id)
            else:
                await self._undo(at, rows, seat, interaction)
        await self._service.publish(battle.id, interaction)
        if not asked:
            return _undo_view(at, "one step back")
        others = sorted(panel.other_participants(battle, user_id))
        who = " and ".join(f"<@{other}>" for other in others)
        ask = f"↩️ {who}: your OK, please, to take back a step of {battle_link(battle)}."
        await self._tell(battle, ask, others)
        return _undo_view(at, f"waiting for {who}'s OK")

    async def _tell(self, battle: Battle, text: str, user_ids: Sequence[int] = ()) -> None:
        """Post what the panel shows, too, but perhaps far above; it pings these users."""
        channel = self._bot.get_partial_messageable(battle.shown_in, guild_id=battle.guild_id)
        with undelivered(_log, "not_posted", battle=battle.id):  # such as in a server without the bot
            await channel.send(text, allowed_mentions=pinging(user_ids))

    async def ask_end(self, interaction: Interaction, battle: Battle) -> None:
        """Answer a command: show what ending the battle loses, and ask the user alone, or the others, to end it."""
        if not battle.is_open:
            raise RuleError(f"#{battle.number} is over.")
        at = await self._bot.services[p.Presenters].position(battle)
        if await self._may_end_alone(interaction, battle):
            lines = [f"### End #{battle.number} now?", at.fighters, *_lost(at)]
            end = panel.consent_button(battle, "close", "alone", "End it", "🏁", Style.danger)
            keep = panel.consent_button(battle, "keep", "end", "Keep playing", "✖️")
            await reply(interaction, text_view(["\n".join(lines)], buttons=[end, keep]))
            return
        # It names nobody, so the message can stay when a person's data is deleted.
        asker = next(iter(battle.seats_of(interaction.user.id)), STARTER)
        who = "The player who opened it" if asker == STARTER else seat_phrase(asker).capitalize()
        lines = [f"{who} wants to end #{battle.number} as it stands. Does another player agree?", *_lost(at)]
        agree = panel.consent_button(battle, "end", asker, "Agree to end", "🏁")
        await interaction.response.send_message(view=text_view(["\n".join(lines)], buttons=[agree]))

    async def _may_end_alone(self, interaction: Interaction, battle: Battle) -> bool:
        """Return whether the user may end a battle without the others' consent; RuleError if consent wouldn't help."""
        user_id = interaction.user.id
        if panel.is_outside(battle, interaction):
            return True
        if not battle.has_part(user_id):
            raise RuleError(f"Only players in #{battle.number}, the one who opened it or a mod can end it.")
        others = {str(other) for other in panel.other_participants(battle, user_id)}
        if not others or user_id != battle.starter_id:
            return not others
        presenter = self._bot.services[p.Presenters].of(battle.system)
        # Whether any of them took a step, undone ones too; joining and leaving don't count.
        async for row in cooperative(await self._battles.journal(battle.id)):
            played = row.kind is Kind.STEP and row.actor in others
            if played and not (isinstance(presenter, p.DropIn) and presenter.seat_changes(row.events, None)):
                return False
        return True

    async def _join(self, interaction: Interaction, battle_id: int, seat: Seat) -> None:
        async with self._service.changing(interaction, battle_id) as at:
            if at.battle.place(seat) is None:
                raise RuleError("This battle has no such seat.")
            if at.battle.joining_closed:
                raise RuleError(p.JOINING_CLOSED.format(at.battle.number))
            battle = await self._battles.take_seat(battle_id, seat, interaction.user.id, interaction.id)
            await self._service.seated(interaction, battle)

    async def _fight_bot(self, interaction: Interaction, battle_id: int, character: str) -> None:
        """Give the free seats to a character of the bot, but the first to a user who has none."""
        async with self._service.changing(interaction, battle_id) as at:
            battle, user_id = at.battle, interaction.user.id
            if character not in CHARACTERS or not panel.invites_bot(at):
                raise RuleError(OUTDATED_BUTTON)
            free = [place for place in battle.places if place.is_open]
            if len(free) == 1 and not set(battle.seats_of(user_id)) - {REFEREE}:
                raise RuleError(f"Only players in #{battle.number} can choose the bot: press Join to fight yourself.")
            battle = await self._battles.seat_bot(battle_id, character, user_id, interaction.id)
            await self._service.seated(interaction, battle)

    async def _relieve_bot(self, interaction: Interaction, battle_id: int, seat: Seat) -> None:
        """Let a user without a seat take over the bot's."""
        async with self._service.changing(interaction, battle_id) as at:
            battle, user_id = at.battle, interaction.user.id
            place = battle.place(seat)
            if not battle.is_open or place is None or not place.is_bot:
                raise RuleError("The bot doesn't have that seat any more.")
            if battle.joining_closed:
                raise RuleError(p.JOINING_CLOSED.format(battle.number))
            panel.expect_unseated(battle, user_id)
            note = Reseat(at=int(self._bot.clock()), seat=seat, when=when_text(at))
            hook = put_in_seat(battle.id, seat, user_id, left_at=battle.version + 1)
            await self._service.note(battle, note, seat, actor_id=user_id, interaction=interaction, hook=hook)

    async def _accept(self, interaction: Interaction, battle_id: int) -> None:
        async with self._service.changing(interaction, battle_id) as at:
            battle = at.battle
            if not set(battle.seats_of(interaction.user.id)) - {REFEREE}:
                raise RuleError(f"Only players in #{battle.number} can accept that.")
            if battle.is_open and battle.steps:
                raise RuleError(f"#{battle.number} has begun, so it's too late to have it rated.")
            await self._battles.agree(battle_id, interaction.user.id, interaction.id)

    async def _resume(self, interaction: Interaction, battle_id: int, version: int) -> None:
        async with self._service.changing(interaction, battle_id, version) as at:
            seat = panel.seat_or_referee(at.battle, interaction)
            waiting = await waiting_in(self._bot, at)
            if waiting is None or not waiting.clock.absent:
                raise RuleError(f"The clock of #{at.battle.number} isn't stopped.")
            note = PlainNote(do="go-on", at=int(self._bot.clock()))
            user_id = interaction.user.id
            await self._service.note(at.battle, note, seat, actor_id=user_id, interaction=interaction)

    async def _agree_undo(self, interaction: Interaction, battle_id: int, version: int) -> None:
        async with self._service.changing(interaction, battle_id, version) as at:
            request = await self._undo_requests.pending(battle_id)
            if request is None or request.version != at.battle.version:
                raise RuleError("This request is no longer open.")
            seat = panel.seat_or_referee(at.battle, interaction)
            if interaction.user.id == request.user_id:
                raise RuleError("The other side has to agree, not you.")
            await self._undo(at, await self._battles.journal(battle_id), seat, interaction)

    async def _undo_as_referee(self, interaction: Interaction, battle_id: int, version: int) -> None:
        async with self._service.changing(interaction, battle_id, version) as at:
            if not panel.is_outside(at.battle, interaction):
                raise RuleError(f"Only a referee who has no seat in #{at.battle.number} can do that alone.")
            await self._undo(at, await self._battles.journal(battle_id), REFEREE, interaction)
        await interaction.edit_original_response(view=_undo_view(at, "one step back"))

    async def _refuse_undo(self, interaction: Interaction, battle_id: int, version: int) -> None:
        async with self._service.changing(interaction, battle_id, version) as at:
            battle = at.battle
            panel.seat_or_referee(battle, interaction)
            await self._undo_requests.withdraw(battle_id)
        await self._tell(battle, f"✖️ <@{interaction.user.id}> said no: the last step of {battle_link(battle)} stays.")

    async def _undo(
        self, at: p.Position[Any], rows: Sequence[JournalRow], seat: Seat, interaction: Interaction
    ) -> None:
        battle, presenter, back_to = at.battle, at.presenter, version_before(rows)
        _expect_loose(battle)
        state_json = (await stand_after(self._bot, battle, rows[:back_to])).state
        seat_changes: list[SeatChange] = []
        if isinstance(presenter, p.DropIn):  # otherwise seats never change, and long rows needn't be parsed
            steps = [row.events async for row in cooperative(rows) if row.kind is Kind.STEP]
            seats = {change.seat for events in steps for change in presenter.seat_changes(events, None)}
            seat_changes = [SeatChange(each, here=False) for each in sorted(seats)]
            seat_changes += await seats_at(presenter, rows, back_to)
        undone, user_id = text_digest(state_json), interaction.user.id
        row = battle.next_row(Kind.UNDO, seat, actor_id=user_id, state_hash=undone, back_to=back_to)
        commit = Commit([row], state_json, seat_changes=seat_changes)
        back = {
            one.seat: one.user_id for one in seat_changes if one.here and battle.holders.get(one.seat) != one.user_id
        }
        async with self._service.arriving(presenter, state_json, back):
            await self._battles.commit(battle.id, battle.version, interaction.id, commit)

    async def _end(self, interaction: Interaction, battle_id: int, version: int, asker: str | None) -> None:
        """End a battle as it stands: for the `asker`, by a seat, as the other side agrees, or for a user alone."""
        user_id = interaction.user.id
        async with self._service.changing(interaction, battle_id, version, aside=asker is not None) as at:
            battle = at.battle
            own = battle.seats_of(user_id)
            if asker is None:
                if not await self._may_end_alone(interaction, battle):
                    raise RuleError("The other side has to agree: ask with /battle end.")
            elif not panel.is_outside(battle, interaction):
                asker_id = battle.starter_id if asker == STARTER else battle.holders.get(asker)
                if not own or user_id == asker_id:
                    raise RuleError("The other side has to agree.")
                if asker_id is None:
                    raise RuleError("The player who asked for this has left the battle.")
            row = battle.next_row(Kind.END, own[0] if own else REFEREE, actor_id=user_id)
            commit = Commit([row], battle.state_json)
            await self._battles.commit(battle.id, battle.version, interaction.id, commit)
        how = "has ended, and its seed is revealed" if asker is None else "was ended by agreement"
        await edit_reply(interaction, f"🏁 #{battle.number} {how}.")


async def seats_at(presenter: p.DropIn, entries: Sequence[JournalRow], version: int) -> list[SeatChange]:
    """Return the changes that fill the seats of a battle without any as they were at a version."""
    # An undo takes no note back: who took over a seat keeps it for as long as there is such a seat.
    notes = [entry for entry in entries if entry.kind is Kind.SEATS]
    there: dict[Seat, SeatChange] = {}
    async for entry in cooperative(sorted((*active_steps(entries[:version]), *notes), key=lambda entry: entry.n)):
        holder = None if entry.actor is None else int(entry.actor)
        if entry.kind is Kind.STEP:
            for change in presenter.seat_changes(entry.events, holder):
                if change.here:
                    there[change.seat] = change
                else:
                    there.pop(change.seat, None)
        elif isinstance(note := read_note(entry).what, Reseat) and note.seat in there:
            there[note.seat] = SeatChange(note.seat, holder)
    return list(there.values())


def _expect_loose(battle: Battle) -> None:
    if battle.bond is not None:
        raise RuleError(battle.bond)


STARTER = "starter"
"""Stands for a seat where somebody without one, who started the battle, asks to end it."""


def undo_confirmation(at: p.Position[Any], last: JournalRow) -> discord.ui.LayoutView:
    """Lay out the question to a referee whether to take back the `last` step of a battle that others fight."""
    lines = [
        f"### Undo step {last.n} of #{at.battle.number}?",
        f"{at.label}: {at.fighters}",
        f"-# Made by {seat_phrase(last.seat)}. {p.mixin_of(at.presenter, p.Ranked).undo_note}".strip(),
    ]
    undo = panel.consent_button(at.battle, "undo", "referee", "Undo", "↩️", Style.danger)
    return text_view(["\n".join(lines)], buttons=[undo, panel.consent_button(at.battle, "keep", "undo", "Keep", "✖️")])


def _undo_view(at: p.Position[Any], done: str) -> discord.ui.LayoutView:
    note = p.mixin_of(at.presenter, p.Ranked).undo_note
    return text_view([f"↩️ #{at.battle.number}: {done}. {note}".strip()])


def _lost(at: p.Position[Any]) -> list[str]:
    """Return what ending a battle loses, without anybody's name."""
    battle = at.battle
    people = quantity(len(set(battle.holders.values())), "person", "people")
    return [
        f"{at.label}: {quantity(battle.steps, 'step')}, {people}.",
        f"No winner. This can't be undone. {p.mixin_of(at.presenter, p.Ranked).end_note}".strip(),
        f"-# Its log and files stay in `/battle log number:{battle.number}`.",
    ]


async def open_rematch(interaction: Interaction, battle_id: int, *, swap: bool) -> None:
    """Answer a press with a new battle; RuleError for anybody but its players, and while a rematch is open."""
    services = interaction.client.services
    service, battles = services[BattleService], services[BattleRepository]
    # Under the lock two presses at the same time open one rematch.
    async with service.explain_conflicts(interaction), battles.locked(battle_id, origin_of(interaction)) as battle:
        if battle.is_open:
            raise RuleError(f"#{battle.number} isn't over yet.")
        if not battle.has_part(interaction.user.id):
            raise RuleError(f"Only players in #{battle.number}, or its opener, can start a rematch.")
        at = await services[p.Presenters].position(battle)
        presenter, own = at.presenter, p.mixin_of(at.presenter, HasRematches)
        other = dict(zip(own.sides, reversed(own.sides), strict=True)) if swap else {}
        holders = {} if isinstance(presenter, p.DropIn) else {place.seat: place for place in battle.places}
        places = [holders[other.get(seat, seat)].moved(seat) for seat in holders]
        same = Rematch(await _setup_of(presenter, battle), places)
        again = own.rematch(same, battle, at.state, swap=swap)
        if (found := await _open_already(battles, at, again)) is not None:
            raise RuleError(f"The rematch is open already: #{found.number}.")
        if battle.thread_id is not None:
            wish_thread(interaction, wanted=True)
        await service.open(interaction, battle.system, again.setup, again.places, first=again.first)


async def _open_already(battles: BattleRepository, at: p.Position[Any], again: Rematch) -> Battle | None:
    """Return an open battle of the same people, or of anybody who joins, with the setup of the rematch."""
    battle, presenter = at.battle, at.presenter
    people = {place.user_id for place in again.places} - {None}
    for other in await battles.open_in(battle.channel_id):
        if other.system != battle.system or other.created_at < battle.updated_at:
            continue
        same_people = isinstance(presenter, p.DropIn) or people == set(other.holders.values())
        if same_people and await _setup_of(presenter, other) == again.setup:
            return other
    return None


async def _setup_of(presenter: p.AnyPresenter, battle: Battle) -> object:
    return await off_loop(len(battle.setup_json), presenter.system.setups.read_json, battle.setup_json)
