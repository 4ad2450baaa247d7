"""A party's fight, worked out: joining and leaving, exchanges, what ends it (rules page, "A party fight").

A round is one step for everybody who lives and is there when it ends: who joins in it has a step in it, last; who
leaves before the step has none. It ends as soon as nobody is left to take one; if nobody lost health in it, it is a
stalemate. When all who live have left, the boss has won if anybody lies fallen; else the fight waits for somebody to
join.
"""

from typing import Literal

from sim.boss_fight.battle.values import (
    BOSS,
    MAX_PARTY_TRAITS,
    PARTY,
    BossMoment,
    Ended,
    Event,
    Fell,
    Join,
    Joined,
    Left,
    Member,
    Moment,
    Paused,
    Returned,
    RoundBegan,
    State,
    exchanged,
)
from sim.boss_fight.exchange import exchange
from sim.boss_fight.values import Deck
from sim.core.battle import Seat
from sim.core.errors import RuleError
from sim.core.outcomes import Ending

ROUNDS_AT_ONCE = 100
"""Rounds after which running on pauses: only a boss that decks hardly scratch lasts longer."""


class StepRunner:
    """A fight under way: `state` changes as the rules demand, `events` tell of it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def join(self, action: Join) -> None:
        """Let somebody enter; RuleError for a deck that can't fight, and where there is no room."""
        seat = self.state.free_seat
        if seat is None:
            raise RuleError("The party is full.")
        expect_fit(self.state, action.deck)
        figures = exchange(self.state.setup.boss, action.deck)
        member = Member(
            seat=seat,
            name=action.name or seat.replace("-", " ").capitalize(),
            deck=action.deck,
            health=figures.player_health,
            to_boss=figures.to_boss,
            to_player=figures.to_player,
        )
        if not self.state.entered:
            self._boss(Moment.ENTRY)
        self._set(members=(*self.state.members, member), entered=True)
        self.events.append(Joined(seat=seat, name=member.name, health=member.health))
        self._settle()

    def leave(self, seat: Seat) -> None:
        """Let a living member go; one who has not fought yet is forgotten."""
        member = self._member(seat)
        others = self._others(seat)
        away = member.model_copy(update={"away": True})
        self._set(members=(*others, away) if member.hits else others)
        self.events.append(Left(seat=seat, name=member.name, forgotten=not member.hits))
        self._settle()

    def come_back(self, seat: Seat) -> None:
        """Let a member who left come back, last in the order."""
        member = self._member(seat)
        self._set(members=(*self._others(seat), member.model_copy(update={"away": False})))
        self.events.append(Returned(seat=seat, name=member.name))
        self._settle()

    def step(self) -> None:
        """Fight the next exchange; boss and member are hit at the same time."""
        member = self.state.turn
        if member is None:
            raise RuleError("Nobody is there to fight.")
        if not self.state.acted:
            self._set(round=self.state.round + 1, harmed=False)
            self.events.append(RoundBegan(number=self.state.round))
        hit = exchanged(self.state, member)
        struck = member.model_copy(update={"hits": hit.hits})
        self._set(
            members=tuple(struck if other is member else other for other in self.state.members),
            dealt=self.state.dealt + hit.to_boss.total,
            acted=(*self.state.acted, member.seat),
            harmed=self.state.harmed or bool(hit.to_boss.total or hit.to_player.total),
            last=hit,
        )
        self.events.append(hit)
        if struck.fallen:
            self.events.append(Fell(seat=struck.seat, name=struck.name))
        self._watch_boss()
        self._settle()

    def finish_round(self) -> None:
        """Take steps to the end of the round: the one under way, or the next one."""
        self.step()
        while self.state.ending is None and self.state.acted:
            self.step()

    def run(self) -> None:
        """Fight round after round, to the end or until too many were fought at once."""
        rounds = 0
        while self.state.ending is None and rounds < ROUNDS_AT_ONCE:
            self.finish_round()
            rounds += 1
        if self.state.ending is None:
            self.events.append(Paused(rounds=rounds))

    def _watch_boss(self) -> None:
        left = self.state.boss_left
        if left <= 0:
            self._boss(Moment.FALL)
        elif not self.state.halved and 2 * left <= self.state.setup.health:
            self._boss(Moment.HALF)
            self._set(halved=True)

    def _settle(self) -> None:
        """End the fight, or the round, when it is time."""
        state = self.state
        someone_fights = any(member.fights for member in state.members)
        if state.boss_left <= 0:
            self._end(Ending.ANNIHILATION if someone_fights else Ending.MUTUAL, PARTY)
        elif not someone_fights:
            if any(member.fallen for member in state.members):
                self._end(Ending.ANNIHILATION, BOSS)
        elif state.turn is None:
            if state.harmed:
                self._set(acted=())
            else:
                self._end(Ending.STALEMATE, None)

    def _end(self, ending: Ending, winner: Literal["party", "boss"] | None) -> None:
        self._set(ending=ending, winner=winner)
        survivors = sum(member.fights for member in self.state.members)
        self.events.append(Ended(ending=ending, winner=winner, rounds=self.state.round, standing=survivors))

    def _boss(self, moment: Moment) -> None:
        boss = self.state.setup.boss
        self.events.append(BossMoment(name=boss.name, moment=moment, words=getattr(boss, moment.value)))

    def _member(self, seat: Seat) -> Member:
        member = self.state.member(seat)
        if member is None:
            raise RuleError("Nobody has this seat.")
        return member

    def _others(self, seat: Seat) -> tuple[Member, ...]:
        return tuple(member for member in self.state.members if member.seat != seat)

    def _set(self, **values: object) -> None:
        self.state = self.state.model_copy(update=values)


def expect_fit(state: State, deck: Deck) -> None:
    """Raise RuleError when a deck can't join this fight."""
    if not deck.health:
        raise RuleError("A deck without health can't fight: its bearer would be down from the start.")
    size = deck.size + sum(member.deck.size for member in state.members)
    if size > MAX_PARTY_TRAITS:
        raise RuleError(
            f"The party's decks would have {size:,} traits together; at most {MAX_PARTY_TRAITS:,} fight at once."
        )
