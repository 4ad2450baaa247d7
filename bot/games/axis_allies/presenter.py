"""Presents live battles with dice: armies, dice, losses, odds, luck; and the manual choice of losses.

That is a menu for each kind of unit, preset to the edition's order of losses. The menus keep no state. Their custom ids
hold the whole choice, `l1:<battle>:<version>:<side>:<kind>:<counts>`; so does the button's,
`l2:<battle>:<version>:<side>:<counts>`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import discord

from bot.answers.document import jump_targets
from bot.battles import BattleService
from bot.battles import presenter as p
from bot.battles.endings import HasRematches, Rematch
from bot.battles.items import position_of
from bot.battles.opponents import Character
from bot.battles.timetable import Timed, Timetable
from bot.client import Interaction
from bot.games.axis_allies.render import COLOURS, FOUND, ICONS, NOBODY, TIE, chances_line
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui import Picture, Style, id_button, text_view
from bot.ui.interactions import PersistentButton, PersistentSelect, acknowledge, edit_reply, reply
from sim.axis_allies import battle as v
from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import pictured, pictured_army, unit_icon
from sim.axis_allies.battle.cards import CARD_SECONDS, FogCardRequest, luck_request, odds_from_here, panel_card
from sim.axis_allies.battle.dice import Shots
from sim.axis_allies.battle.log import TIME_UP, die_range, losses_text, sum_text, throw_faces
from sim.axis_allies.battle.losses import loss_text
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.runner import default_losses, placement
from sim.axis_allies.casualties import Slot, unit_of
from sim.axis_allies.odds_report import OddsReport, order_sentence
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, flaw
from sim.core.battle import ANYONE, Seat
from sim.core.cards.stickers import without_icons
from sim.core.journal import NOTES, JournalRow
from sim.core.numbers import amount, quantity
from sim.core.staged_job import Job
from sim.core.values import Ending, Paused, Side
from sim.workers.queue import Caller

RULES = DiceBattle()
MAX_PANEL_ROUNDS = 3
"""Maximum rounds on a panel; the log has all."""

R = TypeVar("R")


class DiceBattlePresenter(
    p.BattlePresenter[v.State, v.Event], Timed, p.HasForms, HasRematches, p.HidesInformation, p.PlayedByBot
):
    """Presents live battles with dice."""

    title = "Axis & Allies"
    sides = (Side.ATTACKER.value, Side.DEFENDER.value)
    colors: ClassVar[Mapping[Seat, str]] = {Side.ATTACKER.value: "🟠", Side.DEFENDER.value: "🔵"}
    bot_actions = frozenset({"fire", "run-out"})
    time_up = "the losses are chosen by default"
    system = RULES

    async def panel(self, battle: Battle, state: v.State, steps: p.Steps, caller: Caller | None) -> p.PanelContent:
        """Return armies and dice, with the odds from here while it goes on and the luck of both sides at the end."""
        visible = _visible(battle, state)
        events = [
            event
            for step in steps
            for event in _visible_events(battle, state, self.system.events.read_all(step.events))
        ]
        events_json = [step.events_json for step in steps]
        card = FogCardRequest.of(events) if visible.hidden else panel_card(visible, battle.state_json, events_json)
        picture = await self.card(card, caller, battle)
        from_here = odds_from_here(visible) if battle.is_open and not visible.hidden else None
        odds = await self._answer(from_here, picture, caller)
        luck = await self._answer(None if battle.is_open else luck_request(visible), picture, caller)
        return battle_content(visible, events, odds, luck, picture)

    def timetable(self, state: v.State) -> Timetable | None:
        """Return the usual time to choose losses, and no limit for a round to begin."""
        return Timetable() if state.phase is v.Phase.READY else None

    def time_up_text(self, state: v.State) -> str:
        """Return that the next round begins, or who chooses the losses."""
        return "the next round is fought" if state.phase is v.Phase.READY else self.time_up

    def log_lines(self, battle: Battle, state: v.State, events: tuple[v.Event, ...]) -> list[str]:
        """Return a step's log; in the fog without units and dice."""
        visible = _visible_events(battle, state, events)
        if _visible(battle, state).hidden:
            return [without_icons(line.replace("*", "")) for line in event_lines(visible)]
        return RULES.lines(visible)

    def hidden_rows(self, _battle: Battle, state: v.State, entries: Sequence[JournalRow]) -> int | None:
        """Hide the picked losses until both sides have picked, in the fog everything."""
        moves = [entry for entry in entries if entry.kind not in NOTES]
        done = (entry.action for entry in reversed(moves))
        actions = (None if action is None else RULES.actions.read(action) for action in done)
        hidden = RULES.hidden_rows(state, actions)
        return len(entries) - moves[-hidden].n + 1 if hidden else hidden  # with the notes in between

    def rematch(self, again: Rematch, _battle: Battle, _state: v.State, *, swap: bool) -> Rematch:
        """Swap how losses are chosen together with the sides, as the bot never chooses; by today's rules."""
        setup: v.Setup = again.setup
        return replace(again, setup=setup.renewed(swap=swap))

    async def ask(self, interaction: Interaction, offer: p.Offer[v.State], seat: Seat) -> bool:
        """Let a side choose its losses."""
        await reply(interaction, casualty_view(offer, Side(seat)))
        return True

    async def bot_move(self, _battle: Battle, state: v.State, seat: Seat, character: Character) -> object | None:
        """Choose losses as by default; retreat from what looks lost, but not by what the fog hides."""
        side = Side(seat)
        if (due := state.due(side)) is not None and due.awaited:
            return v.PickLosses(side=side, losses=default_losses(state, side))
        odds = odds_from_here(state)
        if side is Side.DEFENDER or not state.round or state.setup.fog or odds is None or not character.nerve:
            return None
        report = await self._bot.simulator.once(odds, None)
        return v.Retreat() if report.p_attacker < character.nerve else None

    def private_text(self, battle: Battle, state: v.State, seats: Sequence[Seat]) -> str | None:
        """Return the own army in the fog."""
        if not _visible(battle, state).hidden:
            return None
        armies = {side: _visible(battle, state, side).army(side) for side in Side if side in seats}
        own = (f"{ICONS[side]} Your army: {pictured_army(army) or 'nobody'}" for side, army in armies.items())
        return "\n".join(own) or None

    async def _answer(self, request: Job[R] | None, picture: Picture | None, caller: Caller | None) -> R | None:
        """Return the report of a request, unless the picture shows it."""
        if request is None or (picture is not None and request.cost() <= CARD_SECONDS):
            return None
        try:
            return await self._bot.simulator.run(request, caller)
        except RuleError:
            return None  # too busy, or too large: the battle is shown without it


def _visible(battle: Battle, state: v.State, seat: Seat = ANYONE) -> v.State:
    """Return what `seat` may see: of a closed battle everything."""
    return RULES.visible_state(state, seat) if battle.is_open else state


def _visible_events(battle: Battle, state: v.State, events: tuple[v.Event, ...]) -> tuple[v.Event, ...]:
    return RULES.visible_events(state, events, ANYONE) if battle.is_open else events


def battle_content(
    state: v.State, events: Sequence[v.Event], odds: OddsReport | None, luck: LuckReport | None, card: Picture | None
) -> p.PanelContent:
    """Return the panel's content from the public state and events, without what its card shows."""
    lines = [*_pending_lines(state), *(_army_lines(state) if card is None or state.hidden else ())]
    if not state.round:
        policies = ((side, state.setup.casualty_policy(side)) for side in Side)
        lines += [
            f"{FOUND} {side.capitalize()}: {order_sentence(order)}."
            for side, order in policies
            if not isinstance(order, str) and len(order) > 1
        ]
    if odds is not None:
        lines.append(f"🔮 From here: {chances_line(odds)}")
    if state.phase is v.Phase.OVER:
        lines += _luck_lines(state, luck)
    rounds = {at: event.number for at, event in enumerate(events) if isinstance(event, v.RoundBegan)}
    if card is not None and state.phase is not v.Phase.OVER and not state.hidden:
        last = max((at for at, number in rounds.items() if number > 1), default=0)
        events = [event for at, event in enumerate(events) if at < last or not isinstance(event, v.Fired)]
    latest = events[[*rounds][-MAX_PANEL_ROUNDS] :] if len(rounds) > MAX_PANEL_ROUNDS else events
    colour = COLOURS[state.winner if state.phase is v.Phase.OVER else Side.ATTACKER]
    return p.PanelContent(title(state), "\n".join(lines), "\n".join(event_lines(latest)), colour, card)


def title(state: v.State) -> str:
    """Return the end of the headline."""
    if state.phase is not v.Phase.OVER:
        return f"round {state.round}" if state.round else "before round 1"
    rounds = f" after {quantity(state.round, 'round')}" if state.round else ""
    if state.winner is not None:
        return f"{ICONS[state.winner]} the {state.winner} wins{rounds}"
    if state.ending is Ending.MUTUAL:
        return f"{TIE} both sides fall{rounds}"
    return f"{NOBODY} {'the attacker retreated' if state.ending is Ending.RETREAT else 'stalemate'}{rounds}"


def _pending_lines(state: v.State) -> Iterator[str]:
    for pending in state.pending:
        if pending.awaited:
            hits = quantity(pending.hits.total, "hit")
            yield f"⏳ The {pending.side} must take {hits}; after 24 hours, the cheapest units die first."
        elif pending.asked:
            yield f"✅ The {pending.side} has chosen, hidden until both have."


def _army_lines(state: v.State) -> Iterator[str]:
    if state.hidden:
        yield "-# 🌫️ Press *Your army* to see yours; the other stays hidden until the end. The opener knows both."
        return
    for side in Side:
        army, start = state.army(side), state.setup.army(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {pictured_army(army) or 'nobody left'}"
        lost = start.ipc - army.ipc
        yield f"-# {amount(army.ipc)} IPC" + (f", {amount(lost)} lost" if lost else "")


def _luck_lines(state: v.State, luck: LuckReport | None) -> Iterator[str]:
    if luck is not None:
        yield f"🍀 {luck.words()}."
    for side, tally in ((Side.ATTACKER, state.attacker_fire), (Side.DEFENDER, state.defender_fire)):
        if tally.dice:
            thrown = f"{quantity(tally.hits, 'hit')} with {quantity(tally.dice, 'die', 'dice')}"
            yield f"-# 🎲 {ICONS[side]} {thrown}, {tally.sixths / 6:.1f} expected"


def event_lines(events: Sequence[v.Event]) -> Iterator[str]:
    """Yield a line for each event, without hidden units and dice; of losses in the fog the hits say all."""
    for event in events:
        match event:
            case v.RoundBegan():
                yield f"**Round {event.number}**"
            case v.Fired():
                yield f"{ICONS[event.side]} {pictured(_fired_text(event))}"
            case v.Picked():
                yield f"{ICONS[event.side]} {'has chosen' if event.in_time else TIME_UP}"
            case v.Lost(hidden=None):
                yield f"{ICONS[event.side]} loses {pictured(losses_text(event))}"
            case Paused():
                yield f"⏸️ {quantity(event.rounds, 'round')} fought: the battle can go on."
            case v.Ended():
                yield "🏁 The battle is over."


def _fired_text(event: v.Fired) -> str:
    moments: dict[v.Moment | None, str] = {
        v.Moment.ANTIAIRCRAFT: "antiaircraft fire: ",
        v.Moment.BOMBARDMENT: "bombardment, units hit don't fire back: ",
        v.Moment.MARKED: "submarines first, units hit still fire back: ",
    }
    start = "surprise strike: " if event.surprise else moments.get(event.moment, "")
    hits = f"**{quantity(event.hits.total, 'hit') if event.hits.total else 'no hits'}**"
    dice = [f"{_who(throw)} ({die_range(throw.score)}) {throw_faces(throw)}" for throw in event.throws]
    dice += [
        f"{' + '.join(f'{_who(share)} ({share.score})' for share in total.shares)} = {sum_text(total)}"
        for total in event.sums
    ]
    return f"{start}{' · '.join(dice)} → {hits}" if dice else f"{start}{hits}"


def _who(shots: Shots) -> str:
    best = ", best of two" if shots.best_of > 1 else ""
    return f"{shots.units}{' bombarding' if shots.bombarding else ''}{best}"


_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<side>attacker|defender)"
_COUNTS = r"(?P<counts>[0-9]{1,3}(?:\.[0-9]{1,3}){0,15})"


def _choice(
    at: p.Position[v.State], side: Side, counts: Sequence[int] | None
) -> tuple[v.Hits, Mapping[Slot, tuple[int, int]], v.Losses]:
    """Return the hits, how many of each kind of unit they let a side lose and how many it loses, and its losses.

    `counts`: how many, in the same order, by default the usual ones. RuleError if there is nothing to choose.
    """
    due = at.state.due(side)
    if due is None or not due.awaited:
        raise RuleError(f"The {side} has no losses to choose now.")
    limits: dict[Slot, int] = {}
    hits = due.hits
    for slot, count in placement(at.state, side).left.items():
        most = hits.rest + hits.submarines + (0 if slot == Unit.SUBMARINE else hits.air)
        if unit_of(slot).category is Category.AIR:
            most = hits.total - hits.submarines
        limits |= {slot: min(count, most)} if count else {}
    if counts is None:
        chosen = {loss.slot: loss.count for loss in default_losses(at.state, side)}
        counts = [chosen.get(slot, 0) for slot in limits]
    elif len(counts) != len(limits):
        raise RuleError("These menus are out of date: press the button on the panel again.")
    kinds = {slot: (most, count) for (slot, most), count in zip(limits.items(), counts, strict=True)}
    return hits, kinds, tuple(v.Loss(slot=slot, count=count) for slot, (_, count) in kinds.items() if count)


def casualty_view(at: p.Position[v.State], side: Side, counts: Sequence[int] | None = None) -> discord.ui.LayoutView:
    """Return the menus for a side's losses, `counts` chosen so far; RuleError if it has nothing to choose."""
    hits, kinds, losses = _choice(at, side, counts)
    problem = flaw(lambda: placement(at.state, side).by_choice(hits, losses))
    where = f"{at.battle.id}:{at.battle.version}:{side}"
    ids = ".".join(str(count) for _, count in kinds.values())
    confirm = id_button(f"l2:{where}:{ids}", "Confirm losses", style=Style.danger)
    confirm.disabled = problem is not None
    menus = [
        [_menu(f"l1:{where}:{kind}:{ids}", slot, most, count)]
        for kind, (slot, (most, count)) in enumerate(kinds.items())
        if most
    ]
    lost = ", ".join(loss_text(loss.slot, loss.count) for loss in losses)
    lines = [
        f"### #{at.battle.number} {ICONS[side]} {quantity(hits.total, 'hit')} on the {side}",
        f"You lose: **{pictured(lost) or 'nothing'}**",
        *_why_so(hits, kinds),
        "-# Hidden until both sides have chosen. After 24 hours, the cheapest units die first.",
    ]
    texts = ["\n".join(lines), *([f"⚠️ {problem}"] if problem else [])]
    return text_view(texts, rows=[*menus, [confirm]])


def _why_so(hits: v.Hits, slots: Iterable[Slot]) -> Iterator[str]:
    """Yield what the hits may take of a side with these, if not everything."""
    there = {unit_of(slot) for slot in slots}
    dives, flies = Unit.SUBMARINE in there, any(unit.category is Category.AIR for unit in there)
    if hits.planes:
        yield "-# Antiaircraft fire hits planes only."
    limits = [
        *([f"{quantity(hits.submarines, 'hit')} of submarines can't take planes"] if hits.submarines and flies else []),
        *([f"{quantity(hits.air, 'hit')} of planes can't take submarines"] if hits.air and dives else []),
    ]
    if limits:
        yield f"-# As many hits as possible count: {', '.join(limits)}."


def _menu(custom_id: str, slot: Slot, most: int, chosen: int) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(
            label=f"Lose {loss_text(slot, count)}",
            value=str(count),
            default=count == chosen,
            emoji=unit_icon(unit_of(slot)),
        )
        for count in jump_targets(most + 1, chosen)
    ]
    placeholder = f"How many {loss_text(slot, 2)[2:]} do you lose?"
    return discord.ui.Select(custom_id=custom_id, options=options, placeholder=placeholder)


async def _load_choice(interaction: Interaction, match: re.Match[str]) -> tuple[p.Position[v.State], Side, list[int]]:
    """Return the battle, the side, and the counts so far; RuleError if the choice is over or isn't the user's."""
    side, version = Side(match["side"]), int(match["version"])
    at: p.Position[v.State] = await position_of(interaction, int(match["battle"]))
    since: Sequence[JournalRow] = ()
    if at.battle.version != version:
        since = (await interaction.client.services[BattleRepository].journal(at.battle.id))[version:]
    other = {"do": "pick-losses", "side": side.other.value}  # it doesn't affect this side's choice
    only_other_chose = all(
        entry.kind in NOTES or (isinstance(action := entry.action, dict) and other.items() <= action.items())
        for entry in since
    )
    if not at.battle.is_open or not only_other_chose:
        raise RuleError(f"#{at.battle.number} is already {at.progress}: press the button on the panel again.")
    if side not in at.battle.seats_of(interaction.user.id):
        raise RuleError(f"Only the {side} chooses the {side}'s losses.")
    return at, side, [int(count) for count in match["counts"].split(".")]


@PersistentSelect.matching(rf"l1:{_AT}:(?P<kind>[0-9]{{1,2}}):{_COUNTS}", "losses")
async def casualty_list(menu: PersistentSelect, interaction: Interaction) -> None:
    """Update the menus: how many of a kind of unit are lost."""
    at, side, counts = await _load_choice(interaction, menu.match)
    kind = int(menu.match["kind"])
    if kind < len(counts) and menu.chosen.isascii() and menu.chosen.isdecimal():
        counts[kind] = int(menu.chosen[:3])
    view = casualty_view(at, side, counts)
    await acknowledge(interaction)
    await interaction.edit_original_response(view=view)


@PersistentButton.matching(rf"l2:{_AT}:{_COUNTS}", "losses")
async def casualty_button(button: PersistentButton, interaction: Interaction) -> None:
    """Submit these losses."""
    at, side, counts = await _load_choice(interaction, button.match)
    *_, losses = _choice(at, side, counts)
    action = v.PickLosses(side=side, losses=losses)
    await acknowledge(interaction)
    service = interaction.client.services[BattleService]
    await service.act(interaction, at.battle.id, at.battle.version, f"pick-{side}", action)
    await edit_reply(interaction, f"✅ #{at.battle.number}: losses confirmed.")


CASUALTY_ITEMS = (casualty_list, casualty_button)
