"""Coaches fights of one hand: what each roll of an attack and each choice of tokens was worth.

Source: .docs/rules/boss_fight.md, "The coach".
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from sim.boss_fight import battle as v
from sim.boss_fight.hands import Attack, hand_of
from sim.boss_fight.values import Deck
from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.coach import CoachReport, CoachRow, CoachRules, CoachStep, SoFar
from sim.core.names import listed

if TYPE_CHECKING:
    from sim.boss_fight.search import Search

_SECONDS = 4.0  # of the longest search; most take less than one
_EQUAL = 1e-12


class FightCoach(CoachRules[v.Setup, v.State, v.Action, v.Event]):
    """The coach of fights alone. V is the member's chance to win."""

    aims = MappingProxyType({"chance": "the chance to win"})
    sides = (v.MEMBERS[0],)

    def seconds(self, setup: v.Setup) -> float:
        """Return the most seconds; RuleError for a fight in which nothing is chosen."""
        if setup.edition != v.HANDS:
            raise RuleError("There is nothing to coach: every exchange of this fight puts up the whole deck.")
        return _SECONDS

    def knows(self, state: v.State) -> bool:
        """Return whether one hand fought alone."""
        return state.setup.edition == v.HANDS and len(state.members) == 1

    def report(
        self,
        start: v.State,
        steps: Sequence[CoachStep[v.Action, v.Event]],
        aim: str,
        so_far: SoFar | None = None,
    ) -> CoachReport | SoFar:
        """Return what each roll and each choice was worth to the member."""
        from sim.boss_fight.search import LongSearch, Search  # noqa: PLC0415

        setup = start.setup
        self.seconds(setup)
        joins = [*start.members, *(step.action for step in steps if isinstance(step.action, v.Join))]
        if not joins:
            raise RuleError("There is nothing to coach: nobody joined this fight.")
        if len(joins) > 1:
            raise RuleError("The coach can't search this fight: a party has too many choices. It weighs fights alone.")
        search = Search(setup.boss, setup.health, hand := hand_of(joins[0].deck))
        if so_far is not None:
            search.go_on(so_far)
        try:
            walk = _Walk(start, hand, search)
            before = walk.now
            rows = [row for step in steps for event in step.events for row in walk.after(step.row, event)]
        except LongSearch:
            return search.so_far
        return CoachReport.of(before, rows, aim=aim, unit="", seat=self.sides[0], total=1)


class _Walk:
    """Follows a fight from event to event; `now`: V here."""

    def __init__(self, start: v.State, hand: Deck, search: "Search") -> None:
        self._search = search
        self._tokens = [token.name for token in hand.tokens]
        left, tired = Fraction(hand.health), tuple[str, ...]()
        for member in start.members:
            if isinstance(member, v.HandMember):
                left, tired = member.left, member.tired
        self._boss, self._left = 4 * start.boss_left, left * 2**search.power
        self._tired, self._idle, self._round = self._bits(tired), start.idle, start.round
        self._shown = [Attack.FURY, Attack.FURY] if search.faces == 1 else list(start.attacks)
        self.now = self._value()

    def _value(self) -> float:
        """Return V: what isn't rolled yet is expected."""
        boss, left = int(self._boss), int(self._left)
        match self._shown:
            case [now, then]:
                return self._search.chance(boss, left, self._tired, now, then, self._idle)
            case [now]:
                return self._search.mean(boss, left, self._tired, now, self._idle)
            case _:
                return sum(self._search.mean(boss, left, self._tired, now, self._idle) for now in Attack) / len(Attack)

    def after(self, row: int, event: v.Event) -> Iterator[CoachRow]:
        """Yield what an event was worth, if it was a roll or a choice."""
        match event:
            case v.Foretold():
                self._shown.append(event.attack)
                yield self._moved(row, f"round {event.number}", words=event.attack.capitalize())
            case v.RoundBegan():
                self._round = event.number
            case v.Struck():
                yield from self._struck(row, event)
            case _:
                pass

    def _bits(self, tokens: Sequence[str]) -> int:
        return sum(1 << at for at, name in enumerate(self._tokens) if name in tokens)

    def _struck(self, row: int, event: v.Struck) -> Iterator[CoachRow]:
        search, best = self._search, self.now
        self._value()
        wanted = search.best(int(self._boss), self._tired, self._shown[0])
        harmed = event.to_boss.total or event.to_player.total
        self._boss, self._left = 4 * event.boss_left, event.left * 2**search.power
        self._tired = self._bits(event.tokens)
        self._idle = 0 if harmed else self._idle + 1
        if search.faces > 1:
            del self._shown[0]
        after = self._value()
        if not event.tokens:  # all are tired: there was no choice
            self.now = after
            return
        worse = best - after > _EQUAL
        instead = listed([name for at, name in enumerate(self._tokens) if wanted >> at & 1]) if worse else ""
        words = f"striking with {listed(event.tokens)}"
        yield self._moved(row, f"round {self._round}", seat=event.seat, words=words, instead=instead)

    def _moved(self, row: int, moment: str, *, words: str, seat: Seat | None = None, instead: str = "") -> CoachRow:
        before, self.now = self.now, self._value()
        kind = "roll" if seat is None else "choice"
        return CoachRow(
            row=row, kind=kind, moment=moment, before=before, after=self.now, seat=seat, words=words, instead=instead
        )
