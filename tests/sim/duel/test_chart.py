"""The chart of the odds of a duel."""

import struct

import pytest
from matplotlib.figure import Figure

from sim.duel.critter import Critter
from sim.duel.requests import DuelChartRequest, DuelOddsRequest
from tests.sim.duel.builders import critter


def drawn(monkeypatch: pytest.MonkeyPatch, *groups: tuple[Critter, ...]) -> tuple[bytes, Figure]:
    """Draw the chart; return the PNG and the figure."""
    figures: list[Figure] = []
    saved = Figure.savefig

    def keep(figure: Figure, *arguments: object, **options: object) -> None:
        figures.append(figure)
        saved(figure, *arguments, **options)  # type: ignore[arg-type]  # passed on as they come

    monkeypatch.setattr(Figure, "savefig", keep)
    report = DuelOddsRequest(group1=groups[0], group2=groups[1]).run()
    request = DuelChartRequest(report=report)
    assert 0 < request.cost() < 5
    return request.run(), figures[0]


def test_it_is_a_picture_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    conan, grendel = critter("Conan", 8, str_mod=3), critter("Grendel", 6, str_mod=-3)
    png, figure = drawn(monkeypatch, (conan,), (grendel,))
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (800, 450)
    left, right = figure.axes
    report = DuelOddsRequest(group1=(conan,), group2=(grendel,)).run()
    assert [bar.get_height() for bar in left.patches] == pytest.approx(report.first.hp_left[1:])  # type: ignore[attr-defined]  # bars are rectangles
    assert len(right.patches) == 6
    assert left.get_title().startswith("First 9")
    assert left.get_xlabel() == "hit points left"


def test_only_what_is_certain_reads_100_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    strong, weak = critter("Conan", 50), critter("Grendel", 1, str_mod=-6)
    _, figure = drawn(monkeypatch, (strong,), (weak,))
    assert figure.axes[0].get_title() == "First >99.9\N{NO-BREAK SPACE}%"
    _, figure = drawn(monkeypatch, (strong,), (critter("Grendel", 1, str_mod=-7),))
    assert [axes.get_title() for axes in figure.axes] == ["First 100\N{NO-BREAK SPACE}%", "Second 0\N{NO-BREAK SPACE}%"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["nobody"]


def test_groups_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(critter(f"Wolf {number}", 4) for number in range(5))
    _, figure = drawn(monkeypatch, (critter("Conan", 8),), many)
    assert [len(axes.patches) for axes in figure.axes] == [1, 5]
    assert figure.axes[1].get_xlabel() == "left of them"
