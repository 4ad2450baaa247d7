"""What the pages show of the code is what the code says."""

import re
from pathlib import Path

import pytest

from tests.sample_games import SAMPLE

PAGE = Path(__file__).resolve().parent.parent / ".docs" / "write-a-game.md"
BLOCKS = re.findall(r"```(?:python|sql|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
SOURCES = [path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*") if path.suffix in {".py", ".sql", ".toml"}]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_write_a_game_shows_the_sample_game(block: str) -> None:
    assert any(block in source for source in SOURCES)


def test_the_page_has_such_blocks() -> None:
    assert len(BLOCKS) > 10
