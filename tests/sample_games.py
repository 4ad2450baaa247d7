"""Installs games for tests as pip would: a package and its metadata in a folder on the path."""

import tomllib
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample_game"
"""The game of `.docs/write-a-game.md`, a project of its own."""


def install_sample(site: Path) -> None:
    """Install the sample game into a folder, with the name, version and entry points of its project file."""
    (site / "fracas_pig").symlink_to(SAMPLE / "fracas_pig")
    project = tomllib.loads((SAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(site, project["name"], project["entry-points"]["fracas.games"], project["version"])


def install(site: Path, name: str, games: dict[str, str], version: str = "0.1") -> None:
    """Write a package's metadata; `games` are its entry points."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = ["[fracas.games]", *(f"{game} = {package}" for game, package in games.items())]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def write_game(site: Path, name: str, rules: str = "RULES = GameRules()", bot: str | None = None) -> None:
    """Install a game of a few lines; `bot` is the source of its half with Discord."""
    package = site / f"fracas_{name}"
    package.mkdir()
    (package / "__init__.py").write_text(
        f"from sim.core.game_rules import Command, GameRules\n{rules}\n", encoding="utf-8"
    )
    if bot is not None:
        (package / "bot.py").write_text(f"from bot.games import Game\n{bot}\n", encoding="utf-8")
    install(site, f"fracas-{name}", {name: package.name})
