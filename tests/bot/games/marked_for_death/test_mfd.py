"""`/mfd run`, `check`, `template`, `odds`: two rosters, a whole battle, its odds."""

import io
import re

import pytest
from simcord import InteractionResult

from sim.csv.table import read_table
from sim.marked_for_death.tables import read_roster
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, files_of, text_of
from tests.sim.marked_for_death.builders import RIDERS

HEADER = "Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo\n"
HERO, VILLAIN = f"{HEADER}Hero,5000,,-1,,,,,\n", f"{HEADER}Villain,5000,,-1,,,,,\n"
ORCS = HEADER + "".join(f"Orc {number},4000,,1,0.1,,,,\n" for number in range(1, 7))


def file(text: str | bytes, name: str = "roster.csv") -> tuple[str, bytes]:
    return name, text if isinstance(text, bytes) else text.encode()


async def mfd(
    table: Table, command: str, heroes: str | bytes = RIDERS, villains: str | bytes = ORCS, **options: int
) -> InteractionResult:
    return await table.ann.slash(
        table.channel, f"mfd {command}", heroes=file(heroes), villains=file(villains), **options
    )


def seen(result: InteractionResult) -> str:
    """Return what a player reads: without the backslashes that keep names from being markdown."""
    return text_of(answer(result)).replace("\\", "")


async def test_a_whole_battle_with_its_pages_and_files(table: Table) -> None:
    result = await mfd(table, "run", seed=7)
    message = answer(result)
    text = text_of(message)
    assert text.startswith(("### 👹 The villains win after ", "### 🛡️ The heroes win after "))
    expect_in(text, "-# 🎲 Seed 7", "💀 **")
    assert " in round 1, by " in text, "the fallen with their rounds"
    assert re.match(r"(Heroes|Villains) win\. After \d rounds\. Dragon ", alt_of(message))
    expect_in(alt_of(message), "Summoner ", "Orc 6 ", "Most takedowns: ")
    files = await table.files(result)
    assert list(files) == ["BattleLog.txt", "Heroes-final.csv", "Villains-final.csv"]
    log = files["BattleLog.txt"].decode()
    assert log.startswith("Seed: 7\nThe heroes:\n  Dragon: HP(1), ToHit(99%), ToDefend(42%), ")
    assert [fighter.name for fighter in read_roster(files["Heroes-final.csv"]).roster.fighters] == [
        "Dragon",
        "Summoner",
        "Tom",
    ]
    second = await table.jump(message, 2)
    assert text_of(answer(second)).split("\n\n")[0].startswith("### ")
    assert "**Round 1: 3 heroes against 6 villains**" in seen(second)


async def test_the_first_page_of_a_battle_has_a_card_of_its_end(table: Table) -> None:
    message = answer(await mfd(table, "run", seed=7))
    (picture,) = message.attachments
    assert picture.filename == "battle.png"
    assert not (await table.pressed(message, "▶️")).attachments


async def test_the_same_seed_gives_the_same_battle_and_another_one_another(table: Table) -> None:
    first, second = [await table.files(await mfd(table, "run", seed=7)) for _ in range(2)]
    assert first == second
    message = answer(await mfd(table, "run", seed=7))
    before = text_of(message)
    again = await table.pressed(message, "Other dice")
    assert "Seed 7\n" not in text_of(again)
    assert text_of(again) != before


async def test_a_battle_goes_on_from_its_final_files(table: Table) -> None:
    result = await mfd(table, "run", max_rounds=1, seed=3)
    assert "undecided after 1 round" in text_of(answer(result)).lower()
    files = await table.files(result)
    rows = {row.cells[0]: row.cells for row in read_table(files["Villains-final.csv"]).rows}
    to_defend = read_table(files["Villains-final.csv"]).header.index("BonusToDefend")
    assert {cells[to_defend] for cells in rows.values()} == {"-0.1"}
    result = await mfd(table, "run", files["Heroes-final.csv"], files["Villains-final.csv"], seed=4)
    assert text_of(answer(result)).startswith("### ")


async def test_pages_turn_after_a_restart(table: Table) -> None:
    message = answer(await mfd(table, "run", seed=7))
    await table.restart()
    turned = seen(await table.press(message, "▶️"))
    assert "**The heroes:**" in turned
    assert "Dragon: HP(1), ToHit(99%)" in turned


async def test_everything_wrong_with_both_files_is_told_at_once(table: Table) -> None:
    heroes = f"{HEADER}Tom,x,,,,,,,\nTom,0,,,,,,,\n"
    (reply,) = (await mfd(table, "run", heroes, "Nome,XP\nA,1\n")).followups
    assert reply.ephemeral
    lines = text_of(reply).replace("\\", "").splitlines()
    assert lines[0].endswith(" problems to fix**")
    assert any(line.startswith("- Heroes: Row 2, XP: ") for line in lines)
    assert any(line.startswith("- Villains: ") and "Name" in line for line in lines)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"PK\x03\x04rest of a zip", "save the table as CSV"),
        (b"\x89PNG\r\n\x1a\n", "save the table as CSV"),
        (b"\x00\x01\x02\x03", "control character"),
        (b"", "The file is empty"),
    ],
)
async def test_a_file_that_is_no_table_is_refused_with_what_to_do(table: Table, data: bytes, sentence: str) -> None:
    (reply,) = (await mfd(table, "run", data)).followups
    assert sentence in text_of(reply)
    assert "Heroes" in text_of(reply)


async def test_text_of_a_file_can_not_ping_or_format(table: Table) -> None:
    result = await table.ann.slash(
        table.channel, "mfd check", roster=file(f"{HEADER}@everyone **x**,nope<@1>,,,,,,,\n")
    )
    text = text_of(result.followups[0])
    assert "<@1>" not in text
    assert "\\<\\@1\\>" in text


async def test_a_roster_is_checked_with_its_warnings(table: Table) -> None:
    roster = f"{RIDERS}Lost,1000,,-2,,,Nobody,,,,,\n"
    message = await table.run("mfd check", roster=file(roster, "dragon.csv"))
    text = text_of(message).replace("\\", "")
    assert text.startswith("### ⚠️ dragon.csv: 4 fighters, ")
    expect_in(text, "**Dragon**: HP(1), ToHit(99%), ToDefend(42%), AOE(1), Total XP(14500)", "🪑 sits out")
    expect_in(
        alt_of(message),
        "Fighters: 4. Hit points: 6. Total XP: 27,301. Dragon: 1 HP · 14,500 XP. Summoner: 3 HP · 4,800 XP. ",
        "Lost: sits out.",
    )
    warnings = text_of(await table.pressed(message, "⏭️"))
    assert "⚠️ " in warnings
    assert "Nobody" in warnings
    files = await files_of(await table.pressed(message, "Files"))
    assert files["roster.txt"].decode().startswith("Dragon: HP(1), ToHit(99%), ToDefend(42%), AOE(1), ")


async def test_the_template_is_a_roster_that_checks(table: Table) -> None:
    (file_,) = (await table.run("mfd template")).attachments
    data = await file_.read()
    assert data.decode("utf-8-sig").startswith("# ")
    assert [fighter.name for fighter in read_roster(data).roster.fighters] == ["Dragon", "Summoner", "Tom"]


async def test_a_saved_roster_stands_for_a_file(table: Table) -> None:
    saved = await table.ann.slash(table.channel, "roster save", name="Riders", kind="mfd", file=file(RIDERS))
    assert "3 fighters" in text_of(answer(saved))
    ((choice,)) = await table.ann.autocomplete(table.channel, "mfd run", "heroes_saved", "rid")
    result = await table.ann.slash(table.channel, "mfd run", heroes_saved=choice["value"], villains=file(ORCS), seed=1)
    assert "of 3 stand" in text_of(answer(result))
    (reply,) = (await table.ann.slash(table.channel, "mfd run", villains=file(ORCS))).followups
    expect_in(text_of(reply), "⚠️", "heroes,", "heroes_saved")


async def test_the_exact_odds_of_one_against_one(table: Table) -> None:
    message = answer(await mfd(table, "odds", HERO, VILLAIN))
    text = text_of(message)
    expect_in(text, "🛡️ heroes 35.7% · 👹 villains 35.7% · ⚰️ both fall 28.6%", "about 1.5 rounds", "-# Exact odds")
    assert "🛡️ **Hero** 35.7% · 0.36 of 1 HP · 64.3%" in text_of(await table.pressed(message, "▶️"))


@pytest.mark.rest
async def test_simulated_odds_with_intervals_and_who_matters(table: Table) -> None:
    message = answer(await mfd(table, "odds", seed=5))
    text = text_of(message)
    assert re.search(
        r"simulated battles \(seed 5\); with 95% confidence:\n-# 🛡️ heroes [\d.]+ to [\d.]+% · 👹 villains ", text
    )
    assert "**Often among the first to fall**" in text
    assert buttons_of(message)[-2:] == ["Who matters most?", "Files"]
    weighed = await table.pressed(message, "Who matters most?")
    page_text = text_of(weighed)
    assert "**What each fighter adds to its side's chance to win**" in page_text, "the press shows what it asked for"
    assert "🛡️ **Dragon** +" in page_text
    files = await files_of(await table.pressed(weighed, "Files"))
    assert set(files) == {"odds.json", "odds.png", "who-matters.json"}
    assert files["odds.png"].startswith(b"\x89PNG")


async def test_long_odds_fill_a_bar(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation in several jobs tells how far it is, and its answer takes the bar's place."""
    ticks = iter(range(0, 100_000, 3))
    monkeypatch.setattr(table.bot, "monotonic", lambda: float(next(ticks)))
    message = answer(await mfd(table, "odds", seed=6))
    edits = [str(entry.json) for entry in table.env.http_requests if entry.method == "PATCH"]
    assert any("▰" in edit or "▱" in edit for edit in edits)
    assert "▱" not in text_of(message)


async def test_excel_s_own_csv_is_read(table: Table) -> None:
    text = "sep=;\r\nName;XP;BonusToHit\r\nTöm;5000;0,15\r\n;;\r\n"
    message = await table.run("mfd check", roster=file(io.BytesIO(text.encode("utf-16")).getvalue()))
    assert "**Töm**: HP(2), ToHit(45%)" in text_of(message).replace("\\", "")
