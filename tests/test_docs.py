"""What the pages show of the code is what the code says."""

import re
from pathlib import Path

import pytest

from tests.sample_games import SAMPLE

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / ".docs" / "write-a-game.md"
BLOCKS = re.findall(r"```(?:python|sql|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
SOURCES = [path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*") if path.suffix in {".py", ".sql", ".toml"}]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_write_a_game_shows_the_sample_game(block: str) -> None:
    assert any(block in source for source in SOURCES)


def test_the_page_has_such_blocks() -> None:
    assert len(BLOCKS) > 10


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / ".docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
