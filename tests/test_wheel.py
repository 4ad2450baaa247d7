"""The wheel as strangers install it: built, put into an environment of its own, and run from anywhere."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from sim import __version__
from sim.jobs.release import version as built_version

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300


def run(*command: str | Path, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FRACAS_", "DISCORD_", "PYTHON", "VIRTUAL_ENV"))
    }
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=clean | environment,
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
