"""A terminal for the tests of all games' commands, and programs in processes of their own."""

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from _pytest.capture import CaptureResult

from sim.__main__ import main
from sim.core.coach import CoachReport
from sim.core.staged_job import Continue, Part
from sim.jobs.luck import CoachBattle


class Terminal:
    """`terminal("aa", "-a", "6 tanks", …)` runs a command and returns all that it prints, as `out` and `err`."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, *arguments: str, status: int = 0) -> CaptureResult[str]:
        self._capsys.readouterr()
        try:
            ended = main(arguments)
        except SystemExit as caught:
            ended = int(str(caught.code))
        assert ended == status
        return self._capsys.readouterr()

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 - of any command
        """Run a command that prints JSON, and return that."""
        return json.loads(self(*arguments, "--json").out)

    def will_read(self, *lines: str) -> None:
        """Type these lines for the next command."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def printed(program: str, *arguments: str, compiled: bool = True) -> str:
    """Return what a program prints where warnings are errors; `compiled`: whether kernels are."""
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    env = os.environ | {"NUMBA_DISABLE_JIT": str(int(not compiled))}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def expect_the_whole(report: CoachReport) -> None:
    """Check that luck and decisions, and the rows, add up to what a battle went from its start to its result."""
    for parts in (report.luck + report.decisions, sum(row.share for row in report.rows)):
        assert abs(parts - (report.result - report.start)) < 1e-12


def coached_in_parts(question: CoachBattle) -> tuple[CoachReport, list[float]]:
    """Return what the coach says in the end, and how far it is after each part."""
    part: Part[CoachReport] = question
    shares = [0.0]
    while isinstance(report := part.run(), Continue):
        shares.append(question.progress(None, [report])[0])
        part = report.rest
    assert shares == sorted(set(shares))
    return report, shares


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)
