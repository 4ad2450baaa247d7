"""What the pages show of the code is what the code says."""

import ast
import re
from pathlib import Path

import pytest

from bot.backups import KEPT
from bot.config import variables
from bot.game import Games
from bot.store.copies import KEPT_DAYS
from bot.store.personal_tables import HOUSE_TABLES
from tests.sample_games import SAMPLE

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / ".docs" / "write-a-game.md"
OPERATE, PRIVACY, TERMS = (ROOT / ".docs" / f"{name}.md" for name in ("operate", "privacy", "terms"))
BLOCKS = re.findall(r"```(?:python|sql|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
SOURCES = [path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*") if path.suffix in {".py", ".sql", ".toml"}]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_write_a_game_shows_the_sample_game(block: str) -> None:
    assert any(block in source for source in SOURCES)


def test_the_page_has_such_blocks() -> None:
    assert len(BLOCKS) > 10


def headings(page: Path) -> list[str]:
    """Return the texts of a page's headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return what links to a page may have after their #, as GitHub makes it of the headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(page)}


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *sorted((ROOT / ".docs").rglob("*.md")), *sorted((ROOT / ".github").glob("*.md"))],
    ids=lambda page: page.name,
)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    targets = [(link, page.parent / link if link else page, anchor) for link, anchor in links]
    assert [link for link, target, _ in targets if not target.exists()] == []
    assert [anchor for _, target, anchor in targets if anchor and anchor not in anchors(target)] == []


def event_names() -> set[str]:
    """Return the name of every log event; where a variable holds it, what its type allows."""
    names: set[str] = set()
    for path in (ROOT / "bot").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "event"):
                continue
            name = call.args[1]
            if isinstance(name, ast.Constant):
                names.add(str(name.value))
                continue
            assert isinstance(name, ast.Name)
            (literal,) = {
                ast.unparse(argument.annotation)
                for argument in ast.walk(tree)
                if isinstance(argument, ast.arg) and argument.arg == name.id and argument.annotation is not None
            }
            names |= set(re.findall(r"'([^']+)'", literal))
    return names


def test_every_log_event_is_explained() -> None:
    rows = re.findall(
        r"^\| (`.+?) \| (?:INFO|WARNING|ERROR) \| .+ \|$", OPERATE.read_text(encoding="utf-8"), re.MULTILINE
    )
    explained = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(explained) == len(set(explained))
    assert event_names() >= {"started", "command", "click", "failed"}
    assert event_names() - set(explained) == set()


def test_the_privacy_policy_names_all_that_is_kept() -> None:
    text = PRIVACY.read_text(encoding="utf-8")
    listed = [table for table in (*HOUSE_TABLES, *Games.discover().personal_data) if table.is_listed]
    missing = [table.table for table in listed if f"\n- {table.label[1]} {table.kept}" not in text]
    assert missing == []
    assert text.count("\n- ") == len(listed) + len(["log", "backups", "elsewhere"]) + len(["show", "export", "delete"])
    assert f"after {KEPT_DAYS} days" in text
    assert f"the last {KEPT} are kept" in text


def test_the_pages_for_operators_name_only_settings_there_are() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (OPERATE, PRIVACY, TERMS))
    assert set(re.findall(r"\bFRACAS_[A-Z_]+", pages)) <= set(variables().values())
