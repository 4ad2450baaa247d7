"""The site as `fracas replay-site` builds it, and a Chromium that has it open."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.battles.presenter import game_titles
from bot.cli.run import cache_folder
from bot.config import OperatorError
from bot.games import Games
from bot.replay_site import build, fetch, read_parts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 400_000
"""Milliseconds: Python starts in seconds, but not on a busy machine."""


@pytest.fixture(scope="session", autouse=True)
def _kernels() -> None:
    """Compile nothing: no calculation runs here."""


@pytest.fixture(scope="session")
def parts() -> dict[str, bytes]:
    """Return Python for browsers; skip where it is neither in the cache nor can be fetched."""
    try:
        fetch(cache_folder())
        return read_parts(cache_folder())
    except (OperatorError, OSError) as error:
        pytest.skip(f"without Python for browsers there is nothing to test: {error}")


@pytest.fixture(scope="session")
def site(parts: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site."""
    folder = tmp_path_factory.mktemp("replay-site")
    Games.discover()
    build(folder, parts, game_titles())
    return folder


@dataclass(slots=True)
class Visit:
    """A page, with all that it asked for and complained of."""

    page: "Page"
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def drop(self, name: str, data: bytes) -> None:
        """Open a file."""
        self.page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data})

    def verdict(self) -> tuple[str, str]:
        """Wait until everything is checked, and return the verdict's kind and words, or "trouble" and its sentence."""
        done = """() => {
            if (!document.getElementById("trouble").hidden) return true;
            const kind = document.getElementById("verdict").className;
            return !document.getElementById("battle").hidden && kind !== "checking"
                && document.getElementById("loading").hidden;
        }"""
        self.page.wait_for_function(done, timeout=PATIENCE)
        if self.page.is_visible("#trouble"):
            return "trouble", self.page.inner_text("#trouble")
        return self.page.get_attribute("#verdict", "class") or "", self.page.inner_text("#verdict")

    def judge(self, name: str, data: bytes) -> tuple[str, str]:
        """Open a file and return the verdict."""
        self.page.evaluate("document.getElementById('verdict').className = 'checking'")
        self.page.evaluate("document.getElementById('trouble').hidden = true")
        self.drop(name, data)
        return self.verdict()


@pytest.fixture(scope="module")
def visit(chromium: "Browser") -> Iterator[Callable[..., Visit]]:
    """Return what opens an address, and see to it that no page complains or asks for anything elsewhere."""
    made: list[tuple[Visit, str]] = []

    def opened(address: str, width: int = 412, **options: Any) -> Visit:  # noqa: ANN401  # of a page
        page = chromium.new_page(viewport={"width": width, "height": 900}, **options)
        found = Visit(page)
        page.on("request", lambda request: found.requests.append(request.url))
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.goto(address)
        made.append((found, address.split("index.html", maxsplit=1)[0].split("#", maxsplit=1)[0]))
        return found

    yield opened
    for found, origin in made:
        assert found.complaints == []
        assert found.requests
        assert [url for url in found.requests if not url.startswith((origin, "blob:"))] == []
