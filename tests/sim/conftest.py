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


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)
