"""Before the game: who sits where, and how it begins."""

from collections.abc import Iterable

from sim.core.caret import visible
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import MAX_NAME, Player, Setup, State, player_name
from sim.mad_killer_agents.constants import LEAST_PLAYERS, MOST_PLAYERS, AiKind
from sim.mad_killer_agents.terrain import starting_places


def initial_state(setup: Setup) -> State:
    """Return the state of a game that waits for players."""
    players = (
        Player(number=number, name=entrant.name, ai=entrant.ai) for number, entrant in enumerate(setup.players, start=1)
    )
    return State(setup=setup, players=tuple(players))


def fitting_name(text: str, state: State) -> str:
    """Return a name that can join, as near to `text` as possible: what can't be seen is dropped, twins are numbered."""
    seen = "".join(char for char in text if visible(char) == char)
    base = " ".join(seen.split())[:MAX_NAME].strip()
    if not any(char.isalnum() for char in base):
        base = "Player"
    return _numbered(base, {player.name.casefold() for player in state.players})


def _numbered(base: str, taken: Iterable[str]) -> str:
    names, name, number = set(taken), base, 1
    while name.casefold() in names:
        number += 1
        name = f"{base[: MAX_NAME - 3].strip()} {number}"
    return name


def seated(state: State, name: str, ai: AiKind | None) -> Player:
    """Return the player that sits down on the first free seat; RuleError where none is free or the name is taken."""
    free = [
        number for number in range(1, MOST_PLAYERS + 1) if number not in {player.number for player in state.players}
    ]
    if not free:
        raise RuleError(f"All {MOST_PLAYERS} seats are taken.")
    if player_name(name).casefold() in {player.name.casefold() for player in state.players}:
        raise RuleError(f"Somebody is called {name} already.")
    return Player(number=free[0], name=player_name(name), ai=ai)


def ai_name(state: State, ai: AiKind) -> str:
    """Return a name for one more AI of that kind."""
    return _numbered(ai.capitalize(), {player.name.casefold() for player in state.players})


def check_company(kinds: Iterable[AiKind | None]) -> None:
    """Raise RuleError for players who can't play with each other."""
    players = list(kinds)
    if len(players) < LEAST_PLAYERS:
        raise RuleError(f"A game needs {LEAST_PLAYERS} players or more.")
    if len(players) > MOST_PLAYERS:
        raise RuleError(f"A game has {MOST_PLAYERS} players at most.")
    if AiKind.BARBARIAN in players and len(players) == LEAST_PLAYERS:
        raise RuleError("A barbarian plays only with more than 2 players.")


def drawn(state: State, dice: Dice) -> Board:
    """Return the board that the game begins on; RuleError for players without room."""
    terrain = state.setup.terrain or state.setup.drawing.draw(dice)
    places = starting_places(terrain, len(state.players), dice)
    return Board.fresh(terrain, places, {player.number: player.name for player in state.players})
