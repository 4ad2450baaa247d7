"""Linked battles of Marked for Death are the same as those run by hand in a terminal with edited rosters."""

import codecs
import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from sim.__main__ import main
from tests.bot.campaigns.stories import campaign, fought, seeded, unzipped
from tests.bot.conftest import Table, answer, expect_in, said
from tests.bot.games.marked_for_death.test_mfd import HEADER, file

HEROES = f"{HEADER}Kakashi,6000,,8,0.2,0.1,2,,\nTom,2500,,4,0.1,,,Kakashi,\nIno,1200,500,3,,,,,\n"
VILLAINS = (
    f"{HEADER}Zabuza,4000,,3,0.1,,,,\nHaku,2500,,1,,,,Zabuza,\n",
    f"{HEADER}Kisame,4500,,3,0.1,,,,\nItachi,3000,,1,0.15,,,,\n",
    f"{HEADER}Pain,6500,,5,0.2,,2,,\n",
)
FILES = ("BattleLog.txt", "Heroes-final.csv", "Villains-final.csv")


def by_hand(folder: Path, heroes: bytes, villains: bytes, seed: bytes) -> dict[str, bytes]:
    """Run a battle in the terminal and return its files."""
    folder.mkdir()
    (folder / "h.csv").write_bytes(heroes)
    (folder / "v.csv").write_bytes(villains)
    arguments = ["--heroes", str(folder / "h.csv"), "--villains", str(folder / "v.csv"), "--live", seed.hex()]
    assert main(["mfd", *arguments, "--out", str(folder / "out")]) == 0
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


def edited(roster: bytes, edit: Callable[[dict[str, str]], None]) -> bytes:
    """Return a roster with every row edited, as somebody would in a spreadsheet."""
    reader = csv.DictReader(io.StringIO(roster.decode("utf-8-sig")))
    rows = list(reader)
    out = io.StringIO()
    writer = csv.DictWriter(out, reader.fieldnames or ())
    writer.writeheader()
    for row in rows:
        edit(row)
        writer.writerow(row)
    return out.getvalue().encode()


def rest(row: dict[str, str]) -> None:
    """Give whoever stands all HP again and take their exhaustion."""
    whole = {"Kakashi": ("8", "0.1"), "Tom": ("4", ""), "Ino": ("3", "")}
    if 2 + int(row["BonusHP"] or 0) > 0 and row["Name"] in whole:
        row["BonusHP"], row["BonusToDefend"] = whole[row["Name"]]


async def test_three_linked_battles_equal_those_run_by_hand(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = [seeded(monkeypatch, 101)]
    opened = await table.ann.slash(table.channel, "mfd start", heroes=file(HEROES), villains=file(VILLAINS[0]))
    expect_in(
        said(await campaign(table, "new", name="Siege of Konoha", battle=1)),
        "🚩 Siege of Konoha",
        "Marked for Death · 1 battle · founded by",
        "**1.** [#1](https://discord.com/channels/",
        "goes on",
    )
    await fought(table, answer(opened))
    expect_in(
        said(await campaign(table, "heal", how="rest")),
        "🩹 A rest. Everyone still standing is back to full HP",
        "Kakashi 10/10 HP",
    )

    seeds.append(seeded(monkeypatch, 202))
    await fought(table, await campaign(table, "next", foe_file=file(VILLAINS[1])))
    form = await table.ann.slash(table.channel, "campaign heal", how="hand")
    healed = await table.ann.submit_modal(form, {"amounts": "Kakashi: 2, 300 XP\nTom: +3\nIno = 0, 1000 xp"})
    expect_in(said(answer(healed)), "By hand: Kakashi +2 HP, +300 XP; Tom +3 HP; Ino +1,000 XP.")

    seeds.append(seeded(monkeypatch, 303))
    await fought(table, await campaign(table, "next", foe_file=file(VILLAINS[2])))
    linked = await unzipped(table)

    first = by_hand(tmp_path / "1", HEROES.encode(), VILLAINS[0].encode(), seeds[0])
    heroes = edited(first["Heroes-final.csv"], rest)
    second = by_hand(tmp_path / "2", heroes, VILLAINS[1].encode(), seeds[1])

    def care(row: dict[str, str]) -> None:
        healing, xp = {"Kakashi": (2, 300), "Tom": (3, 0), "Ino": (0, 1000)}[row["Name"]]
        row["BonusHP"] = str(int(row["BonusHP"] or 0) + healing)
        row["XP"] = str(int(row["XP"]) + xp)

    heroes = edited(second["Heroes-final.csv"], care)
    third = by_hand(tmp_path / "3", heroes, VILLAINS[2].encode(), seeds[2])
    for number, files in enumerate((first, second, third), start=1):
        for name, data in files.items():
            assert linked[f"{number:03}/{name}"].removeprefix(codecs.BOM_UTF8) == data, f"{name} of battle {number}"
    assert linked["now/Heroes-final.csv"] == codecs.BOM_UTF8 + third["Heroes-final.csv"]
    assert third["Heroes-final.csv"] != first["Heroes-final.csv"]
    assert {name.split("/")[-1] for name in linked} == {*FILES, "history.csv"}
    assert b"Round 2" in third["BattleLog.txt"]
