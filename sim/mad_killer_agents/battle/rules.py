"""Rules of the war on a map: the legal actions and what each of them does."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from sim.core import RuleError, TextError
from sim.core import battle as b
from sim.core.battle import Team
from sim.core.dice import Dice
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import board_of
from sim.mad_killer_agents.battle.campaign import WarCampaign
from sim.mad_killer_agents.battle.events import Event, log
from sim.mad_killer_agents.battle.runner import MAX_AI_SECONDS, WarRunner, turn_seconds
from sim.mad_killer_agents.constants import MAX_PLAYERS, MIN_PLAYERS

_BASE_SECONDS = 0.1  # to read, write and check the largest state; a generous estimate


class MapWar(b.RuleBook[v.Setup, v.State, v.Action, Event]):
    """Mad Killer Agents.

    Before the game begins anyone can join, with the seat that the `Joined` event names; players and the referee add AIs
    and begin. The player on turn gives orders, undoes them and ends the turn; AIs that follow play in the same step, up
    to a time limit. The clock or the referee lets an AI play a turn that lasts too long; the clock may also end it.
    Anyone without a seat may take over from an AI.
    """

    name = "mka"
    rules = 1
    campaign = WarCampaign()
    runner = WarRunner
    steps: ClassVar[Mapping[str, Callable[[WarRunner, Any], None]]] = {
        "join": lambda runner, action: runner.add(runner.state.new_player(action.name)),
        "add-ai": lambda runner, action: runner.add(runner.state.new_ai(action.ai)),
        "leave": lambda runner, _: runner.remove(runner.state.seated(runner.seat)),
        "remove-ai": lambda runner, action: runner.remove_ai(action.number),
        "begin": lambda runner, _: runner.begin(),
        "give": lambda runner, action: runner.give_orders(action.orders),
        "write": lambda runner, action: runner.write_orders(action.text),
        "undo": lambda runner, _: runner.undo(1),
        "undo-turn": lambda runner, _: runner.undo(len(runner.state.orders)),
        "end-turn": lambda runner, _: runner.end_turn(),
        "time-up": lambda runner, _: runner.play_turn(runner.player.deputy),
        "go-on": lambda *_: None,
        "resign": lambda runner, _: runner.resign(),
        **dict.fromkeys(("away", "back", "deputy"), WarRunner.choose_deputy),
        "replace": WarRunner.replace,
        "take-over": WarRunner.take_over,
    }
    begin = staticmethod(v.State.begin)
    lines = staticmethod(log)
    over = "The game is over."
    seats = (*v.PLAYER_SEATS, b.REFEREE, b.CLOCK, b.ANYONE)

    def legal(self, state: v.State) -> tuple[b.LegalAction[v.Action], ...]:
        """Return the legal actions."""
        if state.phase is v.Phase.LOBBY:
            return tuple(_in_lobby(state))
        return tuple(_in_play(state)) if state.phase is v.Phase.PLAYING else ()

    def cost(self, state: v.State, action: v.Action) -> float:
        """Return an upper estimate, in seconds, of `apply`."""
        if action.do not in _LETS_AIS_PLAY:
            return _BASE_SECONDS
        drawing = state.setup.drawing
        tiles = drawing.width * drawing.height
        armies = 0
        if state.world is not None:
            tiles, armies = state.world.width * state.world.height, len(state.world.armies)
        # Only the first AI turn of a step may exceed the limit; an AI may also play the person's own turn.
        return _BASE_SECONDS + max(MAX_AI_SECONDS, turn_seconds(tiles, armies)) + turn_seconds(tiles, armies)

    def step(self, state: v.State, action: v.Action, seat: b.Seat, dice: Dice) -> b.Step[v.State, Event]:
        """Return the step of a legal action; TextError for orders as text that can't be read or aren't allowed."""
        try:
            return super().step(state, action, seat, dice)
        except (b.IllegalActionError, TextError):
            raise
        except RuleError as error:
            raise b.IllegalActionError(str(error)) from None

    def outcome(self, state: v.State) -> b.Outcome | None:
        """Return why the game ended; a shared victory has no winner."""
        if state.ending is None:
            return None
        winner = None if state.winner is None else v.seat_of(state.winner)
        return b.Outcome(ending=state.ending, winner=winner, rounds=state.round)

    def standings(self, state: v.State) -> tuple[Team, ...]:
        """Return every player as a team: those who won or share the victory first, the others by their scores."""
        if state.ending is None:
            return ()
        best = {state.winner, *state.sharing}
        points = {player.number: 0 for player in state.players}
        if state.world is not None:
            points |= dict(board_of(state).scores())
        ranks = {number: (number in best, points[number]) for number in points}
        return tuple(
            Team(place=1 + sum(other > rank for other in ranks.values()), seats=(v.seat_of(number),))
            for number, rank in ranks.items()
        )

    def why_not(self, state: v.State, action: v.Action) -> str:
        """Return why nobody may take `action` now."""
        if state.phase is v.Phase.LOBBY:
            return _WHY_NOT_IN_LOBBY.get(action.do, "That can't be done before the game begins.")
        if action.do in {"join", "leave", "add-ai", "remove-ai", "begin"}:
            return "The game has already begun."
        return _WHY_NOT.get(action.do, "That can't be done now.")

    def why_not_seat(self, state: v.State, action: v.Action, seats: tuple[b.Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del seats
        if state.phase is v.Phase.PLAYING and action.do in {"give", "write", "undo", "undo-turn", "end-turn"}:
            return f"It's {state.player(state.turn).name}'s turn."
        return "That isn't yours to do."


_LETS_AIS_PLAY = frozenset({"begin", "write", "end-turn", "resign", "away", "replace", "time-up", "go-on"})
_MAX_SHOWN = 24  # of a name on a button
_WHY_NOT_IN_LOBBY = {
    "begin": f"A game needs at least {MIN_PLAYERS} players.",
    "remove-ai": "There is no AI to remove.",
}
_WHY_NOT = {
    **dict.fromkeys(("undo", "undo-turn"), "You have given no orders in this turn."),
    "go-on": "No AI is waiting to play.",
    "back": "Nobody is away.",
    "take-over": "No AI is left to take over from.",
}


def _in_lobby(state: v.State) -> list[b.LegalAction[v.Action]]:
    people = _seats(player for player in state.players if player.ai is None)
    hosts = (*people, b.REFEREE) if people else (b.REFEREE, b.ANYONE)
    actions: list[b.LegalAction[v.Action]] = []
    if len(state.players) < MAX_PLAYERS:
        actions += [b.JOIN, b.LegalAction("add-ai", "Add an AI", hosts, None)]
    if people:
        actions.append(b.LegalAction("leave", "Leave", people, b.Leave()))
    if any(player.ai for player in state.players):
        actions.append(b.LegalAction("remove-ai", "Remove an AI", hosts, None))
    if len(state.players) >= MIN_PLAYERS:
        actions.append(_plain("begin", "Begin", hosts))
    return actions


def _in_play(state: v.State) -> list[b.LegalAction[v.Action]]:
    living = [player for player in state.players if not state.is_out(player.number)]
    people = [player for player in living if player.ai is None]
    actions: list[b.LegalAction[v.Action]] = []
    if state.player(state.turn).played_by is None:
        own = (v.seat_of(state.turn),)
        actions += [b.LegalAction("give", "Order", own, None), b.LegalAction("write", "Write orders", own, None)]
        if state.orders:
            actions += [_plain("undo", "Undo", own), _plain("undo-turn", "Undo all", own)]
        actions.append(_plain("end-turn", "End turn", (*own, b.CLOCK)))
        actions.append(_plain("time-up", "Call time", (b.REFEREE, b.CLOCK)))
    else:
        everybody = (*_seats(state.players), b.REFEREE, b.CLOCK, b.ANYONE)
        actions.append(_plain("go-on", "Let the AIs play on", everybody))
    if present := _seats(player for player in people if not player.away):
        actions.append(b.LegalAction("away", "I'm away", present, v.Away()))
    if away := _seats(player for player in people if player.away):
        actions.append(_plain("back", "I'm back", away))
    if seats := _seats(people):
        actions.append(b.LegalAction("deputy", "Choose who plays for me", seats, None))
        actions.append(_plain("resign", "Resign", seats))
        # A referee who also plays acts as the referee.
        actions.append(b.LegalAction("replace", "Replace with an AI", (b.REFEREE, *seats), None))
    if ais := [player for player in living if player.ai is not None]:
        whom = ais[0].name[:_MAX_SHOWN] if len(ais) == 1 else "an AI"
        actions.append(b.LegalAction("take-over", f"Take over from {whom}", (b.ANYONE,), None))
    return actions


def _plain(name: Any, label: str, seats: tuple[b.Seat, ...]) -> b.LegalAction[v.Action]:  # noqa: ANN401  # one of its names
    return b.LegalAction(name, label, seats, v.PlainAction(do=name))


def _seats(players: Iterable[v.Player]) -> tuple[b.Seat, ...]:
    return tuple(v.seat_of(player.number) for player in players)
