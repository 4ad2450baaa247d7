"""A whole program with workers: how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sim.workers.waiting import LONG, dead, gone, pid_in, until

pytestmark = pytest.mark.process


@contextmanager
def _program(mode: str, pid_file: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.sim.workers.program", mode, str(pid_file)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            yield program
        finally:
            program.kill()  # a test that failed must not wait for it


def test_a_program_ends_cleanly_and_keeps_discord_to_itself(tmp_path: Path) -> None:
    with _program("closed_early", tmp_path / "pid") as program:
        said, complaints = program.communicate(timeout=LONG)
    assert (complaints, program.returncode) == ("", 0)
    assert "sim" in said.split()
    assert "discord" not in said.split()
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("moment", ["starting", "running"])
async def test_ctrl_c_belongs_to_the_program(moment: str, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to every process of the group; only the program itself may answer."""
    with _program("interrupted", tmp_path / "pid") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "starting\n"
        if moment == "running":
            await pid_in(tmp_path / "pid")
        os.killpg(program.pid, signal.SIGINT)
        _, complaints = program.communicate(timeout=LONG)
    assert (complaints, program.returncode) == ("", 130)


async def test_a_job_doesn_t_outlive_a_killed_program_for_long(tmp_path: Path) -> None:
    with _program("killed", tmp_path / "pid") as program:
        assert program.wait(LONG) == -signal.SIGKILL
    pid = await pid_in(tmp_path / "pid")
    await until(lambda: dead(pid))
