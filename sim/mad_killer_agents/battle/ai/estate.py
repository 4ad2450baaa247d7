"""What the marshal looks at before it acts: its cities, what threatens them, what each army can spare."""

from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.combat import defence_bonus
from sim.mad_killer_agents.constants import Technology
from sim.mad_killer_agents.grid import surroundings

_WATCH = 2
"""Tiles around a city in which enemy armies count as a threat to it."""
_HIGH = 5
"""The bonus that an attacker is feared to have."""
_STRONGER, _EAGER = 1.5, 1.5
"""With so many times an enemy's units, one of its units is worth so many of ours."""


class Estate:
    """A player's view of the board.

    `settlers`: tiles of armies that are on their way to found a city. `sites`: where cities could be founded, what a
    young city makes there and the tile, the best first.
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
        """Return the units of the enemy armies within a few tiles, those of the strongest enemy there."""
        if at not in self._threats:
            board = self.board
            units: dict[int, int] = {}
            for tile in surroundings(board.width, board.height, _WATCH)[at]:
                army = board.armies.get(tile)
                if army is not None and army.owner != self.player:
                    units[army.owner] = units.get(army.owner, 0) + army.units
            self._threats[at] = max(units.values(), default=0)
        return self._threats[at]

    def eagerness(self, enemy: int) -> float:
        """Return what a killed unit of an enemy is worth in own ones: more than 1 for who is much stronger."""
        if not self._strengths:
            for army in self.board.armies.values():
                self._strengths[army.owner] = self._strengths.get(army.owner, 0) + army.units
        ours, theirs = self._strengths.get(self.player, 0), self._strengths.get(enemy, 0)
        return _EAGER if ours > _STRONGER * theirs else 1.0

    def garrison(self, at: int) -> int:
        """Return the units that a city needs to stand a threat, as far as terrain and walls don't do."""
        city = self.board.cities.get(at)
        threat = self.threat(at)
        if city is None or not threat:
            return 0
        masonry = Technology.MASONRY in self.board.sides[self.player].techs
        return max(1, threat + _HIGH - defence_bonus(self.board.tiles[at], city.size, masonry=masonry))

    def spare(self, at: int) -> int:
        """Return the units of the army on a tile that its city can do without; none in a city that is in need."""
        army = self.board.armies.get(at)
        if army is None or army.owner != self.player:
            return 0
        return max(0, army.units - self.garrison(at))

    def worth_it(self, cost: int, gain: int) -> bool:
        """Return whether so many units come back in time at `gain` a turn."""
        return gain > 0 and cost <= gain * self.patience

    @property
    def patience(self) -> int:
        """Turns in which an investment has to come back."""
        return _PATIENCE if self.rounds_left is None else max(0, min(_PATIENCE, self.rounds_left - 1))


_PATIENCE = 10
