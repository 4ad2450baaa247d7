"""Battles in channels, for every game. Here: every change locks the battle, commits once, then refreshes the panel."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot import store
from bot.battles import presenter as p
from bot.battles.clocks import clock_notes, expect_time
from bot.battles.opponents import CHARACTERS
from bot.battles.panel import expect_new, expect_ready, is_referee, seat_for
from bot.battles.publisher import PanelPublisher, lacks_access
from bot.battles.sealing import SealService, waiting_text
from bot.battles.threads import ThreadService
from bot.battles.timetable import STAND_IN, AnyNote, kind_of, note_json
from bot.beacon import BeaconClient
from bot.client import UNDELIVERED, Client, Interaction, mark_answered, mark_done, undelivered
from bot.logging_setup import event
from bot.store import OWN_WORK, Origin
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository, ServerHoursRepository
from bot.store.transactions import Commit, OpeningHook, TransactionHook
from bot.ui.error_replies import MarkdownError
from bot.ui.interactions import acknowledge, caller_of, channel_of, defer, edit_reply, is_private, origin_of
from sim.core import RuleError
from sim.core.battle import CLOCK, REFEREE, Seat
from sim.core.journal import Branch, Kind, seat_phrase
from sim.core.seal import made_at
from sim.core.values import canonical
from sim.jobs.battle import Advance, Begin

_log = logging.getLogger("fracas.arena")


class UnshownError(RuleError):
    """The change was committed, but the panel can't be published now; `soon`: the bot will try again by itself."""

    def __init__(self, *, soon: bool) -> None:
        later = "Discord doesn't let me show it just now: the panel follows soon"
        never = "I have no access to this channel: /battle show shows how it stands"
        super().__init__(f"Done, but {later if soon else never}.")


@dataclass(frozen=True, slots=True)
class ResolvedAction(p.Offer[Any]):
    """An action that a user may take in a battle as it was read, and the seat in which they take it."""

    seat: Seat


class BattleService:
    """Opens battles and applies the players' actions."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._battles = bot.services[BattleRepository]
        self._publisher = bot.services[PanelPublisher]
        self._seals = bot.services[SealService]
        self._threads = bot.services[ThreadService]
        self._opening = asyncio.Lock()

    async def open(
        self,
        interaction: Interaction,
        system: str,
        setup: object,
        places: Sequence[Place] = (),
        *,
        hook: OpeningHook | None = None,
        first: Sequence[tuple[object, Seat]] = (),
        branch: Branch | None = None,
    ) -> Battle | None:
        """Open a battle as the answer to a command, and return it as opened, None if that was done before.

        RuleError for an invalid setup.

        `setup`: the system's type, or its text. `hook`: writes more in the transaction that opens it. `first`: actions
        that the user takes at once, each in a seat, up to the first one that the rules don't allow. `branch`: where it
        begins, if that isn't as the setup says.
        UnshownError, a RuleError, if the battle was opened but can't be shown now.
        """
        await defer(interaction, private=False)  # first: a worker may keep it waiting
        presenter = self._bot.services[p.Presenters].of(system)
        begins = None if branch is None else canonical(dict(branch))
        setup_json = setup if isinstance(setup, str) else presenter.system.setups.write_json(setup)
        job = Begin(system=system, setup_json=setup_json, branch_json=begins)
        begun = await self._bot.simulator.once(job, caller_of(interaction))
        if begun.outcome is not None:
            raise RuleError(f"There is nothing to fight: {begun.outcome.why}.")
        hours = await self._bot.services[ServerHoursRepository].get(interaction.guild_id)
        state = await presenter.states.read(begun.state_json)
        has_dice = presenter.chance_in(state).in_steps
        chain = self._bot.services[BeaconClient].chain if has_dice and hours.beacon else None
        notes = [*clock_notes(presenter, state, hours, int(self._bot.clock()))]
        if chain is not None and (first or not p.free_seats(presenter, places)):
            notes.append(self._seals.note(made_at(interaction.id)))
        home = await self._battles.home_of(channel_of(interaction))
        site, no_thread = await self._threads.site(interaction)
        here = None if site is not None or home == interaction.channel_id else interaction.channel_id
        battle, answer_id = None, interaction.extras.get("answer_id")
        async with self.explain_conflicts(interaction):
            with self._publisher.opening(answer_id):
                # The heroes of a branch are copies.
                comers = {place.seat: place.user_id for place in places if branch is None}
                async with self.arriving(presenter, begun.state_json, comers):
                    battle = await self._battles.open(
                        system=system,
                        rules=presenter.system.rules,
                        setup_json=begun.setup_json,
                        state_json=begun.state_json,
                        channel_id=home,
                        thread_id=here,
                        guild_id=interaction.guild_id,
                        starter_id=interaction.user.id,
                        places=places,
                        interaction_id=interaction.id,
                        answer_id=answer_id,
                        chain=chain,
                        notes=notes,
                        hook=hook,
                        branch=begins,
                    )
                if site is not None:  # before the seal, which is posted there
                    battle, no_thread = await self._threads.open(interaction, battle, site)
                if battle.seal is not None:
                    self._seals.watch(battle.id)
                if chain is None:
                    await self._take_first(battle, first, interaction)
            async with self._explain_unpublished(battle.id, interaction):
                if battle.thread_id in {None, interaction.channel_id}:
                    await self._publisher.post(battle.id, interaction)
                else:  # the answer is the line about its thread
                    await self._publisher.refresh(battle.id)
            await self._threads.tell(interaction, no_thread)
            if chain is not None and first:  # the panel counts down meanwhile
                await self._take_first(battle, first, interaction)
                await self.publish(battle.id, interaction)
        return battle

    @asynccontextmanager
    async def arriving(
        self, presenter: p.AnyPresenter, state_json: str, comers: Mapping[Seat, int | None]
    ) -> AsyncIterator[None]:
        """Let what happens inside bring these people into a battle; RuleError if one's fighter is in another one."""
        heroes = presenter if comers and isinstance(presenter, p.HasHeroes) else None
        async with nullcontext() if heroes is None else self._opening:  # two at once don't send one fighter twice
            if heroes is not None:
                await heroes.expect_free(await presenter.states.read(state_json), comers)
            yield

    async def _take_first(self, battle: Battle, first: Sequence[tuple[object, Seat]], interaction: Interaction) -> None:
        """Take the actions of the user who has opened a battle, once it has its dice."""
        with suppress(RuleError):  # it stays as it is then, and a press on the action's button says why
            if battle.chain is not None:
                await self._seals.wait(battle.id, interaction, named=False)
            for action, seat in first:
                async with self._battles.locked(battle.id, OWN_WORK) as now:
                    await self.step(now, action, seat, interaction, opening=True)

    async def press(self, interaction: Interaction, battle_id: int, version: int, name: str) -> ResolvedAction | None:
        """Handle a press on an action's button: take the action, or return it if its form is to be opened."""
        async with self.explain_conflicts(interaction):
            battle = await self.find(battle_id, origin_of(interaction))
            resolved = await self.resolve(interaction, battle, version, name)
            if resolved.legal.action is None:
                forms = p.mixin_of(resolved.presenter, p.HasForms)
                return None if await forms.ask(interaction, resolved, resolved.seat) else resolved
            said, pressed = None, interaction.message and interaction.message.id
            if is_private(interaction) and battle.panel_id not in {None, pressed}:
                said = partial(edit_reply, interaction, f"✅ #{battle.number}: done.")  # it can't be pressed again
            await self.act(interaction, battle_id, version, name, None, known=resolved, answered=said)
        return None

    async def resolve(self, interaction: Interaction, battle: Battle, version: int | None, name: str) -> ResolvedAction:
        """Return an action that the user may take now, after all checks in order; acknowledge it if it needs no form.

        `version`: None for an action that may be taken at any version. BattleOverError, StaleError for an older
        version; RuleError while a seat is free, if the action isn't legal, not yet, or not for this user.
        """
        self.expect(battle, battle.version if version is None else version)
        at = await self._bot.services[p.Presenters].position(battle)
        expect_ready(at)
        offer = at.offer(name)
        own = set(battle.seats_of(interaction.user.id))
        if not (own & set(offer.legal.seats) or is_referee(interaction, battle)):
            late = (other for other in at.legal_actions if other.name == f"{name}{STAND_IN}")
            offer = replace(offer, legal=next((other for other in late if own & set(other.seats)), offer.legal))
        if offer.legal.action is not None:  # no form will be opened, so that nobody need wait for the rest
            await acknowledge(interaction)
        await expect_time(self._bot, offer)
        return ResolvedAction(battle, at.state, at.presenter, offer.legal, seat_for(offer, interaction))

    async def act(
        self,
        interaction: Interaction,
        battle_id: int,
        version: int | None,
        name: str,
        action: object,
        *,
        known: ResolvedAction | None = None,
        answered: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Take an action for the acknowledged interaction's user, once, and publish the result.

        `action`: replaces the legal action's own. `known`: the action if it was just resolved; it is resolved again if
        somebody else has the battle. `answered`: tells the player that it's done before the panel, which may take long.
        """
        async with self.explain_conflicts(interaction):
            while True:
                read = None if known is None else known.battle
                async with self._battles.locked(battle_id, origin_of(interaction), read) as battle:
                    if known is None or battle is not known.battle:
                        known = await self.resolve(interaction, battle, version, name)
                    taken = known.legal.action if action is None else action
                    if taken is None:
                        raise RuleError(f"{known.legal.label}: this needs more than a press.")
                    if battle.key is not None:
                        await self.step(battle, taken, known.seat, interaction)
                        break
                    named = await self._seals.name_round(battle, made_at(interaction.id))
                await self._seals.wait(battle_id, interaction, named=named)
                known = None  # it may be another action by then
            if answered is not None:
                # Such as a private message that was dismissed; the panel shows the result.
                with undelivered(_log, "not_answered", battle=battle_id):
                    await answered()
                    mark_answered(interaction)
            await self.publish(battle_id, interaction)

    async def seated(self, interaction: Interaction, battle: Battle) -> None:
        """Have the beacon's round named once the last free seat of a locked battle is taken."""
        if not p.free_seats(self._bot.services[p.Presenters].of(battle.system), battle.places):
            await self._seals.name_round(battle, made_at(interaction.id))

    async def time_out(self, stale: Battle, note: AnyNote | None, action: object | None = None) -> bool:
        """Let the clock write a note, take an action, or both, unless the battle has changed since `stale`.

        Return whether it did.
        """
        async with self._battles.locked(stale.id, OWN_WORK) as battle:
            if battle.version != stale.version:
                return False
            if action is not None and battle.key is None:
                await self._seals.name_round(battle, self._bot.clock())
            elif action is not None:
                await self.step(battle, action, CLOCK, None, note)
            elif note is not None:
                await self.note(battle, note, CLOCK)
            done = action is None or battle.key is not None
        async with self._explain_unpublished(stale.id, None):
            await self._publisher.refresh(stale.id)
        return done

    async def note(
        self,
        battle: Battle,
        note: AnyNote,
        seat: Seat,
        *,
        actor_id: int | None = None,
        interaction: Interaction | None = None,
        hook: TransactionHook | None = None,
    ) -> None:
        """Commit a note to the journal of a locked battle, together with what `hook` writes."""
        row = battle.next_row(kind_of(note), seat, actor_id=actor_id, action_json=note_json(note))
        commit = Commit([row], battle.state_json, hook=hook)
        await self._battles.commit(battle.id, battle.version, None if interaction is None else interaction.id, commit)

    @asynccontextmanager
    async def changing(
        self, interaction: Interaction, battle_id: int, version: int | None = None, *, aside: bool = False
    ) -> AsyncIterator[p.Position[Any]]:
        """Lock a battle for what an acknowledged interaction changes, explain conflicts, and publish it afterwards.

        `version`: the one that the user saw; None if it doesn't matter. `aside`: as of `publish`.
        """
        async with self.explain_conflicts(interaction):
            async with self._battles.locked(battle_id, origin_of(interaction)) as battle:
                if version is not None:
                    self.expect(battle, version)
                yield await self._bot.services[p.Presenters].position(battle)
            await self.publish(battle_id, interaction, aside=aside)

    async def publish(self, battle_id: int, interaction: Interaction, *, aside: bool = False) -> None:
        """Publish a committed change; if that fails, UnshownError tells the player.

        `aside`: the pressed message is no panel, and stays.
        """
        async with self._explain_unpublished(battle_id, interaction):
            await self._publisher.refresh(battle_id, interaction, aside=aside)

    @asynccontextmanager
    async def _explain_unpublished(self, battle_id: int, interaction: Interaction | None) -> AsyncIterator[None]:
        if interaction is not None:
            mark_done(interaction)
        try:
            yield
        except UNDELIVERED as error:
            event(_log, "not_shown", level=logging.WARNING, battle=battle_id, error=str(error))
            if soon := not lacks_access(error):
                self._bot.dispatch("panel_pending")
            raise UnshownError(soon=soon) from error

    async def find(self, battle_id: int, origin: Origin) -> Battle:
        """Return a battle; RuleError if it is another channel's than the one that asks, or no longer kept."""
        if (battle := await self._battles.get(battle_id, origin)) is None:
            raise RuleError(_GONE)
        return battle

    async def in_channel(
        self, interaction: Interaction, number: int | None, system: str | None = None, *, closed: bool = False
    ) -> Battle:
        """Return the battle of that number in the channel, of one `system` or any; RuleError if there is none.

        Without a number: the only open one, or with `closed`, if none is open, the newest.
        """
        channel_id = channel_of(interaction)
        if number is not None:
            battle = await self._battles.by_number(channel_id, number)
            if battle is None or system not in {None, battle.system}:
                what = "battle" if system is None else f"battle of {self._bot.services[p.Presenters].of(system).title}"
                raise RuleError(f"There is no {what} #{number} in this channel.")
            return battle
        battles = [battle for battle in await self._battles.open_in(channel_id) if system in {None, battle.system}]
        if not battles and closed:
            battles = await self._battles.latest_in(channel_id, 1)
        if len(battles) == 1:
            await self._battles.expect_sealed(battles[0])
            return battles[0]
        if not battles:
            raise RuleError("No battle is open in this channel; for an older one, give its number.")
        raise RuleError(f"Which one? These are open here: {', '.join(f'#{battle.number}' for battle in battles)}.")

    async def over_in_channel(self, interaction: Interaction, number: int | None) -> Battle:
        """Return the battle of that number, without one the newest that is over or, if none is, as `in_channel`."""
        over = [] if number else await self._battles.latest_in(channel_of(interaction), 1, over=True)
        return over[0] if over else await self.in_channel(interaction, number)

    def expect(self, battle: Battle, version: int) -> None:
        """Raise StaleError for a press on an older version, BattleOverError in a closed battle.

        Notes in the journal since then make no difference: the game stands as it did.
        """
        if not battle.is_open:
            raise store.BattleOverError(battle.id)
        if not battle.moved <= version <= battle.version:
            raise store.StaleError(battle.id, battle.version)

    @asynccontextmanager
    async def explain_conflicts(self, interaction: Interaction) -> AsyncIterator[None]:
        """Turn the store's errors into RuleErrors; update the message that carried a stale button."""
        try:
            yield
        except store.AlreadyAppliedError:
            pass  # delivered twice: the other delivery has answered
        except (store.StaleError, store.BattleOverError) as error:
            battle = await self.find(error.battle_id, origin_of(interaction))
            if interaction.message is not None:
                await acknowledge(interaction)
                with undelivered(_log, "not_repaired", battle=battle.id):
                    await self._publisher.repair(battle, interaction)
            at = f"has changed: it is now {(await self.position(battle)).progress}" if battle.is_open else "is over"
            raise RuleError(f"#{battle.number} {at}.") from error
        except store.BattleGoneError as error:
            raise RuleError(_GONE) from error
        except store.SeatTakenError as error:
            place = Place(error.seat, error.user_id, error.user_id is None)
            raise MarkdownError(f"The seat of {seat_phrase(error.seat)} is taken by {p.holder_text(place)}.") from error
        except store.JournalFullError as error:
            raise RuleError("This battle has grown too long to go on; close it with /battle end.") from error

    async def position(self, battle: Battle) -> p.Position[Any]:
        """Return how a battle of a list stands; DamagedBattleError."""
        await self._battles.expect_sealed(battle)
        return await self._bot.services[p.Presenters].position(battle)

    async def step(
        self,
        battle: Battle,
        action: object,
        seat: Seat,
        interaction: Interaction | None,
        note: AnyNote | None = None,
        *,
        opening: bool = False,
    ) -> None:
        """Have a worker apply an action to a locked battle; commit the result, with the closing row if that ends it.

        `note`: the clock's or a referee's, which comes before it. `opening`: the interaction has opened the battle, and
        is known to be new.
        """
        if battle.key is None:
            raise MarkdownError(waiting_text(battle))
        presenter = self._bot.services[p.Presenters].of(battle.system)
        job = Advance(
            system=battle.system,
            state_json=battle.state_json,
            action_json=presenter.system.actions.write_json(action),
            seat=seat,
            key=battle.key,
            step=battle.next_step,
        )
        result = await self._bot.simulator.once(job, None if interaction is None else caller_of(interaction))
        user_id = None if interaction is None else interaction.user.id
        after = partial(battle.next_row, seat=seat, actor_id=user_id, state_hash=result.state_hash)
        noted = None
        if note is not None:
            by = CLOCK if interaction is None else REFEREE
            noted = battle.next_row(kind_of(note), by, action_json=note_json(note))
        row = after(Kind.STEP, after=noted, action_json=result.action_json, events_json=result.events_json)
        seat_changes = presenter.seat_changes(row.events, user_id) if isinstance(presenter, p.DropIn) else ()
        if user_id is not None and note is None:
            expect_new(battle, user_id, seat_changes)
        rows, hook = [*([] if noted is None else [noted]), row], None
        if result.outcome is not None:
            rows.append(after(Kind.END, after=row))
            if battle.branch is None:
                state = await presenter.states.read(result.state_json)
                hook = p.mixin_of(presenter, p.Ranked).transaction_hook(battle, state, result.outcome)
        commit = Commit(rows, result.state_json, result.outcome, seat_changes, hook)
        once = None if interaction is None or opening else interaction.id
        comers = {change.seat: change.user_id for change in seat_changes if change.here}
        async with self.arriving(presenter, result.state_json, comers):
            await self._battles.commit(battle.id, battle.version, once, commit)
        if battle.bots and (interaction is not None or note is not None):  # not after a move of the bot's own
            await self._let_bots_move(battle.id, battle.bots)

    async def _let_bots_move(self, battle_id: int, places: Sequence[Place]) -> None:
        """Let each character of the bot do what it does by itself now, in a battle that is locked."""
        for place in places:
            battle, character = await self._battles.get(battle_id, OWN_WORK), CHARACTERS.get(place.character or "")
            if battle is None or not battle.is_open or character is None:
                continue
            with suppress(RuleError):  # too busy: it stays
                at = await self._bot.services[p.Presenters].position(battle)
                plays = p.mixin_of(at.presenter, p.PlayedByBot)
                if (move := await plays.bot_move(battle, at.state, place.seat, character)) is not None:
                    await self.step(battle, move, place.seat, None)


_GONE = "This battle is no longer kept."
