"""How the marshal's realm grows: technologies, cities that grow, settlers."""

from sim.mad_killer_agents.battle.ai.estate import Estate
from sim.mad_killer_agents.battle.ai.travel import can_found, next_step, way_to
from sim.mad_killer_agents.battle.move_options import move
from sim.mad_killer_agents.battle.tile_actions import discover, found, grow, has_room
from sim.mad_killer_agents.constants import (
    CITY_DISTANCE,
    FOUND_UNITS,
    GRANARY_UNITS,
    MOUNTAIN,
    Technology,
    discovery_cost,
    growth_cost,
)
from sim.mad_killer_agents.grid import FAR, surroundings

_YOUNG = 2
"""A city grows to this size before settlers leave it."""
_DEAR = 4
"""Turns in which growth beyond that has to come back while settlers still find room."""
_SITES = 200
"""Sites that are weighed in a turn, the best ones."""
_REACH = 20
"""Halves that settlers are sent at most."""
_PARTIES = 12
"""Settlers that are led in a turn."""
_TOO_MANY = 2 * FOUND_UNITS
"""From an army of so many only those who found a city go to settle."""
_WORTH, _AWAY = 2, 3
"""Weights of a site's yield, and of the halves that it is away."""


def invest(estate: Estate) -> None:
    """Let cities grow where that comes back in time, and discover what pays."""
    _discover(estate)
    estate.sites = _sites(estate)
    free = bool(estate.sites)
    for at in estate.board.cities_of(estate.player):
        _grow(estate, at, free=free)


def _discover(estate: Estate) -> None:
    board, player = estate.board, estate.player
    side = board.sides[player]
    cost = discovery_cost(len(side.techs))
    cities = board.cities_of(player)
    wanted = None
    if Technology.GRANARY not in side.techs and estate.worth_it(cost, GRANARY_UNITS * len(cities)):
        wanted = Technology.GRANARY
    elif board.total_income(player) > cost and estate.patience > 1:
        wanted = next((tech for tech in _ORDER if tech not in side.techs), None)
    if wanted is None:
        return
    rich = max(board.armies_of(player), key=estate.spare, default=None)
    if rich is not None and estate.spare(rich) >= cost:
        discover(board, player, rich, wanted)


_ORDER = (Technology.GRANARY, Technology.ROADS, Technology.DRILL, Technology.MASONRY)


def _grow(estate: Estate, at: int, *, free: bool) -> None:
    """Let a city grow; beyond its youth only if settlers find no room (`free`) or it is much cheaper."""
    board, player = estate.board, estate.player
    city = board.cities[at]
    values = sorted((board.tiles[near] for near in board.around[at]), reverse=True)
    while city.size < len(values):
        cost, gain = growth_cost(city.size), values[city.size]
        saving = free and city.size >= _YOUNG and cost > _DEAR * gain
        if saving or not estate.worth_it(cost, gain) or estate.spare(at) < cost:
            return
        grow(board, player, at)


def _sites(estate: Estate) -> list[tuple[int, int]]:
    """Return the best free sites within reach: what a city makes there when it is young, and the tile."""
    board, player = estate.board, estate.player
    if estate.patience <= _YOUNG:
        return []
    far = way_to(board, player, board.cities_of(player) or board.armies_of(player), past_enemies=False)
    taken = bytearray(len(board.tiles))
    near = surroundings(board.width, board.height, CITY_DISTANCE)
    for at in board.cities:
        for tile in near[at]:
            taken[tile] = 1
    found_here = []
    for tile, value in enumerate(board.tiles):
        if taken[tile] or value == MOUNTAIN or far[tile] > _REACH or board.holder(tile) not in {0, player}:
            continue
        best = sorted((board.tiles[neighbor] for neighbor in board.around[tile]), reverse=True)
        found_here.append((value + sum(best[:3]), tile))
    found_here.sort(key=lambda site: (-site[0], site[1]))
    return found_here


def settle(estate: Estate) -> None:
    """Found cities, and lead parties of settlers to the sites that are worth the way.

    The party and the site that fit best come first: who is on its way to a site keeps it the next turn.
    """
    board, player = estate.board, estate.player
    parties = {at: way_to(board, player, (at,), past_enemies=False) for at in _parties(estate)[:_PARTIES]}
    while parties and (pair := _best_pair(estate, parties)) is not None:
        at, site = pair
        del parties[at]
        if estate.spare(at) < FOUND_UNITS or at in estate.settlers or not _lead(estate, at, site):
            continue
        near = set(surroundings(board.width, board.height, CITY_DISTANCE)[site])
        estate.sites = [candidate for candidate in estate.sites if candidate[1] not in near]


def _best_pair(estate: Estate, parties: dict[int, list[int]]) -> tuple[int, int] | None:
    """Return a party's tile and a safe site in reach that are worth the most together."""
    safe = [site for site in estate.sites[:_SITES] if estate.threat(site[1]) < FOUND_UNITS]
    pairs = [
        (_WORTH * value - _AWAY * far[site], -at, -site)
        for at, far in parties.items()
        for value, site in safe
        if far[site] < FAR
    ]
    if not pairs:
        return None
    _, at, site = max(pairs)
    return -at, -site


def _parties(estate: Estate) -> list[int]:
    """Return the tiles of armies that can settle, those in the open first."""
    board = estate.board
    fit = []
    for at in board.armies_of(estate.player):
        city = board.cities.get(at)
        if estate.spare(at) >= FOUND_UNITS and board.armies[at].mp and (city is None or city.size >= _YOUNG):
            fit.append((city is not None, board.armies[at].units, at))
    return [at for _, _, at in sorted(fit)]


def _lead(estate: Estate, at: int, site: int) -> bool:
    """Lead settlers towards a site, and found the city there; return whether they came any nearer."""
    board, player = estate.board, estate.player
    all_units = board.armies[at].units
    units = FOUND_UNITS if at in board.cities or all_units >= _TOO_MANY else all_units
    start = at
    if at != site:
        far = way_to(board, player, (site,), past_enemies=False)
        while at != site:
            step = next_step(board, player, at, far)
            if step is None:
                break
            move(board, player, at, step, units)
            at = step
    if at == start != site:
        return False
    estate.settlers.add(at)
    if at == site and can_found(board, at, board.armies[at], FOUND_UNITS) and has_room(board, at):
        found(board, player, at)
        estate.settlers.discard(at)
    return True
