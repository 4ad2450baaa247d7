"""Jobs for the tests. Workers find them here by name."""

import collections
import itertools
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never

from pydantic import BaseModel, ConfigDict

from sim.core import RuleError
from sim.core.staged_job import Continue, Job

_warm = False


def warm_up() -> None:
    global _warm  # noqa: PLW0603 - a mark that one process can see is what the test asks for
    _warm = True


def idle() -> None:
    """Be a stopgap that leaves no mark."""


@dataclass(frozen=True)
class SlowWarmUp:
    """A warm-up that lasts until the gate is there; who is at it is written beside the gate."""

    gate: Path

    def __call__(self) -> None:
        write_pid(self.gate.with_suffix(".pid"))
        while not self.gate.exists():
            time.sleep(0.01)
        warm_up()


@dataclass(frozen=True)
class Note:
    """A warm-up that leaves a file in a folder, named after itself and its process."""

    folder: Path
    name: str

    def __call__(self) -> None:
        (self.folder / f"{self.name}.{os.getpid()}").touch()


def broken_warm_up() -> None:
    raise ValueError("no kernels today")


@dataclass(frozen=True)
class Cheap:
    """The base of every job here: free of charge, unless it has a price."""

    def cost(self) -> float:
        return getattr(self, "price", 0.0)


class Double(BaseModel):
    """A job as the systems write it: a frozen request."""

    model_config = ConfigDict(frozen=True)

    number: int

    def cost(self) -> float:
        return 0.001

    def run(self) -> int:
        return 2 * self.number


@dataclass(frozen=True)
class InJobs(Cheap):
    """Doubles a number, which takes several jobs."""

    number: int
    jobs: int

    def run(self) -> "int | Continue[int]":
        return 2 * self.number if self.jobs == 1 else Continue(InJobs(self.number, self.jobs - 1))


@dataclass(frozen=True)
class Call(Cheap):
    """Reports what a function makes of a value, at any price."""

    function: Callable[[Any], Any]
    value: object
    price: float = 0.0

    def run(self) -> Any:  # noqa: ANN401 - as said
        return self.function(self.value)


@dataclass(frozen=True)
class Costly(Cheap):
    """Does nothing, at a price."""

    price: float

    def run(self) -> None:
        return None


@dataclass(frozen=True)
class Unpriceable(Cheap):
    def cost(self) -> float:
        raise RuleError("At most 30 units.")

    def run(self) -> None:
        raise AssertionError("a job without a price was run")


@dataclass(frozen=True)
class Nap(Cheap):
    """Sleeps, and tells in which process."""

    seconds: float = 0.0

    def run(self) -> int:
        time.sleep(self.seconds)
        return os.getpid()


@dataclass(frozen=True)
class Forever(Cheap):
    """Writes its process id to a file, then never comes back from a C call: no Python signal handler runs any more."""

    pid_file: Path

    def run(self) -> None:
        write_pid(self.pid_file)
        collections.deque(itertools.repeat(0), maxlen=0)


@dataclass(frozen=True)
class Hold(Cheap):
    """Writes its process id to a file and runs until another file is there."""

    pid_file: Path
    release: Path
    price: float = 0.0

    def run(self) -> str:
        write_pid(self.pid_file)
        while not self.release.exists():
            time.sleep(0.01)
        return "released"


@dataclass(frozen=True)
class Hog(Cheap):
    """Takes so many bytes at once."""

    size: int

    def run(self) -> int:
        return len(bytearray(self.size))


@dataclass(frozen=True)
class Die(Cheap):
    """Ends its process without a word."""

    def run(self) -> Never:
        os._exit(3)


@dataclass(frozen=True)
class Raise(Cheap):
    """Ends in an error."""

    error: BaseException

    def run(self) -> Never:
        raise self.error


REFUSE = Raise(RuleError("The attacker has no units."))
FAIL = Raise(ZeroDivisionError("a mistake of ours"))


class StubbornError(Exception):
    """Can be pickled but not read back: its arguments aren't those of its constructor."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


@dataclass(frozen=True)
class FailStubbornly(Cheap):
    def run(self) -> Never:
        raise StubbornError("too bad", "no reason")


@dataclass(frozen=True)
class ReportLambda(Cheap):
    """Its report can't be pickled."""

    def run(self) -> object:
        return lambda: None


@dataclass(frozen=True)
class Unpicklable(Cheap):
    """Can't travel itself."""

    def run(self) -> None:
        raise AssertionError("a job that can't travel was run")

    def __reduce__(self) -> Never:
        raise TypeError("can't travel")


def refuse_to_load() -> Never:
    raise ImportError("not in this process")


@dataclass(frozen=True)
class Unreadable(Cheap):
    """Can be pickled but not read back."""

    def run(self) -> None:
        raise AssertionError("a job that can't be read was run")

    def __reduce__(self) -> tuple[object, ...]:
        return refuse_to_load, ()


@dataclass(frozen=True)
class Far(Cheap):
    """Another job, at a price for which it goes to the cluster."""

    job: Job[object]
    price: float = 0.5

    def run(self) -> object:
        return self.job.run()


@dataclass(frozen=True)
class QuickWhenWarm(Cheap):
    """Takes for ever in a worker that isn't warm."""

    pid: Path

    def run(self) -> bool:
        write_pid(self.pid)
        while not _warm:
            time.sleep(0.01)
        return _warm


@dataclass(frozen=True)
class Inspect(Cheap):
    """Tells of the worker."""

    def run(self) -> SimpleNamespace:
        return SimpleNamespace(
            pid=os.getpid(),
            memory_limit=resource.getrlimit(resource.RLIMIT_AS)[0],
            ignores_interrupts=signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
            blocks_interrupts=signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()),
            warm=_warm,
            alarm_seconds=signal.getitimer(signal.ITIMER_REAL)[0],
            modules=frozenset(name.partition(".")[0] for name in sys.modules),
        )


def write_pid(path: Path) -> None:
    """Write this process's id so that a reader sees all of it or nothing."""
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(str(os.getpid()))
    draft.rename(path)
