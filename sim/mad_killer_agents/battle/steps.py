"""What each legal action does to a game."""

from collections.abc import Callable
from typing import Any

from sim.core.battle import REFEREE, IllegalActionError, Seat, Step
from sim.core.dice import Dice
from sim.mad_killer_agents.battle.actions import (
    Action,
    AddAi,
    Away,
    Back,
    Begin,
    Deputy,
    EndTurn,
    Give,
    GoOn,
    Join,
    Leave,
    RemoveAi,
    Replace,
    Resign,
    TimeUp,
    Undo,
    UndoTurn,
    Write,
)
from sim.mad_killer_agents.battle.events import Began, DeputyChanged, Event, Joined, Left, Replaced
from sim.mad_killer_agents.battle.lobby import ai_name, check_company, drawn, seated
from sim.mad_killer_agents.battle.runner import StepRunner
from sim.mad_killer_agents.battle.values import Player, State, number_of, seat_of


def is_out(state: State, number: int) -> bool:
    """Return whether a player is out of the game, as everybody is before it begins."""
    return state.world is None or any(agent.out for agent in state.world.agents if agent.number == number)


def _number(seat: Seat) -> int:
    number = number_of(seat)
    if number is None:
        raise IllegalActionError("That is for players to do.")
    return number


def _join(state: State, action: Join, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    return _sit(state, seated(state, action.name, None))


def _add_ai(state: State, action: AddAi, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    return _sit(state, seated(state, ai_name(state, action.ai), action.ai))


def _sit(state: State, player: Player) -> Step[State, Event]:
    players = tuple(sorted((*state.players, player), key=lambda other: other.number))
    event = Joined(by=player.number, name=player.name, ai=player.ai)
    return Step(state.model_copy(update={"players": players}), (event,))


def _leave(state: State, action: Leave, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action, dice
    return _stand_up(state, state.player(_number(seat)))


def _remove_ai(state: State, action: RemoveAi, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    player = state.player(action.number)
    if player.ai is None:
        raise IllegalActionError(f"{player.name} is no AI.")
    return _stand_up(state, player)


def _stand_up(state: State, player: Player) -> Step[State, Event]:
    players = tuple(other for other in state.players if other.number != player.number)
    return Step(state.model_copy(update={"players": players}), (Left(by=player.number, name=player.name),))


def _begin(state: State, action: Begin, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action, seat
    check_company(player.ai for player in state.players)
    board = drawn(state, dice)
    runner = StepRunner(state, dice, board)
    names = tuple((player.number, player.name) for player in state.players)
    runner.events.append(Began(world=board.world(), players=names))
    runner.begin()
    runner.go_on()
    return Step(runner.state, tuple(runner.events))


def _turn(do: Callable[[StepRunner, Any], None]) -> Callable[..., Step[State, Event]]:
    """Return what does something in a turn, lets the AIs that follow play, and tells of it."""

    def done(state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        del seat
        runner = StepRunner(state, dice)
        do(runner, action)
        runner.go_on()
        return Step(runner.state, tuple(runner.events))

    return done


def _time_up(runner: StepRunner, action: TimeUp) -> None:
    del action
    runner.play_turn(runner.player.deputy)


def _keep(state: State, action: Away | Back | Deputy, seat: Seat, dice: Dice) -> Step[State, Event]:
    """Settle who plays for a person; where it is that person's turn, who is away has it played at once."""
    player = state.player(_number(seat))
    away = player.away if isinstance(action, Deputy) else isinstance(action, Away)
    deputy = player.deputy if isinstance(action, Back) else action.ai or player.deputy
    after = player.model_copy(update={"away": away, "deputy": deputy})
    return _exchange(state, after, DeputyChanged(by=player.number, name=player.name, deputy=deputy, away=away), dice)


def _replace(state: State, action: Replace, seat: Seat, dice: Dice) -> Step[State, Event]:
    player = state.player(action.number)
    if seat not in {REFEREE, seat_of(action.number)}:
        raise IllegalActionError("Only the referee puts an AI in another player's place.")
    if player.ai is not None or is_out(state, player.number):
        raise IllegalActionError(f"{player.name} {'is out of the game' if player.ai is None else 'is an AI already'}.")
    after = player.model_copy(update={"ai": action.ai, "away": False})
    return _exchange(state, after, Replaced(by=player.number, name=player.name, ai=action.ai), dice)


def _exchange(state: State, player: Player, event: Event, dice: Dice) -> Step[State, Event]:
    runner = StepRunner(state, dice)
    runner.set_players([player if other.number == player.number else other for other in state.players])
    runner.events.append(event)
    if state.turn == player.number and state.player(player.number).played_by is None:
        # What waited for the player waits no longer; a turn that an AI pauses in waits for somebody to let it go on.
        runner.go_on()
    elif state.turn == player.number and player.played_by is None:
        runner.hand_over()
    return Step(runner.state, tuple(runner.events))


def _resign(state: State, action: Resign, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action
    runner = StepRunner(state, dice)
    runner.resign(_number(seat))
    runner.go_on()
    return Step(runner.state, tuple(runner.events))


STEPS: dict[type, Callable[[State, Any, Seat, Dice], Step[State, Event]]] = {
    Join: _join,
    AddAi: _add_ai,
    Leave: _leave,
    RemoveAi: _remove_ai,
    Begin: _begin,
    Give: _turn(lambda runner, action: runner.give(action.orders)),
    Write: _turn(lambda runner, action: runner.write(action.text)),
    Undo: _turn(lambda runner, _: runner.undo(1)),
    UndoTurn: _turn(lambda runner, _: runner.undo(len(runner.state.orders))),
    EndTurn: _turn(lambda runner, _: runner.end_turn()),
    TimeUp: _turn(_time_up),
    GoOn: _turn(lambda runner, _: None),  # noqa: ARG005  # the AIs play anyway
    Resign: _resign,
    Away: _keep,
    Back: _keep,
    Deputy: _keep,
    Replace: _replace,
}
