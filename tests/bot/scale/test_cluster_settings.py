"""What the settings make of the simulator, and what is said of a cluster."""

import logging
from pathlib import Path

import pytest

from bot.config import Settings, SettingsError
from bot.resources import simulator_of
from bot.scale import cluster
from bot.scale.cluster import ClusterSimulator, Reach, scheduler_place
from bot.scale.dask_setup import Tls
from sim.jobs.release import release
from tests.bot.scale.machine import CERTIFICATES

pytest.importorskip("distributed", reason="pip install '.[test-all]' brings it")
pytestmark = pytest.mark.rest

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


def test_tls_needs_its_files() -> None:
    place = scheduler_place(settings(cluster="tls://a:1", **FILES))
    assert place.tls == Tls(*FILES.values())


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
    tell = cluster._ClusterLog()
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
