"""The simpler AIs, and what every AI asks of the board: distances, the next step, what can be attacked."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from typing_extensions import override

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.board import NO_WAY
from sim.mad_killer_agents.battle.orders import Commander
from sim.mad_killer_agents.combat import fight
from sim.mad_killer_agents.constants import LOWER_UNITS, MIN_VALUE, MOUNTAIN, WORK_COST
from sim.mad_killer_agents.terrain import FAR

_MATURE_SIZE = 3
"""The pillager's cities grow to this size before they send raiders."""
_MIN_RAIDERS = 15
"""Units of a band that leaves a city of the pillager."""


@dataclass(eq=False)
class Ai(Commander):
    """An AI for one turn of a player: it plays by the same orders that people give.

    `rounds_left`: this one included; None for no limit.
    """

    rounds_left: int | None = None

    @abstractmethod
    def play(self, dice: Dice) -> None:
        """Play the turn, which has begun; the caller ends it."""

    @property
    def armies(self) -> list[int]:
        """The tiles of the player's armies, sorted."""
        return self.board.armies_of(self.player)

    @property
    def cities(self) -> list[int]:
        """The tiles of the player's cities, sorted."""
        return self.board.cities_of(self.player)

    def go(self, at: int, to: int) -> None:
        """Move an army to a neighbor, or attack whoever holds it."""
        (self.attack if self.is_enemy(to) else self.move)(at, to)

    def distances_to(self, targets: Iterable[int], *, past_enemies: bool = True) -> list[int]:
        """Return, for each tile, the cost in halves of the cheapest path to the nearest target; FAR if there is none.

        Without `past_enemies`, paths avoid tiles that enemies hold, except for targets.
        """
        costs = self.side.step_costs()
        tiles, around = self.board.tiles, self.board.around
        closed = bytearray(len(tiles))
        if not past_enemies:
            for tile, owner in self.board.held():
                closed[tile] |= owner != self.player
        far = [FAR] * len(tiles)
        buckets: list[list[int]] = [list(targets), [], []]
        for tile in buckets[0]:
            far[tile] = 0
            closed[tile] = 0
        # No step costs more than 2 halves, so three buckets are enough for all distances still to come.
        distance, empty = 0, 0
        while empty < len(buckets):
            bucket = buckets[distance % 3]
            empty = 0 if bucket else empty + 1
            for tile in bucket:
                cost = costs[tiles[tile]]
                if far[tile] != distance or closed[tile] or cost == NO_WAY:
                    continue
                further = distance + cost
                for near in around[tile]:
                    if far[near] > further:
                        far[near] = further
                        buckets[further % 3].append(near)
            buckets[distance % 3] = []
            distance += 1
        return far

    def open_neighbors(self, at: int) -> list[int]:
        """Return the neighbors that an army can enter or attack with the movement points that it has."""
        board, costs, mp = self.board, self.side.step_costs(), self.board.armies[at].mp
        return [near for near in board.around[at] if costs[board.tiles[near]] <= mp]

    def attackable_neighbors(self, at: int) -> list[int]:
        """Return the neighbors with an enemy army or city that an army can attack now."""
        return [near for near in self.open_neighbors(at) if self.is_enemy(near)]

    def next_step(self, at: int, far: list[int], *, uphill: bool = False) -> int | None:
        """Return the neighbor to step to on the path that `far` measures; None if no step gets nearer now.

        Never enters tiles that enemies hold. The first tile breaks ties, `uphill` the first of the highest.
        """
        costs, tiles = self.side.step_costs(), self.board.tiles
        near = [tile for tile in self.open_neighbors(at) if far[tile] < far[at] and not self.is_enemy(tile)]
        ranks = {tile: (far[tile] + costs[tiles[tile]], -tiles[tile] if uphill else 0) for tile in near}
        return min(ranks, key=ranks.__getitem__, default=None)


class Random(Ai):
    """Lets each army found a city, grow one, and step to a random neighbor, attacking any enemy there."""

    @override
    def play(self, dice: Dice) -> None:
        for at in self.armies:
            if self.found_city.allows(at):
                self.found_city(at)
            while self.grow_city.allows(at):
                self.grow_city(at)
            if self.units_at(at) and (ways := self.open_neighbors(at)):
                self.go(at, ways[dice.roll(len(ways)) - 1])


class Pillager(Ai):
    """Lowers the tiles around enemy cities, and fights only to win.

    Keeps one city of its own and sends bands from it to the nearest enemy cities.
    """

    @override
    def play(self, dice: Dice) -> None:
        board = self.board
        land = {near for at, city in board.cities.items() if city.owner != self.player for near in board.around[at]}
        own_cities = self.cities
        goals = sorted(tile for tile in land if self._can_lower(tile) and tile not in own_cities)
        far = self.distances_to(goals or sorted(at for at, owner in board.held() if owner != self.player))
        for at in self.armies:
            if self.units_at(at):
                self._act(at, land, far)

    def _act(self, at: int, land: set[int], far: list[int]) -> None:
        board = self.board
        if (city := board.cities.get(at)) is not None:
            while city.size < _MATURE_SIZE and self.grow_city.allows(at):
                self.grow_city(at)
            if self.units_at(at) < _MIN_RAIDERS:
                return
        elif not self.cities and self.found_city.allows(at):
            self.found_city(at)
            return
        while self.units_at(at) and board.armies[at].mp:
            army = board.armies[at]
            if at in land and at not in board.cities and self._can_lower(at) and army.units > LOWER_UNITS:
                if army.mp < WORK_COST:
                    return
                self.lower_tile(at)
                continue
            to = self._tile_to_lower(at, land) or self._sure_win(at) or self.next_step(at, far)
            if to is None or far[at] == FAR:
                return
            self.go(at, to)
            at = to

    def _can_lower(self, tile: int) -> bool:
        return MIN_VALUE < self.board.tiles[tile] < MOUNTAIN

    def _tile_to_lower(self, at: int, land: set[int]) -> int | None:
        """Return the best free neighbor of the army to lower next, if any."""
        board, ways = self.board, self.open_neighbors(at)
        near = [tile for tile in ways if tile in land and self._can_lower(tile) and not board.holder(tile)]
        return max(near, key=board.tiles.__getitem__, default=None)

    def _sure_win(self, at: int) -> int | None:
        """Return a neighbor whose defenders all fall in an attack that part of the army survives."""
        results = [(fight(self.clash(at, to, self.units_at(at))), to) for to in self.attackable_neighbors(at)]
        wins = [(result.attacker_left, to) for result, to in results if not result.defender_left]
        left, to = max(wins, default=(0, 0))
        return to if left else None


class Barbarian(Ai):
    """Sends a part of the army to attack each other player once; founds no city, and stays put after the attack.

    The notes are 1, which says that the army was split, and the target, tile and units of each part on its way.
    """

    @override
    def play(self, dice: Dice) -> None:
        notes = self.side.notes
        parts = list(zip(notes[1::3], notes[2::3], notes[3::3], strict=True)) if notes else self._split()
        left: list[tuple[int, int, int]] = []
        # Several parts may share a tile and so an army; the last part there takes all that is left of it.
        for number, (target, at, units) in enumerate(parts):
            here = self.units_at(at)
            if not here or self.board.sides[target].out:
                continue
            shared = any(other[1] == at for other in (*parts[number + 1 :], *left))
            going = min(units, here) if shared else here
            tile, pending = self._lead(at, target, going)
            if pending:
                left.append((target, tile, going))
        self.side.notes = (1, *chain(*left))

    def _split(self) -> list[tuple[int, int, int]]:
        """Split the largest army evenly among the other players."""
        targets, armies = [number for number in self.board.living() if number != self.player], self.armies
        if not targets or not armies:
            return []
        home = max(armies, key=self.units_at)
        share, more = divmod(self.units_at(home), len(targets))
        sizes = [share + (number < more) for number in range(len(targets))]
        return [(target, home, size) for target, size in zip(targets, sizes, strict=True) if size]

    def _lead(self, at: int, target: int, units: int) -> tuple[int, bool]:
        """Move as far as the movement points allow; return the part's tile and whether its attack is still to come."""
        targets = {tile for tile, owner in self.board.held() if owner == target}
        far = self.distances_to(sorted(targets), past_enemies=False)
        while far[at] < FAR:
            beside = [near for near in self.board.around[at] if near in targets]
            if beside:
                to = min(beside, key=lambda tile: (self.step_cost(tile), tile))
                if self.step_cost(to) > self.board.armies[at].mp:
                    break
                self.attack(at, to, units)
                return at, False
            step = self.next_step(at, far)
            if step is None:
                break
            self.move(at, step, units)
            at = step
        return at, True
