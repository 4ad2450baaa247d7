"""The marshal, the strongest AI: it expands, defends its cities, gathers an army and attacks from high ground."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from typing_extensions import override

from sim.core.dice import Dice
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle.ai import Ai
from sim.mad_killer_agents.battle.board import Board
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


@dataclass(eq=False)
class Marshal(Ai):
    """Attacks where it pays, grows cities, settles, and sends spare units against the weakest neighbor.

    `settlers`: tiles of armies on their way to found a city. `sites`: the yield of a young city and the tile, for all
    tiles where one can be founded, best first.
    """

    settlers: set[int] = field(default_factory=set)
    sites: list[tuple[int, int]] = field(default_factory=list)
    _threats: dict[int, int] = field(default_factory=dict)

    @override
    def play(self, dice: Dice) -> None:
        self._strike()
        self._discover()
        self.sites = self._find_sites()
        free = bool(self.sites)
        for at in self.cities:
            self._grow(at, free=free)
        self._settle()
        self._campaign()
        self._strike()

    def _threat(self, at: int) -> int:
        """Return the units of the strongest enemy within a few tiles, as they were when first asked for this turn."""
        if at not in self._threats:
            board = self.board
            near = surroundings(board.width, board.height, _THREAT_DISTANCE)[at]
            units = _units_by_owner(board, near)
            self._threats[at] = max((there for owner, there in units.items() if owner != self.player), default=0)
        return self._threats[at]

    @cached_property
    def _strengths(self) -> Counter[int]:
        """Every player's units, as they were when first asked for this turn."""
        return _units_by_owner(self.board, self.board.armies)

    def _kill_value(self, enemy: int) -> float:
        """Return the value of killing an enemy's unit in own units: more than 1 if the player is much stronger."""
        stronger = self._strengths[self.player] > _MUCH_STRONGER * self._strengths[enemy]
        return _EAGER_KILL_VALUE if stronger else 1.0

    def _spare(self, at: int) -> int:
        """Return the units of the army on a tile that its city does not need against a threat, behind its walls."""
        units = self.units_at(at)
        threat = self._threat(at) if units else 0
        if not threat or at not in self.board.cities:
            return units
        return max(0, units - max(1, threat + _ASSUMED_BONUS - self.clash(at, at, threat).defense_bonus))

    def _pays_off(self, cost: int, gain: int) -> bool:
        """Return whether an investment of `cost` units with a gain per turn pays off in time."""
        return gain > 0 and cost <= gain * self._payback_turns

    @property
    def _payback_turns(self) -> int:
        """Turns in which an investment has to pay off."""
        return _PAYBACK_TURNS if self.rounds_left is None else max(0, min(_PAYBACK_TURNS, self.rounds_left - 1))

    def _discover(self) -> None:
        known, cities = self.side.techs, self.cities
        cost = c.discovery_cost(len(known))
        wanted = None
        if c.Technology.GRANARY not in known and self._pays_off(cost, c.GRANARY_UNITS * len(cities)):
            wanted = c.Technology.GRANARY
        elif sum(map(self.board.income, cities)) > cost and self._payback_turns > 1:
            wanted = next((tech for tech in _TECH_ORDER if tech not in known), None)
        if wanted is not None:
            self.buy(wanted)

    def buy(self, tech: c.Technology) -> None:
        """Discover a technology if an army has enough units to spare."""
        richest = max(self.armies, key=self._spare, default=None)
        if richest is not None and self._spare(richest) >= c.discovery_cost(len(self.side.techs)):
            self.discover(richest, tech)

    def _grow(self, at: int, *, free: bool) -> None:
        """Grow a city as long as that pays off.

        While there are `free` sites to settle, growth beyond a small size has to pay off fast.
        """
        board = self.board
        city = board.cities[at]
        values = sorted((board.tiles[near] for near in board.around[at]), reverse=True)
        while city.size < len(values):
            cost, gain = c.growth_cost(city.size), values[city.size]
            saving = free and city.size >= _YOUNG_SIZE and cost > _SLOW_PAYBACK * gain
            if saving or not self._pays_off(cost, gain) or self._spare(at) < cost:
                return
            self.grow_city(at)

    def _find_sites(self) -> list[tuple[int, int]]:
        """Return the free sites within reach, best first: the yield of a young city there, and the tile."""
        board = self.board
        if self._payback_turns <= _YOUNG_SIZE:
            return []
        far = self.distances_to(self.cities or self.armies, past_enemies=False)
        near = surroundings(board.width, board.height, board.city_reach)
        taken = {tile for at in board.cities for tile in near[at]}
        sites = []
        for tile, value in enumerate(board.tiles):
            if tile in taken or value == c.MOUNTAIN or far[tile] > _MAX_DISTANCE or self.is_enemy(tile):
                continue
            best = sorted((board.tiles[neighbor] for neighbor in board.around[tile]), reverse=True)
            sites.append((value + sum(best[:3]), tile))
        return sorted(sites, key=lambda site: (-site[0], site[1]))

    def _settle(self) -> None:
        """Found cities, and move parties of settlers to the best sites that are safe and in reach.

        The best pair of a party and a site comes first, so a party on its way to a site keeps it the next turn.
        """
        board = self.board
        parties = {at: self.distances_to((at,), past_enemies=False) for at in self._parties()[:_MAX_PARTIES]}
        while parties:
            safe = [site for site in self.sites[:_MAX_SITES] if self._threat(site[1]) < c.FOUND_UNITS]
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
            if self._spare(at) < c.FOUND_UNITS or at in self.settlers or not self._move_settlers(at, site):
                continue
            near = surroundings(board.width, board.height, board.city_reach)[site]
            self.sites = [candidate for candidate in self.sites if candidate[1] not in near]

    def _parties(self) -> list[int]:
        """Return the tiles of armies that can settle, those outside cities first."""
        parties = []
        for at in self.armies:
            army, city = self.board.armies[at], self.board.cities.get(at)
            if self._spare(at) >= c.FOUND_UNITS and army.mp and (city is None or city.size >= _YOUNG_SIZE):
                parties.append((city is not None, army.units, at))
        return [at for _, _, at in sorted(parties)]

    def _move_settlers(self, start: int, site: int) -> bool:
        """Move settlers towards a site and found a city there; return whether they got any nearer."""
        board = self.board
        all_units = board.armies[start].units
        units = c.FOUND_UNITS if start in board.cities or all_units >= _LARGE_ARMY else all_units
        far = self.distances_to((site,), past_enemies=False)
        at = start
        while at != site and (step := self.next_step(at, far)) is not None:
            self.move(at, step, units)
            at = step
        if at == start != site:
            return False
        self.settlers.add(at)
        if at == site and self.found_city.allows(at):
            self.found_city(at)
            self.settlers.discard(at)
        return True

    def _strike(self) -> None:
        """Attack every target that costs less than it is worth."""
        for at in self.armies:
            for _ in range(_MAX_ATTACKS):
                if not self.units_at(at) or not self.board.armies[at].mp or not self._strike_from(at):
                    break

    def _strike_from(self, at: int) -> bool:
        units = self._spare(at)
        if not units:
            return False
        best: tuple[float, int, Split] | None = None
        for to in self.attackable_neighbors(at):
            clash = self.clash(at, to, units)
            split = best_split(clash) if clash.defenders < _MANY_DEFENDERS else all_at_once(clash)
            gain = self._gain(to, split)
            if gain > 0 and (best is None or gain > best[0]):
                best = gain, to, split
        if best is None:
            return False
        _, to, split = best
        for part in split.parts:
            self.attack(at, to, part)
        return True

    def _gain(self, to: int, split: Split) -> float:
        """Return the gain of attacks minus their losses, in units; a much stronger player accepts even trades."""
        army, city = self.board.armies.get(to), self.board.cities.get(to)
        killed = (0 if army is None else army.units) - split.defenders_left
        razed = 0
        if city is not None:
            razed = c.growth_paid(city.size) - c.growth_paid(split.city_left)
            razed += 0 if split.city_left else c.CITY_SCORE
        return self._kill_value(self.board.holder(to)) * killed + razed - split.lost

    def _campaign(self) -> None:
        """Move all free units to enemy cities, each band to the nearest; near it they gather until they are enough."""
        bands = [at for at in self.armies if at not in self.settlers and self._free(at) >= _MIN_BAND]
        fields = {target: self.distances_to((target,)) for target in self._targets()} if bands else {}
        if not fields:
            return
        aims = {at: min(fields, key=lambda target: (fields[target][at], target)) for at in bands}
        gathered = dict.fromkeys(fields, 0)
        for at, target in aims.items():
            if fields[target][at] <= _GATHERING_DISTANCE:
                gathered[target] += self._free(at)
        for at in sorted(bands, key=lambda tile: fields[aims[tile]][tile]):
            target = aims[at]
            enough = gathered[target] >= _SUPERIORITY * self._needed(target)
            self._advance(at, fields[target], target, enough=enough)

    def _free(self, at: int) -> int:
        """Return the units that can go to war, without those that a city saves for settlers."""
        army = self.board.armies.get(at)
        if army is None or not army.mp:
            return 0
        saved = c.FOUND_UNITS if self.sites and at in self.board.cities else 0
        return max(0, self._spare(at) - saved)

    def _needed(self, target: int) -> int:
        """Return an estimate of the units needed to take a tile."""
        clash = self.clash(target, target, 1)
        made = 2 * self.board.income(target) if clash.city else 0
        return max(1, clash.defenders) + made + clash.city + clash.defense_bonus

    def _targets(self) -> list[int]:
        """Return the enemy cities that are near and weak, best first; armies if there is no city."""
        board = self.board
        far = self.distances_to(self.cities or self.armies)
        goals = [at for at, city in board.cities.items() if city.owner != self.player]
        goals = goals or [at for at, army in board.armies.items() if army.owner != self.player]
        reachable = [at for at in goals if far[at] < FAR]
        return sorted(reachable, key=lambda at: (5 * far[at] + self._needed(at), at))[:_MAX_TARGETS]

    def _advance(self, at: int, far: list[int], target: int, *, enough: bool) -> None:
        """Move a band towards its target, over high ground without detours; wait near it until there are `enough`."""
        board = self.board
        while True:
            units = self._free(at)
            if units < _MIN_BAND or far[at] == FAR or target in board.around[at]:
                return
            step = self.next_step(at, far, uphill=True)
            if step is None or (not enough and far[step] <= _GATHERING_DISTANCE // 2):
                return
            self.move(at, step, units if at in board.cities else None)
            at = step


def _units_by_owner(board: Board, tiles: Iterable[int]) -> Counter[int]:
    units: Counter[int] = Counter()
    for tile in tiles:
        if (army := board.armies.get(tile)) is not None:
            units[army.owner] += army.units
    return units


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
        Marshal(board, player, rounds_left).buy(c.Technology.MOUNTAINEERING)
