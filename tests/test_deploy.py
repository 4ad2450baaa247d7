"""What `.deploy` holds for those who run Fracas: the service, the services of compose."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from bot.config import variables
from bot.metrics import Metrics

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / ".deploy"
UNITS = ("fracas.service", "fracas@.service", "fracas-litestream.service")
ALERTS = DEPLOY / "alerts.yml"
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")
MOST_EXPOSED = "29"  # tenths; systemd calls that OK

with_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")


def analyzed(*arguments: str) -> str:
    done = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False, timeout=120)  # noqa: S607  # it lies elsewhere on each system
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.process
@with_systemd
@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_the_units_and_finds_them_hardened(name: str, tmp_path: Path) -> None:
    unit = tmp_path / name.replace("@.", "@worker.")
    text = (DEPLOY / name).read_text(encoding="utf-8")
    unit.write_text(re.sub("(?<=^ExecStart=)/opt/fracas/bin/[a-z]+", "/bin/true", text, flags=re.MULTILINE))
    assert unit.read_text() != text
    assert unit.name not in analyzed("verify", "--man=no", str(unit))
    analyzed("security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", str(unit))


def test_every_unit_is_shut_in_alike() -> None:
    sections = [(DEPLOY / name).read_text(encoding="utf-8").partition("CapabilityBoundingSet=")[2] for name in UNITS]
    hardening = [re.findall(r"^\w+=.*", section, re.MULTILINE) for section in sections]
    assert hardening[0]
    assert hardening == [hardening[0]] * len(UNITS)


def test_alerts_ask_for_what_the_bot_counts() -> None:
    asked = {*re.findall(r"\bfracas_\w+", ALERTS.read_text(encoding="utf-8"))}
    names = {family.name for family in Metrics("1").registry.collect()}
    assert asked
    assert {re.sub("_(total|bucket)$", "", name) for name in asked} <= names
    assert ALERTS.name in (DEPLOY / "prometheus.yml").read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.skipif(PROMTOOL is None, reason="there is no promtool; Debian's package prometheus brings it")
def test_prometheus_takes_the_alerts(tmp_path: Path) -> None:
    down = {"exp_labels": {"job": "fracas"}, "exp_annotations": {"summary": "The bot doesn't answer."}}
    away = "Shard 3 has had no connection to Discord for ten minutes."
    shard = {"exp_labels": {"shard": "3"}, "exp_annotations": {"summary": away}}
    failed = {"exp_annotations": {"summary": "A command or a press failed by a bug."}}
    old = {"exp_annotations": {"summary": "The last backup is 1d 4h 25m 40s old."}}
    expected: dict[str, dict[str, list[object]]] = {
        "FracasDown": {"10m": [], "13m": [down]},
        "FracasShardAway": {"9m": [], "12m": [shard]},
        "FracasFails": {"10m": [], "22m": [failed]},
        "FracasBackupOld": {"9m": [], "39m": [old]},
    }
    example = {
        "rule_files": [str(ALERTS)],
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": 'up{job="fracas"}', "values": "1x10 0x10"},
                    {"series": 'fracas_shard_connected{shard="3"}', "values": "1 0x30"},
                    {"series": 'fracas_clicks_total{kind="b1",result="failed"}', "values": "0x20 1x20"},
                    {"series": "fracas_backup_timestamp_seconds", "values": "-100000x40"},
                ],
                "alert_rule_test": [
                    {"eval_time": at, "alertname": name, "exp_alerts": found}
                    for name, times in expected.items()
                    for at, found in times.items()
                ],
            }
        ],
    }
    (tmp_path / "example.yml").write_text(json.dumps(example), encoding="utf-8")  # all JSON is YAML
    for command in (["check", "rules", str(ALERTS)], ["test", "rules", str(tmp_path / "example.yml")]):
        done = subprocess.run([str(PROMTOOL), *command], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def composed() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="pip install '.[test-all]' brings PyYAML")
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services


@pytest.mark.rest
def test_every_service_of_compose_is_shut_in() -> None:
    for service in composed().values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges"]
        assert not service.get("privileged")
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        named = [volume.split(":")[0] for volume in service["volumes"]]
        assert all((DEPLOY / path).exists() for path in named if path.startswith("."))


@pytest.mark.rest
def test_the_bot_alone_starts_without_a_profile() -> None:
    services = composed()
    assert {name: service.get("profiles", []) for name, service in services.items()} == {
        "fracas": [],
        "litestream": ["litestream"],
        "scheduler": ["cluster"],
        "worker": ["cluster"],
        "prometheus": ["watch"],
        "grafana": ["watch"],
    }
    bot = services["fracas"]
    assert bot["volumes"] == ["data:/data"]
    assert int(bot["stop_grace_period"].removesuffix("s")) > 10, "answers, workers and Discord take their time to end"
    for name in ("fracas", "scheduler", "worker"):
        assert {name for name in services[name]["environment"] if name.startswith("FRACAS_")} <= set(
            variables().values()
        )


@pytest.mark.rest
def test_machines_of_a_cluster_get_no_token() -> None:
    services = composed()
    for name, options in (("scheduler", ["--insecure"]), ("worker", [])):  # the containers' own network has no TLS
        assert "env_file" not in services[name]
        assert services[name]["command"] == [name, *options]


def test_the_image_is_built_from_what_is_pinned() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+)(?: AS (\w+))?$", text, re.MULTILINE)
    foreign = [base for base, _ in bases if base not in {stage for _, stage in bases}]
    assert len(foreign) == 1
    assert re.search("@sha256:[0-9a-f]{64}$", foreign[0])
    assert re.search(r"^ARG SQLITE_SHA256=[0-9a-f]{64}$", text, re.MULTILINE)
    assert set(re.findall("deb http|sources.list", text)) == set(), "nothing of another release of Debian"
    assert "--require-hashes" in text


def test_litestream_is_the_same_everywhere() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lock = (DEPLOY / "requirements-litestream.txt").read_text(encoding="utf-8")
    assert re.findall(r"^[\w.=-]+", lock, re.MULTILINE) == extras["litestream"]
    assert lock.count("--hash=sha256:") >= 2, "amd64 and arm64"
