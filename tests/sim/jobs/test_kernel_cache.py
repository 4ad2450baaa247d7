"""Where compiled kernels are kept, and when all of them are."""

import os
from pathlib import Path

import pytest

import sim
from sim.jobs import kernel_cache, warm_up
from sim.jobs.kernel_cache import is_complete, mark_complete, use_kernel_cache


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def folder() -> Path:
    """Return the folder that is chosen now."""
    use_kernel_cache()
    return Path(os.environ["NUMBA_CACHE_DIR"])


def test_every_test_uses_the_bot_s_folder() -> None:
    assert Path(os.environ["NUMBA_CACHE_DIR"]).name.startswith("kernels-")


def test_the_folder_is_in_the_operator_s_and_the_same_for_processes_that_this_one_starts(place: Path) -> None:
    chosen = folder()
    assert chosen.parent == place
    assert folder() == chosen


def test_without_a_word_it_is_beside_the_sources_or_in_the_user_s_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    package = tmp_path / "sim"
    package.mkdir()
    monkeypatch.setattr(sim, "__file__", str(package / "__init__.py"))
    assert folder().parent == package / "__pycache__"
    folder().rmdir()
    (package / "__pycache__").rmdir()
    (package / "__pycache__").touch()  # no folder can be made there
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert folder().parent == tmp_path / "user" / "fracas"
    (tmp_path / "user" / "fracas").rename(tmp_path / "elsewhere")
    (tmp_path / "user" / "fracas").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    use_kernel_cache()
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


def test_another_processor_or_numba_has_another_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = folder()
    monkeypatch.setattr(kernel_cache, "_processor", lambda: ["flags : avx10"])
    second = folder()
    monkeypatch.setattr(kernel_cache, "version", lambda _package: "99")
    assert len({first, second, folder()}) == 3
    assert first.parent == place


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


def test_the_stopgap_is_needed_until_the_rehearsal_is_through(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(warm_up, "warm_up", lambda: done.append("warm up"))
    monkeypatch.setattr("os.nice", lambda step: done.append(f"nice {step}"))
    assert folder().parent == place
    assert warm_up.STOPGAP.is_needed()
    warm_up.STOPGAP.rehearsal()
    assert done == ["nice 10", "warm up"]
    assert not warm_up.STOPGAP.is_needed()


@pytest.mark.usefixtures("place")
def test_a_rehearsal_that_fails_completes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("no kernels today")

    monkeypatch.setattr(warm_up, "warm_up", fail)
    monkeypatch.setattr("os.nice", lambda _step: None)
    folder()
    with pytest.raises(ValueError, match="today"):
        warm_up.STOPGAP.rehearsal()
    assert warm_up.STOPGAP.is_needed()


def test_kernels_that_were_delivered_where_nothing_can_be_written_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an image whose file system can only be read."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setattr(sim, "__file__", str(tmp_path / "sim" / "__init__.py"))
    delivered = folder()
    assert delivered.parent == tmp_path / "sim" / "__pycache__"
    (delivered / "odds").mkdir()
    (delivered / "odds" / "kernel.nbc").write_text("compiled")
    writable = kernel_cache._is_writable
    monkeypatch.setattr(kernel_cache, "_is_writable", lambda place: place != delivered and writable(place))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    copied = folder()
    assert copied == tmp_path / "user" / "fracas" / delivered.name
    assert not is_complete(), "half of them are nobody's"
    (delivered / "complete").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    assert folder() == copied
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
