"""What simulated battles came to, in whole numbers: plain Python, so that counts merge wherever they arrive."""

from typing import Self

from sim.core.frozen import Frozen


class Tally(Frozen):
    """What the battles number `first` to `first + battles - 1` came to.

    How many each side won, how many left `nobody`, were `undecided` at the round limit, or were `cut_off` after too
    many rounds. `rounds`, `rounds_squared`: sums. By fighter, heroes first: the battles survived, the sums of the HP
    left and of its square, 0 for the fallen, and the battles in which the fighter was among the first to fall. `work`:
    nanoseconds that the battles took, by a rough estimate that is the same everywhere.
    """

    first: int = 0
    battles: int
    heroes: int
    villains: int
    nobody: int
    undecided: int
    cut_off: int
    rounds: int
    rounds_squared: int
    survived: tuple[int, ...]
    hp_left: tuple[int, ...]
    hp_squared: tuple[int, ...]
    fell_first: tuple[int, ...]
    work: int

    def __add__(self, after: "Tally") -> Self:
        """Join with the battles that come right after these; ValueError for any others."""
        if after.first != self.first + self.battles or len(after.survived) != len(self.survived):
            raise ValueError("only battles that follow on each other add up")
        added = {
            name: _sum(getattr(self, name), getattr(after, name)) for name in type(self).model_fields if name != "first"
        }
        return type(self)(first=self.first, **added)


def _sum(one: int | tuple[int, ...], two: int | tuple[int, ...]) -> int | tuple[int, ...]:
    if isinstance(one, tuple) and isinstance(two, tuple):
        return tuple(a + b for a, b in zip(one, two, strict=True))
    return one + two  # type: ignore[operator]  # a field is a number in both or a tuple in both
