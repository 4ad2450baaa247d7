"""What those who run Fracas get: the service, the services of compose, and the wheel as strangers install it.

It is built, put into an environment of its own, and run from anywhere.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.config import variables
from bot.metrics import Metrics
from sim import __version__
from sim.jobs.release import version as built_version

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / ".deploy"
UNITS = ("fracas.service", "fracas@.service", "fracas-litestream.service")
ALERTS = DEPLOY / "alerts.yml"
QUERIES = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in json.loads((DEPLOY / "grafana" / "fracas.json").read_text(encoding="utf-8"))["panels"]
    for target in panel.get("targets", ())
}
"""What the panels of the dashboard ask."""

PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")
MOST_EXPOSED = "29"  # tenths; systemd calls that OK

with_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")


def analyzed(*arguments: str) -> str:
    done = run("systemd-analyze", *arguments, folder=ROOT)
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


def test_alerts_and_panels_ask_for_what_the_bot_counts() -> None:
    registry = Metrics("1").registry
    labels_of: dict[str, tuple[str, ...]] = {each.name: () for family in registry.collect() for each in family.samples}
    labels_of |= {name: counted._labelnames for name, counted in registry._names_to_collectors.items()}  # type: ignore[attr-defined]  # each of ours has them
    for query in (*QUERIES.values(), ALERTS.read_text(encoding="utf-8")):
        asked = re.findall(r"\b(?:fracas|process)_\w+", query)
        assert set(asked) <= labels_of.keys(), query
        labels = {"instance", "le", *(label for name in asked for label in labels_of[name])}
        for group in re.findall(r"by \((.*?)\)", query):
            assert set(group.split(", ")) <= labels, query
    assert ALERTS.name in (DEPLOY / "prometheus.yml").read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.skipif(PROMTOOL is None, reason="there is no promtool; Debian's package prometheus brings it")
@pytest.mark.parametrize(("command", "rules"), [("check", ALERTS), ("test", ROOT / "tests" / "test_alerts.yml")])
def test_prometheus_takes_the_alerts(command: str, rules: Path) -> None:
    done = run(str(PROMTOOL), command, "rules", rules, folder=ROOT)
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


PATIENCE = 300
"""Seconds after which a process counts as stuck; far more than any needs, for slow machines."""


def clean_environment(**variables: str) -> dict[str, str]:
    """Return these variables beside those of this process, without settings of Fracas and of Python."""
    ours = ("FRACAS_", "DISCORD_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | variables


def run(*command: str | Path, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT, folder=folder)
    if built.returncode and "CI" not in os.environ and "No matching distribution found for hatchling" in built.stderr:
        pytest.skip("without a package index nothing is built")
    assert not built.returncode, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an environment's programs; the packages that Fracas needs are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    install = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-deps", wheel)
    done = run(*install, folder=folder)
    assert not done.returncode, done.stderr
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


@pytest.mark.process
def test_the_wheel_holds_the_program_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    sources = {
        path.relative_to(ROOT).as_posix()
        for half in ("bot", "sim")
        for path in (ROOT / half).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    metadata = {name for name in names if name.startswith(f"fracas-{__version__}.dist-info/")}
    assert names - metadata == sources


@pytest.mark.process
def test_every_command_runs_from_anywhere(installed: Path, tmp_path: Path) -> None:
    fracas = installed / "fracas"
    version = run(fracas, "--version", folder=tmp_path)
    assert version.returncode == 0, version.stderr
    sources = built_version().rpartition(".")[2]  # here perhaps behind the commit, of which a wheel knows nothing
    assert version.stdout == f"Fracas {__version__}+{sources.rpartition('+')[2]}\n"
    where = run(installed / "python", "-c", "import bot, sim; print(bot.__file__, sim.__file__)", folder=tmp_path)
    assert all(Path(file).is_relative_to(installed.parent) for file in where.stdout.split())
    fought = run(fracas, "rules", "aa", "-a", "6 tanks", "-d", "10 inf", "-r", folder=tmp_path)
    assert fought.returncode == 0, fought.stderr
    assert "6 tanks" in fought.stdout
    checked = run(fracas, "check", folder=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "kernels"))
    assert "ok    settings" in checked.stdout, checked.stderr
    assert "run: fracas warm" in checked.stdout
    missing = run(fracas, "backup", "copy.db", folder=tmp_path)
    assert (missing.returncode, missing.stderr) == (1, "fracas: There is no database fracas.db.\n")
    unset = run(fracas, "sync", folder=tmp_path)
    assert unset.returncode == 1
    assert "DISCORD_TOKEN" in unset.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"kernels"}, "nothing but what was asked for"


@pytest.mark.process
def test_the_bot_starts_is_backed_up_and_ends(installed: Path, tmp_path: Path) -> None:
    fracas = str(installed / "fracas")
    with subprocess.Popen(
        [fracas], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"PATH": os.defpath}
    ) as bot:
        try:
            assert bot.stdout is not None
            assert bot.stdout.readline().startswith("http://127.0.0.1:")
            done = run(fracas, "backup", "copy.db", folder=tmp_path)
            assert done.returncode == 0, done.stderr
        finally:
            bot.terminate()
            _, err = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0, err
    restored = run(fracas, "restore", "copy.db", folder=tmp_path)
    assert restored.returncode == 0, restored.stderr
    assert "fracas.db is restored from copy.db" in restored.stdout
