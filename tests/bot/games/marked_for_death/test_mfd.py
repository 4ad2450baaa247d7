"""`/mfd`: what the snapshots don't show of two rosters, their odds, and a battle that a referee changes."""

import pytest
from simcord import ResponseMessage

from bot.store.battles import BattleRepository
from tests.bot.battles.fights import stored
from tests.bot.conftest import Table, answer, expect_in, said, text_of
from tests.sim.marked_for_death.builders import HEADER, ORCS, RIDERS

pytestmark = pytest.mark.usefixtures("fixed_dice")

TROLL = f"{HEADER}\nTroll,9000,,4,,,,,\n"


def file(text: str) -> tuple[str, bytes]:
    return "roster.csv", text.encode()


async def start(table: Table, heroes: str = RIDERS, villains: str = ORCS, **options: int) -> ResponseMessage:
    sides = {"heroes": file(heroes), "villains": file(villains)}
    return answer(await table.ann.slash(table.channel, "mfd start", **sides, **options))


async def test_long_odds_fill_a_bar(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation in several jobs tells how far it is, and its answer takes the bar's place."""
    ticks = iter(range(0, 100_000, 3))
    monkeypatch.setattr(table.bot, "monotonic", lambda: float(next(ticks)))
    message = await table.run("mfd odds", heroes=file(RIDERS), villains=file(ORCS), seed=6)
    edits = [str(entry.json) for entry in table.env.http_requests if entry.method == "PATCH"]
    assert any("▰" in edit or "▱" in edit for edit in edits)
    assert "▱" not in text_of(message)


async def test_some_rounds_and_the_limit(table: Table) -> None:
    tough = f"{HEADER}\nWall,1,,500,-0.5,,,,\n"
    panel = await start(table, tough, tough.replace("Wall", "Rock"), max_rounds=10)
    referee = await table.run("battle referee")
    await table.fill(referee, "Fight some rounds", {"rounds": "4"})
    assert text_of(panel).startswith("### #1 Marked for Death: round 4 of 10\n")
    (reply,) = (await table.fill(await table.run("battle referee"), "Fight some rounds", {"rounds": "many"})).followups
    assert text_of(reply) == "⚠️ Rounds: 'many' is not a whole number."
    (reply,) = (await table.fill(reply, "Fix it", {"rounds": "1001"})).followups
    assert text_of(reply) == "⚠️ Rounds: from 1 to 1,000."
    await table.fill(reply, "Fix it", {"rounds": "400"})
    assert text_of(panel).startswith("### #1 Marked for Death: ⏳ undecided after 10 rounds\n")


async def test_a_file_with_mistakes_is_mended_in_its_form(table: Table) -> None:
    panel = await start(table)
    form = await table.press(panel, "Change a roster")
    wrong = file(f"{HEADER}\nOrc,x,,,,,,,\n,1,,,,,,,\n")
    reply = answer(await table.ann.submit_modal(form, {"camp": "villains", "roster": [wrong], "how": "add"}))
    expect_in(said(reply), "- Row 2, XP: 'x' is not a whole number.", "- Row 3, Name: The name is missing.")
    change = await table.filled(reply, "Fix it", {"camp": "villains", "roster": [file(TROLL)], "how": "add"})
    assert change.ephemeral
    assert said(change).startswith("### #1 👹 Villains: 1 roster change\n- Troll joins with 6 HP.")


async def test_a_careful_bot_pulls_its_wounded_out(table: Table) -> None:
    brittle = f"{HEADER}\n" + "".join(f"{name},1000,,1,-0.25,-0.3,,,\n" for name in ("Ox", "Elk", "Yak", "Ibex"))
    sides = {"heroes": file(f"{HEADER}\nArcher,1000,,30,0.7,,4,,\n"), "villains": file(brittle)}
    panel = answer(await table.ann.slash(table.channel, "mfd start", **sides, opponent="moss"))
    for _ in range(4):
        await table.press(panel, "Next round")
        if "leaves the villains" in said(panel):
            break
    expect_in(said(panel), "leaves the villains, with 1 HP")
    last = (await table.bot.services[BattleRepository].journal((await stored(table)).id))[-1]
    assert (last.seat, last.actor) == ("villains", None)
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")
