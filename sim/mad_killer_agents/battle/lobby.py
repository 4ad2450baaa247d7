"""The lobby before a game: who takes part, under which names, and the board to begin on."""

from collections.abc import Iterable

from sim.core.battle import first_free
from sim.core.caret import visible
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import MAX_NAME, Player, Setup, State, player_name
from sim.mad_killer_agents.constants import LATER_UNITS, MAX_PLAYERS, MIN_PLAYERS, AiKind
from sim.mad_killer_agents.terrain import shuffled, spread_tiles, starting_tiles


def initial_state(setup: Setup) -> State:
    """Return the state in which players join."""
    players = (
        Player(number=number, name=entrant.name, ai=entrant.ai) for number, entrant in enumerate(setup.players, start=1)
    )
    return State(setup=setup, players=tuple(players))


def available_name(text: str, state: State) -> str:
    """Return a name that can join, close to `text`: without invisible characters, numbered if it is taken."""
    seen = "".join(char for char in text if visible(char) == char)
    base = " ".join(seen.split())[:MAX_NAME].strip()
    if not any(char.isalnum() for char in base):
        base = "Player"
    return _unique(base, state)


def _taken(state: State) -> set[str]:
    return {player.name.casefold() for player in state.players}


def _unique(base: str, state: State) -> str:
    name, number = base, 1
    while name.casefold() in _taken(state):
        number += 1
        name = f"{base[: MAX_NAME - 3].strip()} {number}"
    return name


def new_player(state: State, name: str, ai: AiKind | None = None) -> Player:
    """Return a player for the first free seat; RuleError if none is free or the name is taken."""
    free = first_free(range(1, MAX_PLAYERS + 1), {player.number for player in state.players})
    if free is None:
        raise RuleError(f"All {MAX_PLAYERS} seats are taken.")
    if player_name(name).casefold() in _taken(state):
        raise RuleError(f"Somebody is already called {name}.")
    return Player(number=free, name=player_name(name), ai=ai)


def new_ai(state: State, ai: AiKind) -> Player:
    """Return an AI of that kind under a free name; RuleError if no seat is free."""
    return new_player(state, _unique(ai.capitalize(), state), ai)


def check_players(kinds: Iterable[AiKind | None]) -> None:
    """Raise RuleError if these players can't play with each other."""
    players = list(kinds)
    if len(players) < MIN_PLAYERS:
        raise RuleError(f"A game needs at least {MIN_PLAYERS} players.")
    if len(players) > MAX_PLAYERS:
        raise RuleError(f"A game has at most {MAX_PLAYERS} players.")
    if AiKind.BARBARIAN in players and len(players) == MIN_PLAYERS:
        raise RuleError("A barbarian needs more than 2 players.")


def begin_board(state: State, dice: Dice) -> tuple[State, Board]:
    """Return the state with the order of play, and the board to begin on; RuleError if the map lacks room."""
    version, players = state.setup.edition, {player.number: player.name for player in state.players}
    order = () if version == 1 else tuple(shuffled(list(players), dice))
    terrain = state.setup.terrain or state.setup.drawing.draw(dice, version)
    choose = spread_tiles if version == 1 else starting_tiles
    board = Board.new(terrain, choose(terrain, len(players), dice), players, version)
    for place, number in enumerate(order):
        (tile,) = board.armies_of(number)
        board.armies[tile].units += LATER_UNITS * place // len(order)
    return state.model_copy(update={"order": order}), board
