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
        self._stand(start.boss_left, Fraction(hand.health), ())
        for member in start.members:
            if isinstance(member, v.HandMember):
                self._stand(start.boss_left, member.left, member.tired)
        self._idle, self._round = start.idle, start.round
        self._shown = [Attack.FURY, Attack.FURY] if search.faces == 1 else list(start.attacks)
        self.now = self._value()

    def _stand(self, boss: Fraction, left: Fraction, tired: Sequence[str]) -> None:
        bits = sum(1 << at for at, name in enumerate(self._tokens) if name in tired)
        self._boss, self._left, self._tired = int(4 * boss), int(left * 2**self._search.power), bits

    def _value(self) -> float:
        return self._search.worth(self._boss, self._left, self._tired, self._shown, self._idle)

    def after(self, row: int, event: v.Event) -> Iterator[CoachRow]:
        """Yield what an event was worth, if it was a roll or a choice."""
        before = self.now
        match event:
            case v.RoundBegan():
                self._round = event.number
            case v.Foretold():
                self._shown.append(event.attack)
                self.now, words = self._value(), event.attack.capitalize()
                moment = f"round {event.number}"
                yield CoachRow(row=row, kind="roll", moment=moment, before=before, after=self.now, words=words)
            case v.Struck():
                best = self._strike(event)
                if event.tokens:  # else all are tired: there was no choice
                    yield CoachRow(
                        row=row,
                        kind="choice",
                        moment=f"round {self._round}",
                        before=before,
                        after=self.now,
                        seat=event.seat,
                        words=f"striking with {listed(event.tokens)}",
                        instead=listed(best) if before - self.now > _EQUAL else "",
                    )
            case _:
                pass

    def _strike(self, event: v.Struck) -> list[str]:
        """Follow an exchange; return the tokens that were best."""
        self._value()  # what is best is that of the position that was weighed last
        best = self._search.best(self._boss, self._tired, self._shown[0])
        self._stand(event.boss_left, event.left, event.tokens)
        self._idle = 0 if event.to_boss.total or event.to_player.total else self._idle + 1
        if self._search.faces > 1:
            del self._shown[0]
        self.now = self._value()
        return [name for at, name in enumerate(self._tokens) if best >> at & 1]
