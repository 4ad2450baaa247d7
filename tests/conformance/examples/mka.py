"""Mad Killer Agents: the lobby, turns of people with orders by button and by text, AIs, and who is away."""

from random import Random

from sim.core.battle import REFEREE, LegalAction, Seat
from sim.core.dice import SeededDice
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import board_of
from sim.mad_killer_agents.battle.order_input import army_options, tile_orders
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.terrain import tile_name
from tests.conformance.example import Example
from tests.sim.mad_killer_agents.builders import Begin, EndTurn, setup, terrain

SYSTEM = MapWar()
AIS = (AiKind.MARSHAL, AiKind.PILLAGER, AiKind.RANDOM)
"""Every AI but the barbarian, who doesn't play against one player alone."""


def summary(state: v.State) -> str:
    if state.phase is v.Phase.LOBBY:
        return f"lobby; {', '.join(player.name for player in state.players) or 'nobody'}"
    board = board_of(state)
    players = ((player.name, board.figures(player.number)) for player in state.players)
    lines = (f"{name}: {figures.units} units, {figures.cities} cities" for name, figures in players)
    return f"round {state.round}, player {state.turn}'s turn; {'; '.join(lines)}"


def fill(state: v.State, offer: LegalAction[v.Action], seat: Seat, choose: Random) -> v.Action | None:
    if offer.name in {"give", "write"}:
        order = _order(state, choose)
        if order is None:
            return None
        return v.Give(orders=(order,)) if offer.name == "give" else v.Write(text=_text(state, order))
    return _about_players(state, offer.name, seat, choose)


def _about_players(state: v.State, name: str, seat: Seat, choose: Random) -> v.Action:
    ai = choose.choice(AIS)
    people = [player.number for player in state.players if player.ai is None and not state.is_out(player.number)]
    match name:
        case "join":
            return v.Join(name=state.available_name("Anna"))
        case "remove-ai":
            return v.RemoveAi(number=choose.choice([player.number for player in state.players if player.ai]))
        case "deputy":
            return v.Deputy(ai=ai)
        case "take-over":
            listed = [player.number for player in state.players if player.ai and not state.is_out(player.number)]
            return v.TakeOver(number=choose.choice(listed), name="Anna")
        case "replace":
            return v.Replace(number=v.number_of(seat) or choose.choice(people), ai=ai)
    return v.AddAi(ai=ai)


def _order(state: v.State, choose: Random) -> v.Order | None:
    assert state.world is not None
    tiles = [tile for tile, owner, _, _ in state.world.armies if owner == state.turn]
    if not tiles:
        return None
    tile = choose.choice(tiles)
    options = army_options(state, tile)
    orders: list[v.Order] = [move.order for move in options.moves if move.order is not None]
    orders += [order for what, order in tile_orders(tile).items() if what not in options.refused]
    return choose.choice(orders) if orders else None


def _text(state: v.State, order: v.Order) -> str:
    assert state.world is not None
    width = state.world.width
    words = [tile_name(order.at, width), order.do]
    if isinstance(order, v.DirectedOrder):
        words += [tile_name(order.to, width), *([] if order.units is None else [str(order.units)])]
    elif isinstance(order, v.Discover):
        words.append(order.tech)
    refused = f"; {words[0]} march {words[0]}" if state.round % 2 else ""
    return " ".join(words) + refused


def size(side: int) -> tuple[v.State, v.Action]:
    state = SYSTEM.begin(setup("Anna", "random", "random", ground=terrain(side=side)))
    return SYSTEM.apply(state, Begin(), REFEREE, SeededDice(b"size")).state, EndTurn()


EXAMPLE: Example = Example(
    system=SYSTEM,
    setups={
        "from the lobby on": setup(rounds=4),
        "people and an AI": setup("Anna", "Ben", "random", rounds=6),
        "AIs alone": setup("random", "random", "random", rounds=24),
    },
    story=setup("Anna", "random", rounds=3),
    seed=b"four",
    summary=summary,
    fill=fill,
    weights={
        "give": 8,
        "write": 4,
        "end-turn": 4,
        "begin": 3,
        "remove-ai": 0.5,
        "resign": 0.4,
        "leave": 0.7,
        "replace": 0.5,
        "take-over": 0.3,
        "deputy": 0.3,
        "away": 0.3,
        "time-up": 0.5,
    },
    rare=frozenset({"Discovered", "Out"}),
    sizes=[size(8), size(20), size(40)],
)
