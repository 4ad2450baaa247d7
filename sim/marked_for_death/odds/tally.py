"""What simulated battles came to, in whole numbers: plain Python, so that counts merge wherever they arrive."""

from typing import Self

from sim.core.frozen import Frozen


class _Counts(Frozen):
    """Base: the battles number `first` to `first + battles - 1`.

    `work`: nanoseconds that the battles took, by a rough estimate that is the same everywhere.
    """

    first: int = 0
    battles: int
    work: int

    def __add__(self, after: Self) -> Self:
        """Join with the battles that come right after these; ValueError for any others."""
        if after.first != self.first + self.battles:
            raise ValueError("only battles that follow on each other add up")
        added = {
            name: _sum(getattr(self, name), getattr(after, name)) for name in type(self).model_fields if name != "first"
        }
        return type(self)(first=self.first, **added)


class Tally(_Counts):
    """What battles came to.

    How many each side won, how many left `nobody`, were `undecided` at the round limit, or were `cut_off` after too
    many rounds. `rounds`, `rounds_squared`: sums. By fighter, heroes first: the battles survived, the sums of the HP
    left and of its square, 0 for the fallen, and the battles in which the fighter was among the first to fall.
    """

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


class SensitivityTally(_Counts):
    """What battles came to with everybody and without each one left out.

    `heroes`, `villains`: won with everybody. `lost`, `gained`: for each one left out, the battles that its side won
    with it only, and without it only. `cut_off`: battles given up, with any line-up; nobody has won them.
    """

    heroes: int
    villains: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    cut_off: int


def _sum(first: int | tuple[int, ...], second: int | tuple[int, ...]) -> int | tuple[int, ...]:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return tuple(a + b for a, b in zip(first, second, strict=True))
    return first + second  # type: ignore[operator]  # a field is a number in both or a tuple in both
