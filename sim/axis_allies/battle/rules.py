"""Rules of the dice battle: legal actions, their results, and what each seat may see.

In the fog a side's units, dice and losses are visible to that side alone until the battle is over; others see numbers
of hits. Nobody sees the dice of antiaircraft fire or the sums of low luck: they tell of the other army. A choice of
losses is visible only to the side that made it until both sides have chosen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, ClassVar

from sim.axis_allies import battle as v
from sim.axis_allies.army import Army
from sim.axis_allies.battle.campaign import ArmyCampaign
from sim.axis_allies.battle.challenge import PuzzleWeek
from sim.axis_allies.battle.coach import BattleCoach
from sim.axis_allies.battle.dice import Tally, bag_of
from sim.axis_allies.battle.log import log_line
from sim.axis_allies.battle.runner import ROUNDS_AT_ONCE, DiceRunner, ending_of
from sim.core.battle import CLOCK, REFEREE, LegalAction, RuleBook, Seat
from sim.core.luck import Throw
from sim.core.values import Ending, Side

_SECONDS_PER_DIE = 2e-6  # measured; a rough upper figure
_SECONDS_PER_ROUND = 2e-4


class DiceBattle(RuleBook[v.Setup, v.State, v.Action, v.Event]):
    """The live battle with dice of Axis & Allies, in every edition.

    The attacker or a referee fires; the attacker may retreat after any round; a side with manual losses picks them; a
    referee or the clock may end the time of sides that have not. The clock may begin a round, too.
    """

    name = "aa-battle"
    rules = 1
    seats = (Side.ATTACKER.value, Side.DEFENDER.value, REFEREE, CLOCK)
    campaign = ArmyCampaign()
    coach = BattleCoach()
    challenge = PuzzleWeek()
    runner = DiceRunner
    steps: ClassVar[Mapping[str, Callable[[DiceRunner, Any], None]]] = {
        "fire": lambda runner, _: runner.fire(),
        "retreat": lambda runner, _: runner.close(Ending.RETREAT),
        "run-out": lambda runner, _: runner.run(),
        "pick-losses": lambda runner, action: runner.pick(action.side, action.losses),
        "time-up": lambda runner, _: runner.call_time(),
    }

    def begin(self, setup: v.Setup) -> v.State:
        """Return the state before the first round, already over if neither side can hurt the other."""
        state = v.State(setup=setup, attacker=setup.attacker.fighters, defender=setup.defender.fighters)
        ending, winner = ending_of(state)
        phase = v.Phase.READY if ending is None else v.Phase.OVER
        return state.model_copy(update={"ending": ending, "winner": winner, "phase": phase})

    def legal(self, state: v.State) -> tuple[LegalAction[v.Action], ...]:
        """Return the legal actions."""
        attacker = Side.ATTACKER.value
        if state.phase is v.Phase.OVER:
            return ()
        if state.phase is v.Phase.READY:
            actions: list[LegalAction[v.Action]] = [
                LegalAction("fire", "Next round", (attacker, REFEREE, CLOCK), v.Fire()),
                LegalAction("run-out", "Fight to the end", (attacker, REFEREE), v.RunOut()),
            ]
            if state.round:
                actions.append(LegalAction("retreat", "Retreat", (attacker,), v.Retreat()))
            return tuple(actions)
        picks: list[LegalAction[v.Action]] = [
            LegalAction(f"pick-{pending.side}", f"Choose the {pending.side}'s losses", (pending.side.value,), None)
            for pending in state.pending
            if pending.awaited
        ]
        return (*picks, LegalAction("time-up", "Call time", (REFEREE, CLOCK), v.TimeUp()))

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return a rough upper bound on the seconds of `apply`."""
        armies = state.attacker, state.defender, state.setup.bombard
        dice = sum(int(group.count) for army in armies for group in army.groups)
        rounds = ROUNDS_AT_ONCE if isinstance(action, v.RunOut) or state.running else 1
        return rounds * (_SECONDS_PER_ROUND + _SECONDS_PER_DIE * dice)

    def lines(self, events: tuple[v.Event, ...]) -> list[str]:
        """Return the log of `events`, without choices that are still hidden, but with what the fog hides."""
        return [log_line(event) for event in events]

    def throws(self, state: v.State, events: tuple[v.Event, ...]) -> Iterator[Throw]:
        """Yield what each side threw, its ships and its antiaircraft guns included."""
        number = state.round
        for event in events:
            if isinstance(event, v.RoundBegan):
                number = event.number
            elif isinstance(event, v.Fired):
                moment = f"round {number}" if event.moment is None else event.moment.value
                rolled = sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
                dice = bag_of(event.throws, event.sums)
                yield Throw(seat=event.side.value, unit="hits", moment=moment, dice=dice, rolled=rolled)

    def visible_state(self, state: v.State, seat: Seat) -> v.State:
        """Return the state without what `seat` may not see; `hidden` has the sides whose armies are removed."""
        hidden = _hidden_sides(state, seat)
        update: dict[str, object] = {"hidden": hidden}
        setup: dict[str, object] = {}
        for side in hidden:
            nothing = state.army(side).with_groups(())  # of the same edition, which is no secret
            update |= {side.value: nothing, f"{side}_fire": Tally(), f"{side}_fires": None}
            setup |= {side.value: nothing, f"{side}_technology": ()}
            if not isinstance(state.setup.casualty_policy(side), str):  # an explicit order names units
                setup[f"{side}_losses"] = "score"
            if side is Side.ATTACKER:
                setup |= {"bombard": Army(), "landing": None}
        update["setup"] = state.setup.model_copy(update=setup)
        update["pending"] = tuple(due if due.side == seat else _visible_pending(due, hidden) for due in state.pending)
        return state.model_copy(update=update)

    def visible_events(self, state: v.State, events: tuple[v.Event, ...], seat: Seat) -> tuple[v.Event, ...]:
        """Return earlier events without what `seat` may not see in `state`."""
        hidden = _hidden_sides(state, seat)
        return tuple(_visible_event(event, hidden) for event in events) if hidden else events

    def hidden_rows(self, state: v.State, actions: Iterable[v.Action | None]) -> int | None:
        """Return how many of the last rows are hidden choices; None in the fog, which hides the setup."""
        if _in_fog(state):
            return None
        if not any(due.picked is not None for due in state.pending):
            return 0
        return sum(1 for _ in takewhile(lambda action: isinstance(action, v.PickLosses), actions))

    def why_not(self, state: v.State, action: v.Action) -> str:
        """Return why nobody may take `action` now."""
        if isinstance(action, v.PickLosses):
            due = state.due(action.side)
            chosen = due is not None and due.picked is not None
            return f"The {action.side} has {'already chosen its losses' if chosen else 'no losses to choose now'}."
        if isinstance(action, v.TimeUp):
            return "Nobody has losses to choose now."
        if state.phase is v.Phase.READY:
            return "The attacker can retreat only after the first round."
        return "Choose the losses first."

    def legal_name(self, action: v.Action) -> str:
        """Return the name of the legal action: each side picks its own losses."""
        return f"pick-{action.side}" if isinstance(action, v.PickLosses) else action.do


def _in_fog(state: v.State) -> bool:
    """Return whether armies are hidden."""
    return state.setup.fog and state.phase is not v.Phase.OVER


def _hidden_sides(state: v.State, seat: Seat) -> tuple[Side, ...]:
    return tuple(side for side in Side if side != seat) if _in_fog(state) else ()


def _visible_pending(due: v.Pending, hidden: tuple[Side, ...]) -> v.Pending:
    hits = v.Hits(rest=due.hits.total) if due.side in hidden else due.hits
    return due.model_copy(update={"hits": hits, "picked": None if due.picked is None else ()})


def _visible_event(event: v.Event, hidden: tuple[Side, ...]) -> v.Event:
    update: dict[str, object] = {}
    match event:
        case v.RoundBegan():
            update = {side.value: event.army(side).with_groups(()) for side in hidden}
        case v.Fired() if event.sums or event.moment is v.Moment.ANTIAIRCRAFT or event.side in hidden:
            update = {"throws": (), "sums": (), "hits": v.Hits(rest=event.hits.total)}
        case v.ChoiceDue() if event.side in hidden:
            update = {"hits": v.Hits(rest=event.hits.total)}
        case v.Lost() if event.side in hidden:
            update = {"losses": (), "wasted": 0, "hidden": sum(loss.count for loss in event.losses)}
    return event.model_copy(update=update)
