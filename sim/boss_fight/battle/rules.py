"""The rules of the party's fight: who may do what, what follows, the log (.docs/rules/boss_fight.md, "A party fight").

With hands (there: "Hands") a member chooses tokens for each exchange, and a die decides what the boss attacks with. A
round begins when the one before ends; who is away for a whole one comes back to Fury.

A round has one step for every member who is alive and present: members who join during it step last, members who leave
before their step have none. It ends as soon as nobody is left to take a step; if nobody lost health in it, the fight is
a stalemate. When all living members have left, the boss wins if anybody has fallen; otherwise the fight waits for
somebody to join.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from sim.boss_fight import battle as v
from sim.boss_fight.battle.campaign import LadderCampaign
from sim.boss_fight.battle.challenge import BossChallenge
from sim.boss_fight.battle.coach import FightCoach
from sim.boss_fight.exchange import Damage, damages
from sim.boss_fight.hands import ATTACKS, IDLE_ROUNDS, MOST, Attack, hand_of, has_choice
from sim.boss_fight.values import Deck, Moment, points
from sim.core import RuleError
from sim.core.battle import CLOCK, JOIN, REFEREE, IllegalActionError, Leave, LegalAction, RuleBook, StepRunner, Team
from sim.core.values import Ending, Paused

ROUNDS_AT_ONCE = 100
"""Rounds after which a run pauses: only a boss that takes hardly any damage lasts longer."""

_SECONDS_PER_STEP = 5e-4  # measured; a rough upper bound
_SECONDS_PER_TRAIT = 1e-5


class FightRunner(StepRunner[v.State, v.Event]):
    """Runs a step of a fight; `absent`: a member strikes for one who is absent."""

    absent = False

    def join(self, action: v.Join) -> None:
        """Add a member; RuleError for a full party or a deck that can't fight."""
        seat = self.state.free_seat
        if seat is None:
            raise RuleError("The party is full.")
        hands = self.state.setup.edition == v.HANDS
        deck = hand_of(action.deck) if hands else action.deck
        _check_deck(self.state, deck)
        member = self._member_of(seat, action.name or v.default_name(seat), deck)
        first = not self.state.entered
        if first:
            self._add_moment("entry")
        self.change(members=(*self.state.members, member), entered=True)
        self.events.append(v.Joined(seat=seat, name=member.name, health=member.health))
        if first and hands and has_choice(self.state.setup.boss):
            self.change(attacks=(self._foretell(1), self._foretell(2)))
        self._settle()

    def _member_of(self, seat: v.MemberSeat, name: str, deck: Deck) -> v.AnyMember:
        if self.state.setup.edition == v.HANDS:
            return v.HandMember(seat=seat, name=name, deck=deck, health=deck.health)
        to_boss, to_player = damages(self.state.setup.boss, deck.tokens)
        return v.DeckMember(seat=seat, name=name, deck=deck, health=deck.health, to_boss=to_boss, to_player=to_player)

    def _foretell(self, number: int) -> Attack:
        attack = ATTACKS[self.dice.roll(len(ATTACKS)) - 1]
        self.events.append(v.Foretold(number=number, attack=attack))
        return attack

    def leave(self) -> None:
        """Let a living member leave; forget one who hasn't fought yet."""
        member, others = self._parted()
        away = member.model_copy(update={"away": True})
        self.change(members=(*others, *([away] if member.hits else [])))
        self.events.append(v.Left(seat=self.seat, name=member.name, forgotten=not member.hits))
        self._settle()

    def come_back(self) -> None:
        """Bring a member back, last in the order of play."""
        member, others = self._parted()
        self.change(members=(*others, member.model_copy(update={"away": False})))
        self.events.append(v.Returned(seat=self.seat, name=member.name))
        self._settle()

    def play(self, action: v.Play) -> None:
        """Fight one exchange, to the end of the round, or to the end."""
        self.absent = action.late and self.seat != CLOCK
        {"step": self.strike, "round": self.finish_round, "run": self.run}[action.do]()

    def strike(self, chosen: v.Chosen | None = None) -> None:
        """Fight the next exchange, with the best tokens by default; it hits boss and member at the same time."""
        member = self.state.turn
        if member is None:
            raise RuleError("Nobody is in the fight yet.")
        hit: v.Exchanged | v.Struck
        after: v.AnyMember
        if isinstance(member, v.HandMember):
            hit = v.struck(self.state, member, self._tokens(member, chosen), absent=self.absent)
            dealt, lost = member.damage + hit.to_boss.total, member.lost + hit.to_player.total
            given = {"hits": hit.hits, "damage": dealt, "lost": lost, "tired": hit.tokens, "missed": False}
            after = member.model_copy(update=given)
        else:
            hit = v.Exchanged.of(self.state, member, member.to_boss, member.to_player)
            after = member.model_copy(update={"hits": hit.hits})
        if not self.state.acted:
            self.change(round=self.state.round + 1, harmed=False)
            self.events.append(v.RoundBegan(number=self.state.round))
        self.change(
            members=tuple(after if other is member else other for other in self.state.members),
            dealt=self.state.dealt + hit.to_boss.total,
            acted=(*self.state.acted, member.seat),
            harmed=self.state.harmed or bool(hit.to_boss.total or hit.to_player.total),
            last=hit,
        )
        self.events.append(hit)
        if after.fallen:
            self.events.append(v.Fell(seat=after.seat, name=after.name))
        if self.state.boss_left <= 0:
            self._add_moment("fall")
        elif not self.state.halved and 2 * self.state.boss_left <= self.state.setup.health:
            self._add_moment("half")
            self.change(halved=True)
        self._settle()

    def _tokens(self, member: v.HandMember, chosen: v.Chosen | None) -> v.Chosen:
        if chosen is None:
            return v.best_tokens(self.state, member)
        if len({*chosen}) < len(chosen) or not {*chosen} <= {*member.rested}:
            raise IllegalActionError(f"Choose 1 to {MOST} different tokens that have rested.")
        return chosen

    def finish_round(self) -> None:
        """Take steps until the end of the current round, or of the next one."""
        self.strike()
        while self.state.ending is None and self.state.acted:
            self.strike()

    def run(self) -> None:
        """Fight rounds until the end, at most `ROUNDS_AT_ONCE`."""
        while self.state.ending is None and len(self.rounds) < ROUNDS_AT_ONCE:
            self.finish_round()
            self.rounds.append(self.state)
        if self.state.ending is None:
            self.events.append(Paused(rounds=len(self.rounds)))

    def _settle(self) -> None:
        """End the fight or the round if nothing more can happen in it."""
        state = self.state
        anyone_fights = any(member.fights for member in state.members)
        if state.boss_left <= 0:
            self._end(Ending.ANNIHILATION if anyone_fights else Ending.MUTUAL, v.PARTY)
        elif not anyone_fights:
            if any(member.fallen for member in state.members):
                self._end(Ending.ANNIHILATION, v.BOSS)
        elif state.turn is None:
            idle = 0 if state.harmed else state.idle + 1
            hands = state.setup.edition == v.HANDS
            if idle == (IDLE_ROUNDS if hands else 1):
                self._end(Ending.STALEMATE, None)
            elif hands:
                self._turn_round(idle)
            else:
                self.change(acted=())

    def _turn_round(self, idle: int) -> None:
        """Begin the next round of a fight with hands."""
        state = self.state
        members = tuple(
            member.model_copy(update={"missed": True}) if member.away and member.seat not in state.acted else member
            for member in state.members
        )
        self.change(members=members, acted=(), idle=idle)
        if state.attacks:
            self.change(attacks=(state.attacks[-1], self._foretell(state.round + 2)))

    def _end(self, ending: Ending, winner: Literal["party", "boss"] | None) -> None:
        self.change(ending=ending, winner=winner)
        survivors = sum(member.fights for member in self.state.members)
        self.events.append(v.Ended(ending=ending, winner=winner, rounds=self.state.round, standing=survivors))

    def _add_moment(self, moment: Moment) -> None:
        boss = self.state.setup.boss
        self.events.append(v.BossMoment(name=boss.name, moment=moment, words=getattr(boss, moment)))

    def _parted(self) -> tuple[v.AnyMember, list[v.AnyMember]]:
        (member,) = (member for member in self.state.members if member.seat == self.seat)
        return member, [other for other in self.state.members if other is not member]


_NOT_NOW = {
    "join": "The party is full.",
    **dict.fromkeys(("leave", "step", "round", "run"), "Nobody is in the fight yet."),
    "return": "Nobody has left.",
    "put-up": "Nobody can choose tokens now.",
}
_NOT_YOURS = {
    "join": "You are in this fight already.",
    "leave": "Only a living member can leave.",
    "return": "Only a member who has left can come back.",
    **dict.fromkeys(("step", "put-up"), "It is another member's turn."),
    "round": "Only a referee, or a member who fights alone, can play a whole round.",
    "run": "Only a referee, or a member who fights alone, can play to the end.",
}


class BossFight(RuleBook[v.Setup, v.State, v.Action, v.Event]):
    """A party against one boss.

    Anyone joins, members leave and come back. A step belongs to the member whose turn it is and to a referee; a round
    or a run, with steps of several members, to a referee or to the member who fights alone. The actions that end in
    "-for" are the same on behalf of an absent member: for every member, and the step also for the clock. The only dice
    are those of a boss's attacks on hands.

    The rules have no clock: the bot offers "-for" once the member whose turn it is has let five minutes pass.
    """

    name = "boss-fight"
    rules = 1
    seats = (*v.MEMBERS, REFEREE, CLOCK)
    campaign = LadderCampaign()
    challenge = BossChallenge()
    coach = FightCoach()
    runner = FightRunner
    steps: ClassVar[Mapping[str, Callable[[FightRunner, Any], None]]] = {
        "join": FightRunner.join,
        "leave": lambda runner, _: runner.leave(),
        "return": lambda runner, _: runner.come_back(),
        "put-up": lambda runner, action: runner.strike(action.tokens),
        **dict.fromkeys(("step", "round", "run"), FightRunner.play),
    }
    over, not_now, not_yours = "The fight is over.", _NOT_NOW, _NOT_YOURS

    def begin(self, setup: v.Setup) -> v.State:
        """Return the state before anybody has joined."""
        return v.State(setup=setup, dealt=setup.dealt, halved=2 * (setup.health - setup.dealt) <= setup.health)

    def legal(self, state: v.State) -> tuple[LegalAction[v.Action], ...]:
        """Return the legal actions; a join comes without its action, which needs a name and a deck."""
        if state.ending is not None:
            return ()
        choices = _steps(state)
        if state.free_seat is not None:
            choices.append(JOIN)
        present = tuple(member.seat for member in state.members if member.fights)
        choices.append(LegalAction("leave", "Leave", present, Leave()))
        away = tuple(member.seat for member in state.members if member.away)
        choices.append(LegalAction("return", "Come back", away, v.Return()))
        # Who fights alone neither leaves nor is stood in for.
        names = _ALONE if state.setup.alone else {choice.name for choice in choices}
        return tuple(choice for choice in choices if choice.seats and choice.name in names)

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return a rough upper bound on the seconds that `apply` takes."""
        size = sum(member.deck.size for member in state.members)
        size += action.deck.size if isinstance(action, v.Join) else 0
        steps = {"round": len(v.MEMBERS), "run": len(v.MEMBERS) * ROUNDS_AT_ONCE}.get(action.do, 1)
        return steps * _SECONDS_PER_STEP + size * _SECONDS_PER_TRAIT

    def lines(self, events: tuple[v.Event, ...]) -> list[str]:
        """Return a line for each event; those within a round are indented by two blanks."""
        return [_line(event) for event in events]

    def standings(self, state: v.State) -> tuple[Team, ...]:
        """Return the party as one team: first if the boss fell."""
        if state.ending is None:
            return ()
        seats = tuple(member.seat for member in state.members)
        return (Team(place=1 if state.winner == "party" else 2, seats=seats),)


_ALONE = {"step", "run", "put-up", JOIN.name}


def _steps(state: v.State) -> list[LegalAction[v.Action]]:
    """Return the steps; nobody may take those that are impossible now."""
    turn = state.turn
    if turn is None:
        return []
    hands, rested = (True, bool(turn.rested)) if isinstance(turn, v.HandMember) else (False, False)
    own = (turn.seat,) if state.setup.alone else (turn.seat, REFEREE)
    run_seats = own if sum(member.fights for member in state.members) == 1 else (REFEREE,)
    round_seats = (REFEREE,) if hands else run_seats  # alone, a step is a round
    others = tuple(member.seat for member in state.members if not member.away and member is not turn)
    return [
        LegalAction("step", "Strike with the best" if hands else "Step", own, v.Play()),
        LegalAction("round", "Next round", round_seats, v.Play(do="round")),
        LegalAction("run", "Fight to the end", run_seats, v.Play(do="run")),
        LegalAction("put-up", "Choose tokens", (turn.seat,) if rested else (), None),
        LegalAction("step-for", "Step for the absent", (*others, CLOCK), v.Play(late=True)),
        LegalAction("round-for", "Next round for the absent", others, v.Play(do="round", late=True)),
        LegalAction("run-for", "Fight to the end for the absent", others, v.Play(do="run", late=True)),
    ]


def _check_deck(state: v.State, deck: Deck) -> None:
    """Raise RuleError if a deck can't join this fight."""
    if not deck.health:
        raise RuleError("A deck without health can't fight: you would be down from the start.")
    size = deck.size + sum(member.deck.size for member in state.members)
    if size > v.MAX_PARTY_TRAITS:
        raise RuleError(
            f"The party's decks would have {size:,} traits together; at most {v.MAX_PARTY_TRAITS:,} are allowed."
        )


_MOMENTS = {"entry": "{name} enters.", "half": "{name} is down to half its health.", "fall": "{name} falls."}


def _line(event: v.Event) -> str:
    match event:
        case v.Joined():
            line = f"{event.name} joins with {points(event.health)} health."
        case v.Left() | v.Returned():
            left = "leaves before the first exchange" if isinstance(event, v.Left) and event.forgotten else "leaves"
            line = f"{event.name} {left if isinstance(event, v.Left) else 'comes back'}."
        case v.RoundBegan():
            line = f"Round {event.number}"
        case v.Foretold():
            line = f"Round {event.number}: {event.attack.capitalize()}."
        case v.Exchanged() | v.Struck():
            line = _exchange_line(event)
        case v.Fell():
            line = f"  {event.name} is down."
        case v.BossMoment():
            line = _MOMENTS[event.moment].format(name=event.name) + (f" {event.words}" if event.words else "")
        case Paused():
            line = f"{event.rounds} rounds played; the fight goes on."
        case v.Ended():
            line = _ending_line(event)
    return line


def _exchange_line(event: v.Exchanged | v.Struck) -> str:
    boss = "which falls" if event.boss_left <= 0 else f"{points(event.boss_left)} left"
    own = "none" if event.left <= 0 else points(event.left)
    how = ""
    if isinstance(event, v.Struck):
        how = (
            f" ({', '.join(event.tokens) or 'no rested token'}{'; away, so the party strikes' if event.absent else ''})"
        )
    line = f"  {event.name}{how}: {damage_text(event.to_boss)} to the boss, {boss}; "
    line += f"{damage_text(event.to_player)} back, {own} of {points(event.health)} left."
    return f"{line} Score {points(event.score)}." if event.score else line


def damage_text(damage: Damage, mark: str = "") -> str:
    """Return damage, as a sum if it has both kinds: `2500 physical + 1500 magical = 4000`; `mark` encloses the sum."""
    parts = [
        f"{points(value)} {kind}"
        for kind, value in (("physical", damage.physical), ("magical", damage.magical))
        if value
    ]
    if not parts:
        return "0"
    return parts[0] if len(parts) == 1 else f"{' + '.join(parts)} = {mark}{points(damage.total)}{mark}"


def _ending_line(event: v.Ended) -> str:
    rounds = f"after {event.rounds} {'round' if event.rounds == 1 else 'rounds'}"
    if event.ending is Ending.STALEMATE:
        return f"Stalemate {rounds}: neither side can hit the other."
    if event.winner == "boss":
        return f"The boss wins {rounds}."
    left = f"with {event.standing} still standing" if event.standing else "and nobody is left standing"
    return f"The party wins {rounds}, {left}."
