"""`/mfd`: what the snapshots don't show of two rosters, their odds, and a battle that a referee changes."""

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.battles.presenter import Presenters
from bot.store.battles import BattleRepository
from sim.marked_for_death.battle.values import State
from tests.bot.battles.fights import stored
from tests.bot.conftest import Table, answer, buttons_of, expect_in, form_values, said, text_of
from tests.bot.payloads import SELECT, components
from tests.sim.marked_for_death.builders import HEADER, ORCS, RIDERS

pytestmark = pytest.mark.usefixtures("fixed_dice")

TROLL = f"{HEADER}\nTroll,9000,,4,,,,,\n"


def file(text: str) -> tuple[str, bytes]:
    return "roster.csv", text.encode()


async def start(table: Table, heroes: str = RIDERS, villains: str = ORCS, **options: int) -> ResponseMessage:
    sides = {"heroes": file(heroes), "villains": file(villains)}
    return answer(await table.ann.slash(table.channel, "mfd start", **sides, **options))


async def state_of(table: Table) -> State:
    battle = await stored(table)
    state: State = (await table.bot.services[Presenters].position(battle)).state
    return state


async def hp_of(table: Table) -> dict[str, int]:
    state = await state_of(table)
    return {combatant.fighter.name: combatant.hp for combatant in (*state.heroes, *state.villains)}


async def choose(table: Table, lists: ResponseMessage, at: int) -> InteractionResult:
    """Choose one of the heroes in the lists of fighters."""
    heroes = next(node for node in components(lists.components) if node["type"] == SELECT)
    return await table.ann.select(lists, [str(at)], custom_id=heroes["custom_id"])


async def test_a_saved_roster_stands_for_a_file_and_pages_turn_after_a_restart(table: Table) -> None:
    saved = await table.run("roster save", name="Riders", kind="mfd", file=file(RIDERS))
    assert "3 fighters" in text_of(saved)
    ((choice,)) = await table.ann.autocomplete(table.channel, "mfd run", "heroes_saved", "rid")
    message = await table.run("mfd run", heroes_saved=choice["value"], villains=file(ORCS), seed=7)
    assert "of 3 stand" in text_of(message)
    await table.restart()
    expect_in(said(answer(await table.press(message, "▶️"))), "**The heroes:**", "Dragon: 1 HP · hits 99% (19 dice)")


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
    assert text_of(reply) == "⚠️ Rounds: choose from 1 to 1,000."
    await table.fill(reply, "Fix it", {"rounds": "400"})
    assert text_of(panel).startswith("### #1 Marked for Death: ⏳ undecided after 10 rounds\n")


async def test_a_changed_roster_is_mended_shown_confirmed_and_fights(table: Table) -> None:
    panel = await start(table)
    form = await table.press(panel, "Change a roster")
    wrong = file(f"{HEADER}\nOrc,x,,,,,,,\n,1,,,,,,,\n")
    reply = answer(await table.ann.submit_modal(form, {"camp": "villains", "roster": [wrong], "how": "add"}))
    expect_in(said(reply), "- Row 2, XP: 'x' is not a whole number.", "- Row 3, Name: The name is missing.")
    change = await table.filled(reply, "Fix it", {"camp": "villains", "roster": [file(TROLL)], "how": "add"})
    assert change.ephemeral
    assert said(change).startswith("### #1 👹 Villains: 1 roster change\n- Troll joins with 6 HP.")
    await table.press(change, "Replace the whole roster")
    expect_in(said(change), "### #1 👹 Villains: 7 roster changes", "- Troll joins with 6 HP.", "- Orc 1 is gone.")
    assert (await stored(table)).version == 0, "nothing counts before it is confirmed"
    await table.press(change, "Use this roster")
    assert text_of(change) == "✅ The roster is changed."
    assert "🔧 The referee changes the villains: " in text_of(panel)
    assert await hp_of(table) == {"Dragon": 1, "Summoner": 3, "Tom": 2, "Troll": 6}
    await table.press(panel, "Fight to the end")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")


async def test_a_change_worked_out_for_an_earlier_round_does_not_count(table: Table) -> None:
    panel = await start(table)
    await table.run("roster save", name="More", kind="mfd", file=file(f"{ORCS}Troll,9000,,,,,,,\n"))
    change = await table.run("mfd change", side="villains", roster_saved="More")
    assert said(change).startswith("### #1 👹 Villains: 1 roster change\n- Troll joins with 2 HP.")
    await table.press(panel, "Next round")
    assert text_of((await table.press(change, "Add them")).followups[0]) == "⚠️ #1 is already at round 1."
    assert "Troll" not in await hp_of(table)


async def test_reinforcements_join_and_take_the_place_of_namesakes(table: Table) -> None:
    panel = await start(table)
    some = file(f"{HEADER}\nTroll,9000,,4,,,,Orc 2,\norc 1,5000,,2,,,,,\n")
    change = await table.run("mfd change", side="villains", roster=some)
    text = said(change)
    assert text.startswith("### #1 👹 Villains: 2 roster changes\n"), "nobody is gone"
    expect_in(text, "- orc 1: written Orc 1 before, healed, HP 3 → 4, XP 4000 → 5000", "- Troll joins with 6 HP.")
    assert "isn't in the file" not in text, "Orc 2, whom the troll guards, stands in the battle"
    await table.press(change, "Add them")
    assert "🔧 The referee changes the villains: " in text_of(panel)
    assert {"Troll": 6, "orc 1": 4, "Orc 6": 3}.items() <= (await hp_of(table)).items()


async def test_sample_armies_are_fought_after_two_presses(table: Table) -> None:
    presses = 0
    panel = await table.run("mfd start")
    presses += 1
    expect_in(said(panel), "Villains: 🐗 Brakk, the bold bot", f"Heroes: <@{table.ann.id}>")
    await table.press(panel, "Next round")
    presses += 1
    assert presses <= 2
    assert text_of(panel).startswith("### #1 Marked for Death: round 1\n")
    await table.press(panel, "Take over from Brakk", by=table.ben)
    assert f"Villains: <@{table.ben.id}>" in text_of(panel)
    refused = await table.ben.slash(table.channel, "mfd pull", side="heroes", fighter="Sable")
    assert "You lead the villains" in text_of(answer(refused))
    assert (
        text_of(await table.run("mfd pull", by=table.ben, side="villains", fighter="Tusk")) == "🚪 Tusk is out of #1."
    )
    await table.press(panel, "Fight to the end", by=table.ben)
    assert "Final fingerprint" in said(panel)
    assert text_of(await table.run("battle verify", number=1)).startswith("### ✅ Match: #1, ")


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


async def test_a_fighter_is_edited_renamed_and_added_in_a_form(table: Table) -> None:
    panel = await start(table)
    lists = await table.pressed(panel, "Change a fighter")
    await table.restart()
    form = await choose(table, lists, 2)
    assert form_values(form) == {
        "name": "Tom",
        "numbers": "XP: 7001\nBonusXP: 0\nBonusHP: 0\nBonusToHit: 0.11\nBonusToDefend: 0.01\nAOE: 1",
        "guards": "Summoner",
        "linked": "Dragon",
        "buffs": "Teamwork | Tom, Summoner | 0.1 | 0.12",
    }
    changed = form_values(form) | {"numbers": "XP: 7001\nBonusHP: 8", "buffs": ""}
    (reply,) = (await table.ann.submit_modal(form, changed | {"name": "summoner"})).followups
    assert "The heroes already have a fighter called summoner." in text_of(reply)
    form = await table.press(reply, "Fix it")
    await table.restart()
    await table.ann.submit_modal(form, changed | {"name": "Tim"})
    assert await hp_of(table) | {"Tim": 10} == await hp_of(table)
    assert (await state_of(table)).heroes[2].fighter.buffs == ()
    assert "🔧 The referee changes the heroes: Tom is now called Tim: healed, HP 2 → 10, " in said(panel)
    form = await table.ann.slash(table.channel, "mfd edit", side="villains", fighter="Troll")
    await table.ann.submit_modal(form, form_values(form) | {"numbers": "XP: 9000"})
    assert (await hp_of(table))["Troll"] == 2
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")


async def test_somebody_is_pulled_out(table: Table) -> None:
    panel = await start(table)
    names = await table.ann.autocomplete(table.channel, "mfd pull", "fighter", "o", side="heroes")
    assert [choice["name"] for choice in names] == ["Dragon", "Summoner", "Tom"]
    assert not await table.ann.autocomplete(table.channel, "mfd pull", "fighter", "o", side="neither")
    assert text_of(await table.run("mfd pull", side="heroes", fighter="Tom")) == "🚪 Tom is out of #1."
    assert "🚪 Tom leaves the heroes, with 2 HP" in text_of(panel)
    await choose(table, await table.pressed(panel, "Pull a fighter out"), 0)
    assert set(await hp_of(table)) == {"Summoner", *(f"Orc {number}" for number in range(1, 7))}
    await table.press(panel, "Fight to the end")
    assert buttons_of(panel) == []


async def test_a_side_where_nobody_stands_is_no_battle(table: Table) -> None:
    ghost = file(f"{HEADER}\nGhost,1000,,-2,,,,,\n")
    (reply,) = (await table.ann.slash(table.channel, "mfd start", heroes=ghost, villains=file(ORCS))).followups
    assert "There is nothing to fight: " in text_of(reply)
