"""Where compiled kernels are kept, what real workers have loaded before their first job, and which release they are.

And which functions of kernels Python calls: an inner one has no way in, and would end the process.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sim
from sim import __version__
from sim.axis_allies.requests import OddsRequest
from sim.jobs import kernel_cache, release, warm_up
from sim.jobs.kernel_cache import is_complete, mark_complete, use_kernel_cache
from sim.jobs.warm_up import preload, warm_up_uncompiled
from sim.workers.pool import PoolSimulator
from sim.workers.queue import PoolLimits
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.workers.jobs import Inspect


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def folder() -> Path:
    """Return the folder that is chosen now."""
    use_kernel_cache()
    return Path(os.environ["NUMBA_CACHE_DIR"])


@pytest.fixture
def unnamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path | None]:
    """Return what chooses a folder for the sources in `sim`, or the user's `user`, where the operator names none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(sim, "__file__", str(tmp_path / "sim" / "__init__.py"))

    def choose() -> Path | None:
        monkeypatch.setenv("NUMBA_CACHE_DIR", "")
        return use_kernel_cache()

    return choose


def test_every_test_uses_the_bot_s_folder() -> None:
    assert Path(os.environ["NUMBA_CACHE_DIR"]).name.startswith("kernels-")


def test_the_folder_is_in_the_operator_s_and_the_same_for_processes_that_this_one_starts(place: Path) -> None:
    chosen = folder()
    assert chosen.parent == place
    assert folder() == chosen


def test_without_a_word_it_is_beside_the_sources_or_in_the_user_s_cache(
    tmp_path: Path, unnamed: Callable[[], Path | None]
) -> None:
    def spoil(folder: Path) -> None:
        """Let there be a file, so that no folder can be made there."""
        shutil.rmtree(folder)
        folder.touch()

    for place in (tmp_path / "sim" / "__pycache__", tmp_path / "user" / "fracas"):
        chosen = unnamed()
        assert chosen is not None
        assert chosen.parent == place
        spoil(place)
    assert unnamed() is None
    assert os.environ["NUMBA_CACHE_DIR"] == "", "then Numba does what it can"


def test_an_edited_kernel_or_what_lies_beside_one_has_another_folder(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So an update in place never looks at what an earlier release compiled."""
    sources = tmp_path / "sources"
    (sources / "odds").mkdir(parents=True)
    (sources / "text").mkdir()
    for name, text in {"odds/kernel.py": "from numba import njit", "odds/codes.py": "A = 1", "text/say.py": ""}.items():
        (sources / name).write_text(text)
    monkeypatch.setattr(sim, "__path__", [str(sources)])
    first = folder()
    (sources / "text" / "say.py").write_text("'no kernel'  # nor numba")
    assert folder() == first
    (sources / "odds" / "codes.py").write_text("A = 2")
    second = folder()
    (sources / "odds" / "kernel.py").write_text("import numba")
    assert len({first, second, folder()}) == 3
    assert {path.parent for path in (first, second, folder())} == {place}


@pytest.mark.usefixtures("place")
def test_who_completes_the_folder_removes_those_of_other_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    old = folder()
    (old / "kernel.nbc").touch()
    other_python = old.parent / "kernels-cpython-42-1"
    other_python.mkdir()
    monkeypatch.setattr(kernel_cache, "version", lambda _package: "99")
    new = folder()
    assert not is_complete()
    mark_complete()
    assert is_complete()
    assert new.exists()
    assert not old.exists()
    assert other_python.exists()


@pytest.mark.usefixtures("place")
def test_the_stopgap_is_needed_until_a_rehearsal_is_through(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fail_once() -> None:
        done.append("warm up")
        if done.count("warm up") == 1:
            raise ValueError("no kernels today")

    monkeypatch.setattr(warm_up, "warm_up", fail_once)
    monkeypatch.setattr("os.nice", lambda step: done.append(f"nice {step}"))
    folder()
    with pytest.raises(ValueError, match="today"):
        warm_up.STOPGAP.rehearsal()
    assert warm_up.STOPGAP.is_needed()
    warm_up.STOPGAP.rehearsal()
    assert done == ["nice 10", "warm up"] * 2
    assert not warm_up.STOPGAP.is_needed()


def test_kernels_that_were_delivered_where_nothing_can_be_written_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: Callable[[], Path | None]
) -> None:
    """As in an image whose file system can only be read."""
    delivered = unnamed()
    assert delivered is not None
    (delivered / "odds").mkdir()
    (delivered / "odds" / "kernel.nbc").write_text("compiled")
    writable = kernel_cache._is_writable
    monkeypatch.setattr(kernel_cache, "_is_writable", lambda place: place != delivered and writable(place))
    copied = tmp_path / "user" / "fracas" / delivered.name
    assert unnamed() == copied
    assert not is_complete(), "half of them are nobody's"
    (delivered / "complete").touch()
    assert unnamed() == copied
    assert is_complete()
    assert (copied / "odds" / "kernel.nbc").read_text() == "compiled"


def test_kernels_for_a_named_processor_serve_on_every_machine(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = folder()
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v3")
    named = folder()
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+avx2")
    features = folder()
    assert len({own, named, features}) == 3
    another = tmp_path / "cpuinfo"
    another.write_text("flags : avx10")
    monkeypatch.setattr(kernel_cache, "_CPU_INFO", another)
    assert folder() == features
    monkeypatch.delenv("NUMBA_CPU_NAME")
    assert folder() not in {own, features}
    assert own.parent == place


@pytest.mark.process
async def test_the_stopgap_has_its_libraries_before_its_first_job_and_answers_without_kernels() -> None:
    simulator = PoolSimulator(PoolLimits(workers=1, wall_seconds=60), warm_up_uncompiled, preload=preload())
    try:
        modules = (await simulator.run(Inspect())).modules
        assert modules >= {"numpy", "numba", "PIL"}
        report = await simulator.run(OddsRequest.model_validate(parse_battle("6 tanks vs 10 inf")))
        assert report.p_attacker < report.p_defender
    finally:
        await simulator.close()


QUESTIONS = """
from sim.axis_allies.army import Army
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import LuckRequest, PurchaseRequest, RetreatRequest
from sim.__main__ import main
from sim.core.values import Side
for question in (
    "6 tanks vs 10 inf",
    "1942: 6 inf, 2 art, 1 tank, 2 ftr, 1 bmr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr | low luck",
    "1942: 6 inf, 1 ftr, 1 bmr + 1 bb bombard vs 5 inf, 1 aa, 1 ftr | rounds 2",
    "1940: 6 inf, 2 tank then 3 ftr, 1 bmr vs 10 inf, 1 aa | counter 4 inf, 1 ftr | take territory",
    "1942: 2 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 2 sub, 1 dd, 2 ftr, 2 tr | order: thrifty",
    "1942: 2 sub, 2 ftr vs 2 sub, 1 bb, 2 tr | order: smart | retreat below 2",
    "1940: 3 sub, 2 ftr, 1 bb vs 1 sub, 1 bb, 1 cv | rounds 3 | low luck",
    "90000 inf, 80000 tank vs 90000 inf, 50000 tank",
):
    assert main(["aa-odds", question, "--json"]) == 0
for attacker, defender in (("6 inf", "4 inf, 1 ftr"), ("2 sub", "1 sub, 1 dd"), ("1 bb", "2 dd")):
    both = {"attacker": parse_army(attacker, "1942"), "defender": parse_army(defender, "1942")}
    for side in Side:
        PurchaseRequest(**both, side=side, chance=0.7).run()
    RetreatRequest(**both).run()
    LuckRequest(**both, attacker_left=both["attacker"], defender_left=Army(edition="1942")).run()
"""


@pytest.mark.process
def test_no_player_waits_for_a_kernel_of_axis_and_allies(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "bot", "warm"], env=environment, capture_output=True, check=True)
    (folder,) = tmp_path.iterdir()
    compiled = {file.name for file in folder.rglob("*.nbc")}
    environment["NUMBA_CACHE_DIR"] = str(folder)
    subprocess.run([sys.executable, "-c", QUESTIONS], env=environment, capture_output=True, check=True)
    assert {file.name for file in folder.rglob("*.nbc")} - compiled == set()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with sources that stand for ours."""
    for half in ("bot", "sim"):
        (tmp_path / half / "inner").mkdir(parents=True)
        (tmp_path / half / "inner" / "source.py").write_text("x = 1")
    monkeypatch.setattr(release, "_ROOT", tmp_path)
    return tmp_path


def version() -> str:
    return release.version.__wrapped__()


def test_no_two_states_of_the_sources_have_the_same_version(root: Path) -> None:
    inner = root / "bot" / "inner"
    seen = [version()]
    assert re.fullmatch(rf"{re.escape(__version__)}\+[0-9a-f]{{8}}", seen[0])
    (inner / "__pycache__").mkdir()
    (inner / "__pycache__" / "source.cpython-311.pyc").write_bytes(b"1")
    assert version() == seen[0], "what is compiled is no source"
    (inner / "source.py").write_text("x = 2")
    seen.append(version())
    (inner / "0001_new.sql").write_text("SELECT 1")
    seen.append(version())
    (inner / "0001_new.sql").rename(inner / "0002_new.sql")
    seen.append(version())
    assert len(set(seen)) == len(seen)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_clone_knows_its_commit(root: Path) -> None:
    of_files = version()

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@localhost", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    assert version() == of_files, "there is no commit yet"
    git("add", ".")
    git("commit", "--quiet", "--message", "First")
    head = git("rev-parse", "HEAD")[:7]
    assert version() == of_files.replace("+", f"+g{head}.")
    (root / "sim" / "inner" / "source.py").write_text("x = 2")
    changed = version()
    assert changed != of_files.replace("+", f"+g{head}.")
    assert f"+g{head}." in changed


INNER = {"inner", "woven", "once"}
KERNELS = INNER | {"kernel", "njit"}


def decorators(node: ast.AST) -> set[str]:
    found = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return {ast.unparse(each).partition("(")[0] for each in found}


def called_from_python(sources: dict[str, str]) -> set[str]:
    """Return the full names of inner functions that code outside of kernels names; `sources`: by module."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    inner = {
        f"{module}.{node.name}"
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and decorators(node) & INNER
    }
    named: set[str] = set()
    for module, tree in trees.items():
        known = {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for node in (inside for top in tree.body if not decorators(top) & KERNELS for inside in ast.walk(top)):
            if isinstance(node, ast.Name):
                named.add(known.get(node.id, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                named.add(f"{known.get(node.value.id)}.{node.attr}")
    return named & inner


def test_no_python_code_calls_what_only_kernels_may_call() -> None:
    root = Path(sim.__file__).parent
    files = {".".join(("sim", *file.relative_to(root).with_suffix("").parts)): file for file in root.rglob("*.py")}
    assert called_from_python({module: file.read_text() for module, file in files.items()}) == set()


@pytest.mark.parametrize(
    "python", ["from sim.a import f\n\ndef g(): f()", "from sim.a import f as h\nh()", "from sim import a\na.f()"]
)
def test_a_call_from_python_is_found(python: str) -> None:
    kernels = "@inner\ndef f(): pass\n\n@kernel\ndef k(): f()\n"
    assert called_from_python({"sim.a": kernels, "sim.b": python}) == {"sim.a.f"}
    assert called_from_python({"sim.a": kernels, "sim.b": "from sim.a import k\nk()"}) == set()
