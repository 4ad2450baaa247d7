"""The marshal, the strongest AI: it expands, defends its cities, gathers an army and attacks from high ground."""

from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle.ai import attackable_neighbors, distances_to, next_step
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import attack, attack_clash, discover, found_city, grow_city, move
from sim.mad_killer_agents.combat import Split, all_at_once, best_split
from sim.mad_killer_agents.terrain import FAR, passable, steps_from, surroundings

_THREAT_DISTANCE = 2
"""Enemy armies within this many tiles of a city count as a threat to it."""
_ASSUMED_BONUS = 5
"""The bonus that an attacker is assumed to have."""
_TECH_ORDER = (c.Technology.GRANARY, c.Technology.ROADS, c.Technology.DRILL, c.Technology.MASONRY)
_PAYBACK_TURNS = 10
_MUCH_STRONGER, _EAGER_KILL_VALUE = 1.5, 1.5
"""With this many times an enemy's units, killing one of its units is worth this many of our own."""
_YOUNG_SIZE = 2
"""A city grows to this size before settlers leave it."""
_SLOW_PAYBACK = 4
"""Further growth has to pay off within this many turns while there is room to settle."""
_MAX_SITES = 200
"""Sites that are considered in a turn, best first."""
_MAX_DISTANCE = 20
"""Distance in halves that settlers are sent at most."""
_MAX_PARTIES = 12
"""Parties of settlers that move in a turn."""
_LARGE_ARMY = 2 * c.FOUND_UNITS
"""From an army of this size, only the units that found a city go to settle."""

_MIN_BAND = 10
"""Units of the smallest band that is sent to the front."""
_GATHERING_DISTANCE = 8
"""Bands gather within this distance of the target, in halves, before they go on."""
_SUPERIORITY = 1.4
"""Bands gather until they have this many times the units needed."""
_MAX_TARGETS = 6
"""Targets at the same time."""
_MAX_ATTACKS = 3
"""Successive attacks from one tile in a turn."""
_MIN_ROUNDS_LEFT = 10
"""In fewer rounds than these, a way over the mountains leads nowhere in time."""
_MANY_DEFENDERS = 300
"""Against this many defenders all units attack at once: computing a split would take too long."""


def play_marshal(board: Board, player: int, rounds_left: int | None) -> None:
    """Attack where it pays, grow cities, settle, and send spare units against the weakest neighbor."""
    view = MarshalView(board, player, rounds_left)
    _strike(view)
    _discover(view)
    view.sites = _sites(view)
    free = bool(view.sites)
    for at in board.cities_of(player):
        _grow(view, at, free=free)
    _settle(view)
    _campaign(view)
    _strike(view)


class MarshalView:
    """A player's view of the board: threats, and what each army can spare.

    `settlers`: tiles of armies on their way to found a city. `sites`: the yield of a young city and the tile, for all
    tiles where one can be founded, best first.
    """

    def __init__(self, board: Board, player: int, rounds_left: int | None) -> None:
        self.board = board
        self.player = player
        self.rounds_left = rounds_left
        self.settlers: set[int] = set()
        self.sites: list[tuple[int, int]] = []
        self._threats: dict[int, int] = {}
        self._strengths: dict[int, int] = {}

    def threat(self, at: int) -> int:
        """Return the units of the strongest enemy within a few tiles, as they were when first asked for this turn."""
        if at not in self._threats:
            board = self.board
            units: dict[int, int] = {}
            for tile in surroundings(board.width, board.height, _THREAT_DISTANCE)[at]:
                army = board.armies.get(tile)
                if army is not None and army.owner != self.player:
                    units[army.owner] = units.get(army.owner, 0) + army.units
            self._threats[at] = max(units.values(), default=0)
        return self._threats[at]

    def kill_value(self, enemy: int) -> float:
        """Return the value of killing an enemy's unit in own units: more than 1 if the player is much stronger."""
        if not self._strengths:
            for army in self.board.armies.values():
                self._strengths[army.owner] = self._strengths.get(army.owner, 0) + army.units
        ours, theirs = self._strengths.get(self.player, 0), self._strengths.get(enemy, 0)
        return _EAGER_KILL_VALUE if ours > _MUCH_STRONGER * theirs else 1.0

    def spare(self, at: int) -> int:
        """Return the units of the army on a tile that its city does not need against a threat, behind its walls."""
        units = self.board.units_of(self.player, at)
        threat = self.threat(at) if units else 0
        if not threat or at not in self.board.cities:
            return units
        terrain_and_walls = attack_clash(self.board, self.player, at, at, threat).defense_bonus
        return max(0, units - max(1, threat + _ASSUMED_BONUS - terrain_and_walls))

    def pays_off(self, cost: int, gain: int) -> bool:
        """Return whether an investment of `cost` units with a gain per turn pays off in time."""
        return gain > 0 and cost <= gain * self.payback_turns

    @property
    def payback_turns(self) -> int:
        """Turns in which an investment has to pay off."""
        return _PAYBACK_TURNS if self.rounds_left is None else max(0, min(_PAYBACK_TURNS, self.rounds_left - 1))


def _discover(view: MarshalView) -> None:
    board, player = view.board, view.player
    side = board.sides[player]
    cost = c.discovery_cost(len(side.techs))
    cities = board.cities_of(player)
    wanted = None
    if c.Technology.GRANARY not in side.techs and view.pays_off(cost, c.GRANARY_UNITS * len(cities)):
        wanted = c.Technology.GRANARY
    elif sum(map(board.income, cities)) > cost and view.payback_turns > 1:
        wanted = next((tech for tech in _TECH_ORDER if tech not in side.techs), None)
    if wanted is not None:
        _buy(view, wanted)


def _buy(view: MarshalView, tech: c.Technology) -> None:
    """Discover a technology if an army has enough units to spare."""
    richest = max(view.board.armies_of(view.player), key=view.spare, default=None)
    if richest is not None and view.spare(richest) >= c.discovery_cost(len(view.board.sides[view.player].techs)):
        discover(view.board, view.player, richest, tech)


def _grow(view: MarshalView, at: int, *, free: bool) -> None:
    """Grow a city as long as that pays off.

    While there are `free` sites to settle, growth beyond a small size has to pay off fast.
    """
    board, player = view.board, view.player
    city = board.cities[at]
    values = sorted((board.tiles[near] for near in board.around[at]), reverse=True)
    while city.size < len(values):
        cost, gain = c.growth_cost(city.size), values[city.size]
        saving = free and city.size >= _YOUNG_SIZE and cost > _SLOW_PAYBACK * gain
        if saving or not view.pays_off(cost, gain) or view.spare(at) < cost:
            return
        grow_city(board, player, at)


def _sites(view: MarshalView) -> list[tuple[int, int]]:
    """Return the free sites within reach, best first: the yield of a young city there, and the tile."""
    board, player = view.board, view.player
    if view.payback_turns <= _YOUNG_SIZE:
        return []
    far = distances_to(board, player, board.cities_of(player) or board.armies_of(player), past_enemies=False)
    taken = bytearray(len(board.tiles))
    near = surroundings(board.width, board.height, board.city_reach)
    for at in board.cities:
        for tile in near[at]:
            taken[tile] = 1
    sites = []
    for tile, value in enumerate(board.tiles):
        if taken[tile] or value == c.MOUNTAIN or far[tile] > _MAX_DISTANCE or board.holder(tile) not in {0, player}:
            continue
        best = sorted((board.tiles[neighbor] for neighbor in board.around[tile]), reverse=True)
        sites.append((value + sum(best[:3]), tile))
    sites.sort(key=lambda site: (-site[0], site[1]))
    return sites


def _settle(view: MarshalView) -> None:
    """Found cities, and move parties of settlers to the best sites that are safe and in reach.

    The best pair of a party and a site comes first, so a party on its way to a site keeps it the next turn.
    """
    board, player = view.board, view.player
    parties = {at: distances_to(board, player, (at,), past_enemies=False) for at in _parties(view)[:_MAX_PARTIES]}
    while parties:
        safe = [site for site in view.sites[:_MAX_SITES] if view.threat(site[1]) < c.FOUND_UNITS]
        pairs = [
            (2 * value - 3 * far[site], -at, -site)  # the site's yield, and its distance in halves
            for at, far in parties.items()
            for value, site in safe
            if far[site] < FAR
        ]
        if not pairs:
            return
        at, site = (-tile for tile in max(pairs)[1:])
        del parties[at]
        if view.spare(at) < c.FOUND_UNITS or at in view.settlers or not _move_settlers(view, at, site):
            continue
        near = set(surroundings(board.width, board.height, board.city_reach)[site])
        view.sites = [candidate for candidate in view.sites if candidate[1] not in near]


def _parties(view: MarshalView) -> list[int]:
    """Return the tiles of armies that can settle, those outside cities first."""
    board = view.board
    parties = []
    for at in board.armies_of(view.player):
        city = board.cities.get(at)
        if view.spare(at) >= c.FOUND_UNITS and board.armies[at].mp and (city is None or city.size >= _YOUNG_SIZE):
            parties.append((city is not None, board.armies[at].units, at))
    return [at for _, _, at in sorted(parties)]


def _move_settlers(view: MarshalView, at: int, site: int) -> bool:
    """Move settlers towards a site and found a city there; return whether they got any nearer."""
    board, player = view.board, view.player
    all_units = board.armies[at].units
    units = c.FOUND_UNITS if at in board.cities or all_units >= _LARGE_ARMY else all_units
    start = at
    if at != site:
        far = distances_to(board, player, (site,), past_enemies=False)
        while at != site:
            step = next_step(board, player, at, far)
            if step is None:
                break
            move(board, player, at, step, units)
            at = step
    if at == start != site:
        return False
    view.settlers.add(at)
    if at == site and found_city.allows(board, player, at):
        found_city(board, player, at)
        view.settlers.discard(at)
    return True


def _strike(view: MarshalView) -> None:
    """Attack every target that costs less than it is worth."""
    board, player = view.board, view.player
    for at in board.armies_of(player):
        for _ in range(_MAX_ATTACKS):
            if not board.units_of(player, at) or not board.armies[at].mp or not _strike_from(view, at):
                break


def _strike_from(view: MarshalView, at: int) -> bool:
    board, player = view.board, view.player
    units = view.spare(at)
    if not units:
        return False
    best: tuple[float, int, Split] | None = None
    for to in attackable_neighbors(board, player, at):
        clash = attack_clash(board, player, at, to, units)
        split = best_split(clash) if clash.defenders < _MANY_DEFENDERS else all_at_once(clash)
        gain = _gain(view, to, split)
        if gain > 0 and (best is None or gain > best[0]):
            best = gain, to, split
    if best is None:
        return False
    _, to, split = best
    for part in split.parts:
        attack(board, player, at, to, part)
    return True


def _gain(view: MarshalView, to: int, split: Split) -> float:
    """Return the gain of attacks minus their losses, in units; a much stronger player accepts even trades."""
    board = view.board
    army, city = board.armies.get(to), board.cities.get(to)
    killed = (0 if army is None else army.units) - split.defenders_left
    razed = 0
    if city is not None:
        razed = c.growth_paid(city.size) - c.growth_paid(split.city_left)
        razed += 0 if split.city_left else c.CITY_SCORE
    return view.kill_value(board.holder(to)) * killed + razed - split.lost


def _campaign(view: MarshalView) -> None:
    """Move all free units to enemy cities, each band to the nearest one; near it they gather until they are enough."""
    board, player = view.board, view.player
    bands = [at for at in board.armies_of(player) if at not in view.settlers and _free(view, at) >= _MIN_BAND]
    fields = {target: distances_to(board, player, (target,)) for target in _targets(view)} if bands else {}
    if not fields:
        return
    aims = {at: min(fields, key=lambda target: (fields[target][at], target)) for at in bands}
    gathered = dict.fromkeys(fields, 0)
    for at, target in aims.items():
        if fields[target][at] <= _GATHERING_DISTANCE:
            gathered[target] += _free(view, at)
    for at in sorted(bands, key=lambda tile: fields[aims[tile]][tile]):
        target = aims[at]
        enough = gathered[target] >= _SUPERIORITY * _needed(board, target)
        _advance(view, at, fields[target], target, enough=enough)


def _free(view: MarshalView, at: int) -> int:
    """Return the units that can go to war, without those that a city saves for settlers."""
    army = view.board.armies.get(at)
    if army is None or not army.mp:
        return 0
    saved = c.FOUND_UNITS if view.sites and at in view.board.cities else 0
    return max(0, view.spare(at) - saved)


def _needed(board: Board, target: int) -> int:
    """Return an estimate of the units needed to take a tile."""
    clash = attack_clash(board, board.holder(target), target, target, 1)
    made = 2 * board.income(target) if clash.city else 0
    return max(1, clash.defenders) + made + clash.city + clash.defense_bonus


def _targets(view: MarshalView) -> list[int]:
    """Return the enemy cities that are near and weak, best first; armies if there is no city."""
    board, player = view.board, view.player
    home = board.cities_of(player) or board.armies_of(player)
    far = distances_to(board, player, home)
    goals = [at for at, city in board.cities.items() if city.owner != player]
    goals = goals or [at for at, army in board.armies.items() if army.owner != player]
    reachable = [at for at in goals if far[at] < FAR]
    return sorted(reachable, key=lambda at: (5 * far[at] + _needed(board, at), at))[:_MAX_TARGETS]


def _advance(view: MarshalView, at: int, far: list[int], target: int, *, enough: bool) -> None:
    """Move a band towards its target, over high ground without detours; wait near it until there are `enough` units."""
    board, player = view.board, view.player
    while True:
        units = _free(view, at)
        if units < _MIN_BAND or far[at] == FAR or target in board.around[at]:
            return
        step = next_step(board, player, at, far, preference=board.tiles.__getitem__)
        if step is None or (not enough and far[step] <= _GATHERING_DISTANCE // 2):
            return
        move(board, player, at, step, units if at in board.cities else None)
        at = step


def open_way(kind: c.AiKind, board: Board, player: int, rounds_left: int | None) -> None:
    """Discover Mountaineering where another player can't be reached otherwise, with units that no city needs.

    The random doesn't: it goes for nobody.
    """
    if kind is c.AiKind.RANDOM or c.Technology.MOUNTAINEERING in board.sides[player].techs:
        return
    if c.MOUNTAIN not in board.tiles or (rounds_left is not None and rounds_left < _MIN_ROUNDS_LEFT):
        return
    # Mountains may be around all that another player has, or around all of this player's armies.
    steps = steps_from([*board.armies_of(player), *board.cities_of(player)], passable(board.tiles), board.around)
    reached = {owner for tile, owner in board.held() if steps[tile] < FAR}
    if not reached.issuperset(board.living()):
        _buy(MarshalView(board, player, rounds_left), c.Technology.MOUNTAINEERING)
