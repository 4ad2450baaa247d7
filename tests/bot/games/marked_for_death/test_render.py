"""Rosters and their battles on pages: everything is there, and nothing is written before it is read."""

import pytest

import bot.games.marked_for_death.render as pages
from bot.answers.document import LINES_A_PAGE, lazy_pages
from bot.games.marked_for_death.render import event_lines, run_document
from bot.ui.layout import Picture
from bot.ui.text import LAYOUT_TEXT, plain, utf16_length
from sim.core.values import Paused
from sim.marked_for_death.battle.values import Fell
from sim.marked_for_death.reports import RunReport
from sim.marked_for_death.requests import RunRequest
from sim.marked_for_death.roster import Camp, Fighter, Roster

PICTURE = Picture("battle.png", b"", "")


def crowd(name: str, fighters: int, hp: int = 0, to_hit: str = "0") -> Roster:
    return Roster(
        fighters=tuple(
            Fighter(name=f"{name} {number}", xp=1000, bonus_hp=hp, bonus_to_hit=to_hit) for number in range(fighters)
        )
    )


def fought(heroes: Roster, villains: Roster) -> RunReport:
    return RunRequest(heroes=heroes, villains=villains, max_rounds=3).run()


def test_every_survivor_is_named_however_many_there_are() -> None:
    report = fought(crowd("Archer of the northern watch", 400, hp=50), crowd("Orc", 1, hp=90))
    document = run_document(report, PICTURE)
    summary = "\n".join(document.page(at) for at, leaf in enumerate(document.pages) if leaf.title.startswith("Summary"))
    assert len(report.heroes.survivors) == 400
    for name, hp in report.heroes.survivors:
        assert f"{name} \\({hp} HP\\)" in summary or f"{name} ({hp} HP)" in summary


def test_the_log_is_written_page_by_page_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large battle has tens of thousands of lines, and the bot has no time to escape them all at each press."""
    report = fought(crowd("Hero", 60, hp=99), crowd("Orc", 60, hp=99))
    written: list[str] = []

    def noted(name: str, most: int = 80) -> str:
        written.append(name)
        return plain(name, most)

    monkeypatch.setattr(pages, "plain", noted)
    document = run_document(report, PICTURE)
    assert not any("attacks" in text for text in written)
    last = document.page(len(document) - 1)
    assert 0 < sum("attacks" in text for text in written) <= LINES_A_PAGE
    assert "attacks" in last


def test_pages_of_a_log_hold_every_line_once_and_fit() -> None:
    lines = [f"{'*' * (number % 90)} {number}" for number in range(300)]
    parts = lazy_pages(lines, plain, 80, 1000)
    texts = [page() for _, _, page in parts]
    assert [line for text in texts for line in text.split("\n")] == list(map(plain, lines))
    assert max(map(utf16_length, texts)) <= 1000 < LAYOUT_TEXT
    assert [start for start, _, _ in parts] == [0, *[end for _, end, _ in parts[:-1]]]
    assert parts[-1][1] == len(lines)


def test_a_pause_after_one_round_and_after_more() -> None:
    assert list(event_lines([Paused(rounds=1), Paused(rounds=4)])) == [
        "⏸️ 1 round fought: the battle can go on.",
        "⏸️ 4 rounds fought: the battle can go on.",
    ]


def test_those_who_take_somebody_down_are_named_as_in_a_sentence() -> None:
    def line(*by: str) -> str:
        (text,) = event_lines([Fell(camp=Camp.HEROES, name="Tom", hp=-1, by=by)])
        return text

    assert line("Orc") == "💀 Orc takes down **Tom**"
    assert line("Orc", "Troll") == "💀 Orc and Troll take down **Tom**"
    assert line("A", "B", "C", "D", "E", "F") == "💀 A, B, C, D and 2 more take down **Tom**"
