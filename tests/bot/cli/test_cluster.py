"""`fracas scheduler` and `fracas worker` as an operator starts them, and a bot's simulator that asks them."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest

from bot.cli import cluster
from bot.cli.main import main
from bot.config import Settings
from bot.resources import simulator_of
from sim.core.staged_job import to_the_end
from sim.jobs.release import release
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import THERE

pytest.importorskip("distributed", reason="pip install '.[test-all]' brings it")
pytestmark = pytest.mark.process

PATIENCE = 600.0
"""Seconds until workers are warm, on a busy machine that compiles."""

QUESTION = SimulateRequest(
    players=(AiKind.MARSHAL, AiKind.MARSHAL), drawing=Drawing(width=9, height=9), rounds=10, games=6, seed=7
)


class Machines:
    """The programs of a cluster, with their logs as JSON."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.started: list[subprocess.Popen[str]] = []

    def start(self, command: str, **settings: str) -> subprocess.Popen[str]:
        """Start a command."""
        machine = subprocess.Popen(
            [sys.executable, "-m", "bot", command], env=self._environment(settings), stderr=subprocess.PIPE, text=True
        )
        self.started.append(machine)
        return machine

    async def checked(self) -> list[str]:
        """Return what `fracas check` says of the cluster."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "check"), env=self._environment({}), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        return [line for line in said.decode().splitlines() if line[6:].startswith("cluster")]

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("FRACAS_", "DISCORD_"))}
        return clean | {"FRACAS_CLUSTER": self.address, "FRACAS_LOG_FORMAT": "json", **settings}


@pytest.fixture
def machines() -> Iterator[Machines]:
    made = Machines()
    yield made
    for machine in made.started:
        machine.kill()
        machine.communicate()


async def test_they_do_a_bot_s_work_and_end_in_order(machines: Machines) -> None:
    scheduler = machines.start("scheduler")
    worker = machines.start("worker", FRACAS_WORKERS="1", FRACAS_JOB_SECONDS="60")
    simulator = simulator_of(Settings(cluster=machines.address, workers=1, job_seconds=60))
    places: list[int] = []
    simulator.queue.on_start = places.append
    try:
        await simulator.start()
        async with asyncio.timeout(PATIENCE):
            while not simulator.queue.in_cluster:  # noqa: ASYNC110 - it is told from outside
                await asyncio.sleep(0.1)
        parts = QUESTION.parts(None)
        assert await simulator.map(parts) == [to_the_end(part) for part in parts]
        assert set(places) == {THERE}
        assert await machines.checked() == [f"ok    cluster   {machines.address} has 1 process for this bot"]
    finally:
        await simulator.close()
    worker.send_signal(signal.SIGTERM)
    _, said = await asyncio.to_thread(worker.communicate, timeout=PATIENCE)
    assert worker.returncode == 0, said
    (joined,) = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert (joined["event"], joined["processes"], joined["release"]) == ("cluster_joined", 1, release())
    scheduler.send_signal(signal.SIGTERM)
    _, said = await asyncio.to_thread(scheduler.communicate, timeout=PATIENCE)
    assert scheduler.returncode == 0, said
    assert [json.loads(line)["event"] for line in said.splitlines()] == ["scheduler_started"]


async def test_a_check_where_nobody_answers(machines: Machines) -> None:
    (line,) = await machines.checked()
    assert line.startswith(f"note  cluster   {machines.address} has nobody to work for this bot (OSError ")
    assert line.endswith("); it works alone")


@pytest.mark.parametrize("command", ["worker", "scheduler"])
def test_without_the_setting(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("FRACAS_CLUSTER", raising=False)
    assert main([command]) == 1
    said = capsys.readouterr().err
    assert said == "fracas: FRACAS_CLUSTER is not set; it must be the address of the scheduler.\n"


@pytest.mark.parametrize("address", ["tcp://0.0.0.0:8786", "tcp://:8786", "10.0.0.1:8786", "tcp://scheduler:8786"])
def test_open_to_other_machines_without_tls(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FRACAS_CLUSTER", "tcp://127.0.0.1:8786")
    assert main(["scheduler", "--listen", address]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"fracas: {address} is open to other machines, without TLS; ")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1", "tls://0.0.0.0:1"])
def test_closed_to_other_machines(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setenv("FRACAS_CLUSTER", "tcp://127.0.0.1:8786")
    monkeypatch.setattr(cluster, "_schedule", lambda _, listen: tried.append(listen))
    monkeypatch.setattr(asyncio, "run", lambda _: None)
    assert main(["scheduler", "--listen", address]) == 0
    assert main(["scheduler", "--listen", "tcp://0.0.0.0:1", "--insecure"]) == 0
    assert tried == [address, "tcp://0.0.0.0:1"]


def test_an_address_that_is_taken(machines: Machines) -> None:
    port = int(machines.address.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        scheduler = machines.start("scheduler")
        _, said = scheduler.communicate(timeout=PATIENCE)
    assert scheduler.returncode == 1
    assert said.splitlines()[-1].startswith(f"fracas: The scheduler can't listen at {machines.address} (")
    assert "Traceback" not in said
