"""The course of a party's fight: joining, leaving, exchanges, the end (.docs/rules/boss_fight.md, "A party fight").

A round has one step for every member who is alive and present: members who join during it step last, members who leave
before their step have none. It ends as soon as nobody is left to take a step; if nobody lost health in it, the fight is
a stalemate. When all living members have left, the boss wins if anybody has fallen; otherwise the fight waits for
somebody to join.
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
    Returned,
    RoundBegan,
    State,
    default_name,
    exchanged,
)
from sim.boss_fight.exchange import exchange
from sim.boss_fight.values import Deck
from sim.core.battle import Seat
from sim.core.errors import RuleError
from sim.core.values import Ending, Paused

ROUNDS_AT_ONCE = 100
"""Rounds after which a run pauses: only a boss that takes hardly any damage lasts longer."""


class StepRunner:
    """Applies one action: changes `state` and records `events`."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []
        self.rounds: list[State] = []

    def join(self, action: Join) -> None:
        """Add a member; RuleError for a full party or a deck that can't fight."""
        seat = self.state.free_seat
        if seat is None:
            raise RuleError("The party is full.")
        _check_deck(self.state, action.deck)
        figures = exchange(self.state.setup.boss, action.deck)
        member = Member(
            seat=seat,
            name=action.name or default_name(seat),
            deck=action.deck,
            health=figures.player_health,
            to_boss=figures.to_boss,
            to_player=figures.to_player,
        )
        if not self.state.entered:
            self._add_moment(Moment.ENTRY)
        self._set(members=(*self.state.members, member), entered=True)
        self.events.append(Joined(seat=seat, name=member.name, health=member.health))
        self._settle()

    def leave(self, seat: Seat) -> None:
        """Let a living member leave; forget one who hasn't fought yet."""
        member = self._member(seat)
        others = self._others(seat)
        away = member.model_copy(update={"away": True})
        self._set(members=(*others, away) if member.hits else others)
        self.events.append(Left(seat=seat, name=member.name, forgotten=not member.hits))
        self._settle()

    def come_back(self, seat: Seat) -> None:
        """Bring a member back, last in the order of play."""
        member = self._member(seat)
        self._set(members=(*self._others(seat), member.model_copy(update={"away": False})))
        self.events.append(Returned(seat=seat, name=member.name))
        self._settle()

    def step(self) -> None:
        """Fight the next exchange; it hits boss and member at the same time."""
        member = self.state.turn
        if member is None:
            raise RuleError("Nobody is in the fight yet.")
        if not self.state.acted:
            self._set(round=self.state.round + 1, harmed=False)
            self.events.append(RoundBegan(number=self.state.round))
        hit = exchanged(self.state, member)
        after = member.model_copy(update={"hits": hit.hits})
        self._set(
            members=tuple(after if other is member else other for other in self.state.members),
            dealt=self.state.dealt + hit.to_boss.total,
            acted=(*self.state.acted, member.seat),
            harmed=self.state.harmed or bool(hit.to_boss.total or hit.to_player.total),
            last=hit,
        )
        self.events.append(hit)
        if after.fallen:
            self.events.append(Fell(seat=after.seat, name=after.name))
        self._check_boss()
        self._settle()

    def finish_round(self) -> None:
        """Take steps until the end of the current round, or of the next one."""
        self.step()
        while self.state.ending is None and self.state.acted:
            self.step()

    def run(self) -> None:
        """Fight rounds until the end, at most `ROUNDS_AT_ONCE`."""
        rounds = 0
        while self.state.ending is None and rounds < ROUNDS_AT_ONCE:
            self.finish_round()
            self.rounds.append(self.state)
            rounds += 1
        if self.state.ending is None:
            self.events.append(Paused(rounds=rounds))

    def _check_boss(self) -> None:
        left = self.state.boss_left
        if left <= 0:
            self._add_moment(Moment.FALL)
        elif not self.state.halved and 2 * left <= self.state.setup.health:
            self._add_moment(Moment.HALF)
            self._set(halved=True)

    def _settle(self) -> None:
        """End the fight or the round if nothing more can happen in it."""
        state = self.state
        anyone_fights = any(member.fights for member in state.members)
        if state.boss_left <= 0:
            self._end(Ending.ANNIHILATION if anyone_fights else Ending.MUTUAL, PARTY)
        elif not anyone_fights:
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

    def _add_moment(self, moment: Moment) -> None:
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


def _check_deck(state: State, deck: Deck) -> None:
    """Raise RuleError if a deck can't join this fight."""
    if not deck.health:
        raise RuleError("A deck without health can't fight: you would be down from the start.")
    size = deck.size + sum(member.deck.size for member in state.members)
    if size > MAX_PARTY_TRAITS:
        raise RuleError(
            f"The party's decks would have {size:,} traits together; at most {MAX_PARTY_TRAITS:,} are allowed."
        )
