"""A player's private message in their turn, in words."""

from collections.abc import Iterator

from bot.games.mad_killer_agents.render.battle import round_of
from bot.games.mad_killer_agents.render.clash import outcome_lines, split_lines, strengths, verdict
from bot.games.mad_killer_agents.render.signs import CITY, MARCH, points, sign, units
from bot.ui.text import counted, plain
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.options import Way
from sim.mad_killer_agents.battle.orders import Attack
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.combat import Clash
from sim.mad_killer_agents.constants import (
    EFFECTS,
    FOUND_UNITS,
    LOWER_UNITS,
    RAISE_UNITS,
    Technology,
    discovery_cost,
    growth_cost,
)
from sim.mad_killer_agents.splitting import Split


def turn_lines(number: int, state: State, board: Board, at: int | None, going: int, *, forced: bool) -> Iterator[str]:
    """Tell whose turn it is, how the player stands, and which army is selected."""
    player, side = state.player(state.turn), board.sides[state.turn]
    yield f"### #{number} {round_of(state)}: your turn"
    armies = board.armies_of(state.turn)
    total = sum(board.armies[tile].units for tile in armies)
    able = sum(board.armies[tile].mp > 0 for tile in armies)
    yield f"{sign(player)} **{plain(player.name)}**: {units(total)} in {counted(len(armies), 'army', 'armies')}"
    given = counted(len(state.orders), "order")
    yield f"{able} can still move, {given} given, +{board.total_income(state.turn):,} a turn"
    if side.techs:
        yield f"🔬 {', '.join(tech.capitalize() for tech in Technology if tech in side.techs)}"
    if at is None:
        yield "You have no army now."
        return
    army = board.armies[at]
    city = board.cities.get(at)
    here = f", {CITY} {city.size} (+{board.income(at)})" if city is not None else ""
    yield f"\n**{board.place(at)}**: {units(army.units)}, {points(army.mp)} MP, TV {board.tiles[at]}{here}"
    yield f"{MARCH if forced else '👣'} going: **{'all' if going == army.units else f'{going:,} of'} {army.units:,}**"


def attack_text(board: Board, at: int, to: int, clash: Clash, way: Way) -> str:
    """Tell exactly what an attack leads to."""
    if way.result is None or way.split is None:
        return ""
    enemy = board.sides[board.holder(to)]
    head = f"### {board.place(at)} attacks {plain(enemy.name)} on {board.place(to)}?"
    lines = [*strengths(clash, way.result), f"**{verdict(way.result)}**", *outcome_lines(way.result, clash.city)]
    return "\n".join([head, *lines, *split_lines(clash, way.result, way.split)])


def way_label(board: Board, way: Way, *, forced: bool) -> str:
    """Return what stands on a direction's button: the tile, and what going there means."""
    if way.to is None:
        return "—"
    place = board.place(way.to)
    if forced and way.march is not None:
        return f"{place} ½ loss {way.march_loss:,}"
    if isinstance(way.order, Attack):
        army = board.armies.get(way.to)
        return f"{place} {'🏠' if army is None else f'{army.units:,}'}"
    if way.order is None:
        return place
    joined = board.armies.get(way.to)
    return f"{place} {points(way.cost)}" + (f" +{joined.units:,}" if joined is not None else "")


def work_label(board: Board, at: int, what: str) -> str:
    """Return what stands on the button of a work: what it is and what it costs."""
    city = board.cities.get(at)
    costs = {"found": FOUND_UNITS, "lower": LOWER_UNITS, "raise": RAISE_UNITS}
    if city is not None:
        costs["grow"] = growth_cost(city.size)
    return f"{what.capitalize()} {costs[what]}" if what in costs else what.capitalize()


def tech_text(board: Board, player: int, at: int) -> str:
    """Tell what can be discovered and what it takes."""
    side = board.sides[player]
    cost = discovery_cost(len(side.techs))
    head = f"### Discover with {board.place(at)}'s {units(board.armies[at].units)}?"
    lines = [f"- **{tech.capitalize()}**: {EFFECTS[tech]}" for tech in Technology if tech not in side.techs]
    return "\n".join([head, f"The next one takes {units(cost)}.", *lines])


def army_label(board: Board, at: int) -> tuple[str, str]:
    """Return an army's line in a list, and the small one under it."""
    army, city = board.armies[at], board.cities.get(at)
    here = "" if city is None else f", city of {city.size}"
    return f"{board.place(at)}: {units(army.units)}", f"{points(army.mp)} MP, TV {board.tiles[at]}{here}"


def parts_label(split: Split) -> str:
    """Return what stands on the button that attacks in parts."""
    return f"In {counted(len(split.parts), 'part')}"
