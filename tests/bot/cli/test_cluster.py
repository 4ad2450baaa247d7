"""`fracas scheduler` and `fracas worker` as an operator starts them, a bot that asks them, and its settings."""

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.cli import cluster as commands
from bot.cli import main
from bot.config import Settings, SettingsError
from bot.resources import simulator_of
from bot.scale import cluster
from bot.scale.cluster import ClusterSimulator, Reach, scheduler_place
from bot.scale.dask_setup import Tls
from sim.core.staged_job import to_the_end
from sim.jobs.release import release
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import THERE
from tests.bot.scale.machine import CERTIFICATES
from tests.live.process import port_of_its_own
from tests.sim.workers.waiting import until

pytest.importorskip("distributed", reason="pip install '.[test-all]' brings it")
pytestmark = pytest.mark.rest

PATIENCE = 600.0
"""Seconds until workers are warm, on a busy machine that compiles."""

QUESTION = SimulateRequest(
    players=(AiKind.MARSHAL, AiKind.MARSHAL), drawing=Drawing(width=9, height=9), rounds=10, games=6, seed=7
)


class Machines:
    """The programs of a cluster, with their logs as JSON."""

    def __init__(self) -> None:
        self.address = f"tcp://127.0.0.1:{port_of_its_own()}"
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


@pytest.mark.process
async def test_they_do_a_bot_s_work_and_end_in_order(machines: Machines) -> None:
    scheduler = machines.start("scheduler")
    worker = machines.start("worker", FRACAS_WORKERS="1", FRACAS_JOB_SECONDS="60")
    simulator = simulator_of(Settings(cluster=machines.address, workers=1, job_seconds=60))
    places: list[int] = []
    simulator.queue.on_start = places.append
    try:
        await simulator.start()
        await until(lambda: simulator.queue.workers[THERE] > 0, 0.1, PATIENCE)
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


@pytest.mark.process
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
    monkeypatch.setattr(commands, "_schedule", lambda _, listen: tried.append(listen))
    monkeypatch.setattr(asyncio, "run", lambda _: None)
    assert main(["scheduler", "--listen", address]) == 0
    assert main(["scheduler", "--listen", "tcp://0.0.0.0:1", "--insecure"]) == 0
    assert tried == [address, "tcp://0.0.0.0:1"]


@pytest.mark.process
def test_an_address_that_is_taken(machines: Machines) -> None:
    port = int(machines.address.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        scheduler = machines.start("scheduler")
        _, said = scheduler.communicate(timeout=PATIENCE)
    assert scheduler.returncode == 1
    assert said.splitlines()[-1].startswith(f"fracas: The scheduler can't listen at {machines.address} (")
    assert "Traceback" not in said


FILES = {
    "cluster_ca": CERTIFICATES / "authority.pem",
    "cluster_cert": CERTIFICATES / "machine.pem",
    "cluster_key": CERTIFICATES / "machine.key",
}


def settings(**values: object) -> Settings:
    return Settings.model_validate(values)


async def test_there_is_a_cluster_only_where_it_is_set() -> None:
    assert not isinstance(simulator_of(settings()), ClusterSimulator)
    assert isinstance(simulator_of(settings(cluster="tcp://10.0.0.5:8786")), ClusterSimulator)
    assert scheduler_place(settings(cluster="tls://a:1", **FILES)).tls == Tls(*FILES.values())


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"cluster_ca": Path("a")}, "FRACAS_CLUSTER_CA is set, but FRACAS_CLUSTER isn't."),
        (
            {"cluster": "tcp://a:1", **FILES},
            "FRACAS_CLUSTER_CA is set, but FRACAS_CLUSTER is 'tcp://a:1'; with TLS it begins with tls://.",
        ),
        (
            {"cluster": "tls://a:1", **FILES, "cluster_key": None},
            "FRACAS_CLUSTER is 'tls://a:1', so FRACAS_CLUSTER_KEY must name a PEM file.",
        ),
        (
            {"cluster": "tls://a:1", **FILES, "cluster_ca": Path("none.pem")},
            "FRACAS_CLUSTER_CA: none.pem can't be used (No such file or directory).",
        ),
    ],
)
def test_what_can_t_be_is_said_in_a_sentence(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        scheduler_place(settings(**values))
    assert str(caught.value) == sentence


def test_a_key_of_another_certificate() -> None:
    with pytest.raises(SettingsError, match=r"^FRACAS_CLUSTER_CERT: .*machine.pem with .*stranger.key can't be used"):
        scheduler_place(settings(cluster="tls://a:1", **FILES | {"cluster_key": CERTIFICATES / "stranger.key"}))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda _name: None)
    with pytest.raises(
        SettingsError, match=r"^FRACAS_CLUSTER needs the extra package: pip install 'fracas\[cluster\]'"
    ):
        scheduler_place(settings(cluster="tcp://a:1"))


def test_a_line_for_each_change(caplog: pytest.LogCaptureFixture) -> None:
    """Not for each look; and a worker of another release is named once, with what to do."""
    caplog.set_level(logging.INFO)
    tell = cluster.ClusterLog()
    stranger = ("tcp://10.0.0.7:1", "Fracas 0.1 (00000000)")
    for reach in (
        Reach(0, "OSError no route"),
        Reach(0, "OSError still no route"),
        Reach(4),
        Reach(3),
        Reach(3, strangers=(stranger,)),
        Reach(4, strangers=(stranger,)),
        Reach(0, "the connection broke"),
        Reach(0, "OSError no route"),
        Reach(4),
    ):
        tell(reach)
    assert [record.message for record in caplog.records] == [
        "cluster_lost",
        "cluster_reached",
        "cluster_worker_refused",
        "cluster_lost",
        "cluster_reached",
    ]
    assert vars(caplog.records[2])["fields"] == {
        "worker": "tcp://10.0.0.7:1",
        "reason": f"it runs Fracas 0.1 (00000000), this bot {release()}: install the same on both",
    }
