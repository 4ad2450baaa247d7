"""The card of a live battle, and the questions behind it: the odds from here, and the luck so far.

It shows the odds before the battle, the dice of a round, and at the end how it went. In the fog it shows two banks of
cloud and the hits that flash in them, and no hidden figure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.battle import MANUAL, Ended, Event, Fired, Moment, Phase, RoundBegan, Setup, State
from sim.axis_allies.battle.dice import Shots, Tally, Throw
from sim.axis_allies.battle.log import die_range, log_line
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.runner import LOSSES_DUE
from sim.axis_allies.cards import draw_luck_scale, odds_card
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.question import Terms
from sim.axis_allies.requests import LuckRequest, OddsRequest
from sim.axis_allies.silhouettes import COLORS, ROOM, SILHOUETTES, draw_armies, lost_words
from sim.axis_allies.units import Category
from sim.core import RuleError
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.parts import LEFT, LINE, RIGHT, TOP, draw_course
from sim.core.cards.stickers import FACES
from sim.core.cards.theme import BLUE, DARK, INK, NEUTRAL, ORANGE, SOFT, TEXT, TITLE, TROUGH
from sim.core.cards.values import Chances, decisive_round
from sim.core.numbers import amount, quantity, rounded_percent
from sim.core.staged_job import Job, R_co
from sim.core.values import Ending, Number, Side


class OddsFromHere(OddsRequest):
    """The odds in the middle of a battle: antiaircraft guns and ships have fired."""

    @override
    def terms(self) -> Terms:
        return super().terms()._replace(guns=0)


def odds_from_here(state: State) -> OddsRequest | None:
    """Return the request for the odds from here; None while losses are due, and if the armies can't fight on."""
    if state.phase is not Phase.READY:
        return None
    return _odds(state.setup, state.attacker, state.defender, first=not state.round)


def odds_before(setup: Setup, began: RoundBegan) -> OddsRequest | None:
    """Return the same before a round, of the first before everything that comes before it."""
    return _odds(setup, began.attacker, began.defender, first=began.number == 1)


def _odds(setup: Setup, attacker: Army, defender: Army, *, first: bool) -> OddsRequest | None:
    try:
        if first:
            return OddsRequest(**setup.fields)
        later: dict[str, Any] = {"bombard": Army(), "landing": None, "attacker": attacker, "defender": defender}
        must_take = setup.must_take and attacker.has(Category.LAND)
        return OddsFromHere(**setup.fields | later | {"must_take": must_take}) if attacker and defender else None
    except RuleError:
        return None


def luck_request(state: State) -> LuckRequest | None:
    """Return the request for the luck of the result so far; None if it has no answer.

    There is none before the first dice, in the middle of a round, and for manual losses: no method says what other dice
    would have destroyed. The tallies of the state always have the luck of the dice.
    """
    setup = state.setup
    if state.phase in LOSSES_DUE or state.attacker_fire == state.defender_fire == Tally():
        return None
    if MANUAL in (setup.attacker_losses, setup.defender_losses):
        return None
    broken_off = state.ending in {None, Ending.RETREAT}
    return LuckRequest(
        **setup.fields | {"stop_after": state.round if broken_off else None},
        attacker_left=state.attacker,
        defender_left=state.defender,
    )


CARD_SECONDS = 0.1
"""The most for one calculation, estimated; a card leaves out what takes longer."""

_MAX_ROUNDS = 12
"""Rounds at the end of a battle whose chances are worked out."""


class BattleCardRequest(CardRequest):
    """Draws the card of a battle from its stored state and its events, as JSON; nothing of them may be hidden."""

    max_seconds = 2.0

    state_json: str
    events_json: tuple[str, ...]

    @override
    def draw(self) -> Card:
        rules = DiceBattle()
        state: State = rules.states.read_json(self.state_json)
        events: list[Event] = rules.events.read_lists(self.events_json)
        if state.phase is Phase.OVER:
            return self._result(state, events)
        odds = self._report(odds_from_here(state))
        began = next((event for event in reversed(events) if isinstance(event, RoundBegan)), None)
        fought = events if began is None or began.number == 1 else events[events.index(began) :]
        if odds is None and not fought and self.engines:
            raise RuleError("These armies are too large for a card of their odds.")
        if odds is None or fought:
            before = None if odds is None or began is None else self._report(odds_before(state.setup, began))
            card = round_card(state, began, fought, _chances(before), _chances(odds))
            card.alt = " ".join(_round_words(state, fought, odds))
        else:
            card = odds_card(odds)
        return card

    def _result(self, state: State, events: Sequence[Event]) -> Card:
        try:
            luck = self._report(luck_request(state))
        except RuleError:
            luck = None
        course = self._course(state, [event for event in events if isinstance(event, RoundBegan)])
        card = result_card(state, course, luck)
        ended = [event for event in events if isinstance(event, Ended)]
        card.alt = " ".join(_result_words(state, ended, course, luck))
        return card

    def _course(self, state: State, rounds: Sequence[RoundBegan]) -> tuple[Chances, ...]:
        """Return both sides' chances at the beginning of each round and at the end; empty if they take long."""
        if not 0 < len(rounds) <= _MAX_ROUNDS:
            return ()
        known = [_chances(self._report(odds_before(state.setup, began))) for began in rounds]
        course = tuple(chances for chances in known if chances is not None)
        end = (float(state.winner is Side.ATTACKER), float(state.winner is Side.DEFENDER))
        return (*course, end) if len(course) == len(known) else ()

    def _report(self, request: Job[R_co] | None) -> R_co | None:
        """Return what is asked; None if that takes long, or if there is no engine to find it."""
        return request.run() if self.engines and request is not None and request.cost() <= CARD_SECONDS else None


def panel_card(_state: State, state_json: str, events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a battle, see `sim.jobs.replay_page`."""
    return BattleCardRequest(state_json=state_json, events_json=tuple(events_json))


def _chances(odds: OddsReport | None) -> Chances | None:
    return None if odds is None else (odds.p_attacker, odds.p_defender)


def _round_words(state: State, fought: Sequence[Event], odds: OddsReport | None) -> Iterable[str]:
    if odds is not None:
        yield f"From here: {odds.chances_text()}."
    for side in Side:
        yield f"{side.capitalize()}: {army_words(state.army(side)) or 'nobody left'}."
    for event in fought:
        yield f"{_FACES.sub('', log_line(event)).strip().rstrip('.')}."


_FACES = re.compile(f"[{FACES}]+ ")
"""Dice as faces, which digits follow: read aloud, these are enough."""


def _result_words(
    state: State, ended: Sequence[Ended], course: Sequence[Chances], luck: LuckReport | None
) -> Iterable[str]:
    yield log_line(ended[-1]) if ended else "Stalemate: neither side can hit the other."
    for side in Side:
        if lost := state.setup.army(side).ipc - state.army(side).ipc:
            yield f"The {side} lost {amount(lost, 1)} IPC."
    if luck is not None:
        yield f"{luck.words()}."
    if decisive := decisive_round(course):
        yield f"Round {decisive} decided it."


_FEW_DICE, _SMALL_DIE = 15, 42
_MANY_DICE = 40
"""Dice of a side that are shown one by one; of more, the hits."""

_FEW_BLOCKS = 5
"""Unit types of a side whose dice are shown by type."""

_HITS_BAR = 40
_LINE = 44
"""Pixels of a line of text above dice."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Dice that are shown together, each with whether it hits, below lines of text."""

    lines: tuple[str, ...]
    faces: tuple[tuple[int, bool], ...]
    hits: int

    def draw(self, card: Card, left: int, top: int, color: str, die: int) -> int:
        """Draw the text and each of the dice or, for dice of no size, the share that hit; return where to go on."""
        for line in self.lines:
            card.text(left, top + 34, letters.fit(line, TEXT, ROOM), TEXT, color)
            top += _LINE
        if not self.faces:
            return top + 10
        if die:
            return parts.dice(card, left, top, self.faces, color, room=ROOM, side=die) + 18
        hits = f"{self.hits} {'hit' if self.hits == 1 else 'hits'}"
        end = left + ROOM - letters.width(hits, TEXT) - 14
        share = self.hits / len(self.faces)
        card.segments((left, top, end, top + _HITS_BAR), [(share, color), (1 - share, TROUGH)])
        card.text(left + ROOM, top + 33, hits, TEXT, INK, align="right")
        return top + _HITS_BAR + 18


def _blocks(fired: Sequence[Fired]) -> Iterator[_Block]:
    """Yield a side's dice by unit type, or by what they hit on if there are many types."""
    throws = [(throw, event) for event in fired for throw in event.throws]
    text_of = _throw_text if len(throws) <= _FEW_BLOCKS else _group_text
    alike: dict[str, list[Throw]] = {}
    for throw, event in throws:
        alike.setdefault(text_of(throw, event), []).append(throw)
    for text, group in alike.items():
        faces = tuple(face for throw in group for face in _marked(throw))
        yield _Block((text,), faces, sum(throw.hits for throw in group))
    for event in fired:
        for total in event.sums:
            die = () if total.face is None else ((total.face, total.face <= total.rest),)
            rest = [f"{total.sure} sure"] if total.sure else []
            rest += [f"a hit on {die_range(total.rest)}"] if total.rest else []
            guns = event.moment is Moment.ANTIAIRCRAFT
            lines = [
                f"{_guns(share) if guns else share.units}: {share.count * share.dice} × {share.score}"
                for share in total.shares
            ]
            yield _Block((*lines, f"= {total.points}: {', '.join(rest)}"), die, total.hits)


def _marked(throw: Throw) -> Iterator[tuple[int, bool]]:
    """Yield each face and whether it hits; of dice of which the best counts only the first best one may."""
    for faces in throw.pairs:
        best = faces.index(min(faces))
        yield from ((face, at == best and face <= throw.score) for at, face in enumerate(faces))


def round_card(
    state: State, began: RoundBegan | None, events: Iterable[Event], before: Chances | None, now: Chances | None
) -> Card:
    """Return a round: its dice, and the armies and the chances before and after.

    The first round has what comes before it, too; `began`: None while that waits for losses.
    """
    fired = [event for event in events if isinstance(event, Fired)]
    blocks = {side: list(_blocks([event for event in fired if event.side is side])) for side in Side}
    most = max(sum(len(block.faces) for block in column) for column in blocks.values())
    die = parts.DIE if most <= _FEW_DICE else _SMALL_DIE if most <= _MANY_DICE else 0
    card = Card()
    parts.headline(card, [("Before round 1" if began is None else f"Round {began.number}", INK)])
    if now is not None:
        figure = rounded_percent(now[0], exact=False)
        moved = "" if before is None else f"{rounded_percent(before[0], exact=False)} → "
        edge = RIGHT - card.text(RIGHT, 124, figure, TEXT, INK, bold=True, align="right")
        card.text(edge, 124, f"attacker wins {moved}", TEXT, SOFT, align="right")
        shares = parts.against(parts.Share(now[0], ORANGE), parts.Share(now[1], BLUE))
        parts.win_bar(card, 142, shares, height=18)
    feet = dict.fromkeys(Side, TOP if now is None else 176)
    for side, left in zip(Side, parts.columns(2)[0], strict=True):
        for block in blocks[side]:
            feet[side] = block.draw(card, left, feet[side], COLORS[side], die)
    armies = began.armies if began is not None and began.number > 1 else _whole(state)
    card.height = draw_armies(card, max(feet.values()) + 14, armies, state.armies) + 18
    return card


def _whole(state: State) -> dict[Side, Army]:
    return {side: army.fighters for side, army in state.setup.armies.items()}


def _throw_text(throw: Throw, event: Fired) -> str:
    on, ending = f"on {die_range(throw.score)}", "" if throw.count > 1 else "s"
    text = plain = f"{throw.units} {on}"
    if event.moment is Moment.ANTIAIRCRAFT:
        text = f"{_guns(throw)} {on}"
    elif event.surprise or event.moment is Moment.MARKED:
        text = f"{throw.units} {'strike' if event.surprise else 'fire'}{ending} first: {die_range(throw.score)}"
    elif throw.bombarding:
        text = f"{throw.units} bombard{ending} {on}"
    elif throw.best_of > 1:
        text = f"{throw.units}, best of two: {die_range(throw.score)}"
    return text if letters.width(text, TEXT) <= ROOM else plain


def _group_text(throw: Throw, event: Fired) -> str:
    values = die_range(throw.score)
    if event.moment is Moment.ANTIAIRCRAFT:
        return f"guns hit planes on {values}"
    how = "best of two" if throw.best_of > 1 else "bombardment" if throw.bombarding else "hit on"
    first = " first" if event.surprise or event.moment is Moment.MARKED else ""
    return f"{how} {values}{first}" if how == "hit on" else f"{how}{first}: {values}"


def _guns(shots: Shots) -> str:
    return f"guns hit {'planes' if shots.target is None else shots.units}"


def result_card(state: State, course: Sequence[Chances], luck: LuckReport | None) -> Card:
    """Return a card to share: who won, what is left, how lucky it was, and how the chances moved by round."""
    card = Card()
    drawn = {Ending.MUTUAL: "Both sides fall", Ending.RETREAT: "The attacker retreats"}
    title = [(drawn.get(state.ending or Ending.STALEMATE, "Stalemate"), INK)]
    if state.winner is not None:
        title = [(state.winner.capitalize(), COLORS[state.winner]), (" wins", INK)]
    parts.headline(card, title, f"after {quantity(state.round, 'round')}" if state.round else "")
    top = draw_armies(card, TOP, _whole(state), state.armies) + 38
    lost = (lost_words(state.setup.army(side), state.army(side)) for side in Side)
    parts.at_edges(card, top, *lost, colors=(ORANGE, BLUE))
    top += 14
    if luck is not None:
        top = draw_luck_scale(card, top, luck)
    if course:
        top = draw_course(card, top, course, (ORANGE, BLUE))
    card.height = top + 4
    return card


_CLOUD, _FLASH = SILHOUETTES["cloud"], SILHOUETTES["flash"]
_MOST_FLASHES = 6
_FOOT = 22


class FogCardRequest(CardRequest):
    """Draws a round in the fog from what everybody may know: how often each side was hit in it."""

    round: Number
    attacker: Number
    defender: Number

    @classmethod
    def of(cls, events: Iterable[Event]) -> "FogCardRequest":
        """Return the card of the last round in the events, all of the battle so far: what comes before is not told."""
        number, hits = 0, dict.fromkeys(Side, 0)
        for event in events:
            if isinstance(event, RoundBegan):  # the first has what comes before it
                number, hits = event.number, hits if event.number == 1 else dict.fromkeys(Side, 0)
            elif isinstance(event, Fired):
                hits[event.side.other] += event.hits.total
        return cls(round=number, attacker=hits[Side.ATTACKER], defender=hits[Side.DEFENDER])

    @override
    def draw(self) -> Card:
        title = f"Round {self.round} in the fog" if self.round else "Fog over the field"
        taken = {Side.ATTACKER: self.attacker, Side.DEFENDER: self.defender}
        hurt = {side: f"took {quantity(hits, 'hit')}" if hits else "unhurt" for side, hits in taken.items()}
        told = [f"{side.capitalize()} {words}." for side, words in hurt.items()] if self.round else []
        foot = TOP + 16 + round(_CLOUD.height) + LINE
        card = Card(foot + _FOOT + (LINE if self.round else 0))
        parts.headline(card, [(title, INK)])
        for side, hits in taken.items():
            left = LEFT if side is Side.ATTACKER else RIGHT - round(_CLOUD.width)
            self._bank(card, left, hits, COLORS[side.other])
            middle = left + round(_CLOUD.width) // 2
            card.text(middle, foot, side.capitalize(), TEXT, COLORS[side], bold=True, align="center")
            if self.round:
                card.text(middle, foot + LINE, hurt[side], TEXT, INK, align="center")
        card.alt = " ".join([f"{title}.", *told, "Both armies are hidden until the end."])
        return card

    def _bank(self, card: Card, left: int, hits: int, color: str) -> None:
        """Draw a bank of cloud with question marks, and the hits on who is in it, in the color of who scored them."""
        top = TOP + 8
        card.silhouette(left + 40, top - 8, _CLOUD, 120, TROUGH)
        card.silhouette(left, top, _CLOUD, round(_CLOUD.height), NEUTRAL)
        for x, base in ((78, 128), (170, 92), (258, 128)):
            card.text(left + x, top + base, "?", TITLE, DARK, align="center")
        for at in range(min(hits, _MOST_FLASHES)):
            x, y = left + 12 + 53 * at, top + (112 if at % 2 else 126)
            card.silhouette(x - 6, y - 6, _FLASH, 64, DARK)
            card.silhouette(x, y, _FLASH, 52, color)
