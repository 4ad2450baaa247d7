"""The rules of the party's fight: who may do what, and what follows."""

from sim.boss_fight.battle.campaign import LadderCampaign
from sim.boss_fight.battle.log import log
from sim.boss_fight.battle.runner import ROUNDS_AT_ONCE, StepRunner
from sim.boss_fight.battle.values import (
    MEMBERS,
    Action,
    Event,
    Join,
    Return,
    Round,
    Run,
    Setup,
    State,
    TakeStep,
)
from sim.core.battle import CLOCK, REFEREE, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.lobby import JOIN, Leave
from sim.core.standings import Team

_SECONDS_PER_STEP = 5e-4  # measured; a rough upper bound
_SECONDS_PER_TRAIT = 1e-5


class BossFight(RuleBook[Setup, State, Action, Event]):
    """A party against one boss.

    Anyone joins, members leave and come back. A step belongs to the member whose turn it is and to a referee; a round
    or a run, with steps of several members, to a referee or to the member who fights alone. The actions that end in
    "-for" are the same on behalf of an absent member: for every member, and the step also for the clock. There are no
    dice.

    The rules have no clock: the bot offers "-for" once the member whose turn it is has let five minutes pass.
    """

    name = "boss-fight"
    rules = 1
    seats = (*MEMBERS, REFEREE, CLOCK)
    campaign = LadderCampaign()

    def begin(self, setup: Setup) -> State:
        """Return the state before anybody has joined."""
        return State(setup=setup, dealt=setup.dealt, halved=2 * (setup.health - setup.dealt) <= setup.health)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return the legal actions; a join comes without its action, which needs a name and a deck."""
        if state.ending is not None:
            return ()
        choices = _steps(state)
        if state.free_seat is not None:
            choices.append(JOIN)
        present = tuple(member.seat for member in state.members if member.fights)
        if present:
            choices.append(LegalAction("leave", "Leave", present, Leave()))
        away = tuple(member.seat for member in state.members if member.away)
        if away:
            choices.append(LegalAction("return", "Come back", away, Return()))
        return tuple(choices)

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper bound of the seconds that `apply` takes."""
        size = sum(member.deck.size for member in state.members)
        size += action.deck.size if isinstance(action, Join) else 0
        steps = {"round": len(MEMBERS), "run": len(MEMBERS) * ROUNDS_AT_ONCE}.get(action.do, 1)
        return steps * _SECONDS_PER_STEP + size * _SECONDS_PER_TRAIT

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Fight, join, leave or come back; no die is rolled."""
        del dice
        runner = StepRunner(state)
        match action:
            case Join():
                runner.join(action)
            case Leave():
                runner.leave(seat)
            case Return():
                runner.come_back(seat)
            case TakeStep():
                runner.step()
            case Round():
                runner.finish_round()
            case Run():
                runner.run()
        return Step(runner.state, tuple(runner.events), tuple(runner.rounds))

    def outcome(self, state: State) -> Outcome | None:
        """Return why the fight ended; the winner is "party", "boss" or None."""
        if state.ending is None:
            return None
        return Outcome(ending=state.ending, winner=state.winner, rounds=state.round)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the log of `events`."""
        return log(events)

    def standings(self, state: State) -> tuple[Team, ...]:
        """Return the party as one team: first if the boss fell."""
        if state.ending is None:
            return ()
        seats = tuple(member.seat for member in state.members)
        return (Team(place=1 if state.winner == "party" else 2, seats=seats),)

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        return "The fight is over." if state.ending is not None else _WHY_NOT[action.do]

    def why_not_seat(self, state: State, action: Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del state, seats
        return _NOT_YOURS[action.do]

    def legal_name(self, action: Action) -> str:
        """Return the name of the legal action: steps for an absent member have their own."""
        late = isinstance(action, TakeStep | Round | Run) and action.late
        return f"{action.do}-for" if late else action.do


_WHY_NOT = {
    "join": "The party is full.",
    "leave": "Nobody is in the fight yet.",
    "return": "Nobody has left.",
    "step": "Nobody is in the fight yet.",
    "round": "Nobody is in the fight yet.",
    "run": "Nobody is in the fight yet.",
}
_NOT_YOURS = {
    "join": "You are in this fight already.",
    "leave": "Only a living member can leave.",
    "return": "Only a member who has left can come back.",
    "step": "It is another member's turn.",
    "round": "Only a referee, or a member who fights alone, plays a whole round.",
    "run": "Only a referee, or a member who fights alone, plays to the end.",
}


def _steps(state: State) -> list[LegalAction[Action]]:
    turn = state.turn
    if turn is None:
        return []
    alone = sum(member.fights for member in state.members) == 1
    round_seats = (turn.seat, REFEREE) if alone else (REFEREE,)
    choices: list[LegalAction[Action]] = [
        LegalAction("step", "Step", (turn.seat, REFEREE), TakeStep()),
        LegalAction("round", "Round", round_seats, Round()),
        LegalAction("run", "Play to the end", round_seats, Run()),
    ]
    others = tuple(member.seat for member in state.members if not member.away and member is not turn)
    choices.append(LegalAction("step-for", "Step for the absent", (*others, CLOCK), TakeStep(late=True)))
    if others:
        choices.append(LegalAction("round-for", "Round for the absent", others, Round(late=True)))
        choices.append(LegalAction("run-for", "Play to the end for the absent", others, Run(late=True)))
    return choices
