"""The site's folder: the same bytes each time, all listed, nothing from outside; its parts, and where it is served."""

import hashlib
import json
import re
import zipfile
from io import BytesIO
from pathlib import Path

import aiohttp
import pytest

import bot.replay_site
from bot.battles.presenter import game_titles
from bot.cli import main
from bot.config import OperatorError
from bot.games import Games
from bot.replay_site import HASHES, PARTS, Part, build, fetch, read_parts, rules_zip, served
from sim.jobs import systems

PAGE = Path(bot.replay_site.__file__).parent / "page"
FAKE = {"pyodide.mjs": b"module", "pyodide.asm.wasm": bytes(1000), "a.whl": b"wheel"}


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    first = build(tmp_path / "first", FAKE, {"duel": "B/X duel", "aa-battle": "Axis & Allies"})
    second = build(tmp_path / "second", FAKE, {"aa-battle": "Axis & Allies", "duel": "B/X duel"})
    assert first == second
    assert build(tmp_path / "first", FAKE, {}) != first


def test_every_file_is_listed_with_its_hash(tmp_path: Path) -> None:
    site = build(tmp_path, FAKE, {})
    written = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert written == site
    lines = (line.split("  ") for line in written.pop(HASHES).decode().splitlines())
    listed = {name: digest for digest, name in lines}
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in written.items()}


def test_the_rules_come_whole_but_for_the_workers() -> None:
    with zipfile.ZipFile(BytesIO(rules_zip())) as archive:
        names = archive.namelist()
    assert "sim/jobs/replay_page.py" in names
    assert any(name.endswith(".toml") for name in names), "data of the rules, too"
    assert not [name for name in names if "workers" in name or "__pycache__" in name]


def test_the_page_names_no_outside_address_and_runs_nothing_but_its_own_scripts(tmp_path: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGE.iterdir())
    text = text.replace(' xmlns="http://www.w3.org/2000/svg"', "")  # a name, not an address
    assert re.findall(r"https?:|innerHTML|insertAdjacent|document\.write|(?<!-)\beval\b|new Function", text) == []
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', index)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "connect-src" not in policy[1], "default-src forbids to connect"
    assert not re.search(r"unsafe-(inline|eval)|\*|https?:|data:", policy[1].replace("wasm-unsafe-eval", ""))
    assert re.findall(r"<script(?! src=)|\son\w+=|\sstyle=", index) == []
    named = {*re.findall(r'(?:src|href)="([^"]*)"', index)}
    assert named >= {"app.js", "style.css", "icon.svg"}
    assert named <= build(tmp_path, FAKE, {}).keys(), "all that the page names comes along"


def test_every_battle_has_a_title() -> None:
    Games.discover()
    assert game_titles().keys() >= set(systems())
    assert game_titles()["aa-battle"] == "Axis & Allies"


@pytest.mark.rest  # it fetches Python for browsers
def test_the_pinned_pydantic_is_the_one_that_its_core_belongs_to(parts: dict[str, bytes]) -> None:
    (wheel,) = (data for name, data in parts.items() if name.startswith("pydantic-"))
    with zipfile.ZipFile(BytesIO(wheel)) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        needed = re.search(r"Requires-Dist: pydantic-core==([\d.]+)", archive.read(name).decode())
    assert needed is not None
    assert any(part.file.startswith(f"pydantic_core-{needed[1]}-cp314") for part in PARTS)


def test_a_changed_part_is_refused(tmp_path: Path) -> None:
    for part in PARTS:
        (tmp_path / part.file).write_bytes(b"something else")
    with pytest.raises(OperatorError, match="isn't the file that this version was tested with"):
        read_parts(tmp_path)


def test_without_npm_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert main(["replay-site", str(tmp_path / "site"), "--cache", str(tmp_path / "cache")]) == 1
    assert (
        "npm fetches Python for browsers, and isn't installed; install Node.js, or see --from."
        in capsys.readouterr().err
    )
    assert main(["replay-site", str(tmp_path / "site"), "--from", str(tmp_path / "none")]) == 1
    assert "can't be read: No such file" in capsys.readouterr().err


def test_what_npm_or_pip_say_when_they_fail_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Part("no such requirement!", "none", "0" * 64)
    monkeypatch.setattr(bot.replay_site, "PARTS", (broken,))
    with pytest.raises(OperatorError, match=r"pip can't fetch no such requirement! \(.*\)\."):
        fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.rest  # likewise
def test_the_command_builds_the_site(
    parts: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert parts
    assert main(["replay-site", str(tmp_path)]) == 0
    assert re.search(r"\d+ files, (\d+\.\d) MB; hashes.txt lists their SHA-256", capsys.readouterr().out)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert size < 40e6
    about = (tmp_path / "about.js").read_text().removeprefix("Fracas.about(").removesuffix(");\n")
    assert json.loads(about)["titles"]["mka"] == "Mad Killer Agents"


async def test_the_site_is_served_under_its_path(tmp_path: Path) -> None:
    site = build(tmp_path / "site", {"a.whl": b"wheel"}, {})
    (tmp_path / "secret").write_text("not for others")
    async with served(tmp_path / "site") as address, aiohttp.ClientSession() as browser:
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/replay/")
        for name, data in {**site, "": site["index.html"]}.items():
            async with browser.get(address + name) as found:
                assert await found.read() == data
        async with browser.get(f"{address}%2e%2e/secret") as outside:
            assert outside.status == 404
