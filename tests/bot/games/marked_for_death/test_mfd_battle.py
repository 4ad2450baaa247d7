"""`/mfd start`: a battle of rosters in the channel, with a referee's changes between rounds."""

import re

import pytest
from simcord import InteractionResult, ResponseMessage

from bot.battles.presenter import Presenters
from bot.games.marked_for_death.presenter import RosterBattlePresenter
from sim.marked_for_death.battle.values import State
from sim.marked_for_death.tables import read_roster
from tests.bot.battles.fights import stored, stranger
from tests.bot.conftest import Table, alt_of, answer, buttons_of, expect_in, text_of
from tests.bot.games.marked_for_death.test_mfd import HEADER, ORCS, file
from tests.bot.payloads import SELECT, components
from tests.sim.marked_for_death.builders import RIDERS

pytestmark = pytest.mark.usefixtures("fixed_dice")

BUTTONS = ["Fight round 1", "Fight to the end", "Fight some rounds", "Change a roster", "Change a fighter"]


async def start(table: Table, heroes: str = RIDERS, villains: str = ORCS, **options: int) -> ResponseMessage:
    result = await table.ann.slash(table.channel, "mfd start", heroes=file(heroes), villains=file(villains), **options)
    return answer(result)


async def state_of(table: Table) -> State:
    battle = await stored(table)
    state: State = await table.bot.services[Presenters].of(battle.system).read_state(battle)
    return state


async def hp_of(table: Table, name: str) -> int | None:
    state = await state_of(table)
    return next(
        (combatant.hp for combatant in (*state.heroes, *state.villains) if combatant.fighter.name == name), None
    )


async def test_a_battle_is_fought_round_by_round_to_its_end(table: Table) -> None:
    panel = await start(table)
    text = text_of(panel)
    assert text.startswith("### #1 Marked for Death: before round 1\nReferee: <@")
    assert "🛡️ **Heroes**: 3 of 3 stand\n👹 **Villains**: 6 of 6 stand" in text
    assert "Dragon 1 / 1. Summoner 3 / 3. Tom 2 / 2. " in alt_of(panel)
    assert buttons_of(panel)[:5] == BUTTONS
    await table.press(panel, "Fight round 1")
    assert text_of(panel).startswith("### #1 Marked for Death: round 1\n")
    assert "**Round 1**\n🛡️ " in text_of(panel)
    await table.press(panel, "Fight to the end")
    assert " win after " in text_of(panel)
    assert buttons_of(panel) == []
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")
    files = await table.files(await table.ann.slash(table.channel, "battle log"))
    assert b"Round 1: 3 heroes against 6 villains" in files["battle-1.txt"]


async def test_some_rounds_and_the_limit(table: Table) -> None:
    tough = HEADER + "Wall,1,,500,-0.5,,,,\n"
    panel = await start(table, tough, tough.replace("Wall", "Rock"), max_rounds=10)
    await table.fill(panel, "Fight some rounds", {"rounds": "4"})
    assert text_of(panel).startswith("### #1 Marked for Death: round 4 of 10\n")
    (reply,) = (await table.fill(panel, "Fight some rounds", {"rounds": "many"})).followups
    assert text_of(reply) == "⚠️ Rounds: 'many' is not a whole number."
    await table.fill(reply, "Fix it", {"rounds": "400"})
    assert text_of(panel).startswith("### #1 Marked for Death: ⏳ undecided after 10 rounds\n")


async def test_only_the_referee_fights_on(table: Table) -> None:
    panel = await start(table)
    (reply,) = (await table.press(panel, "Fight round 1", by=table.ben)).followups
    assert text_of(reply) == f"⚠️ Only the referee (<@{table.ann.id}>) can do that."
    judge = stranger(table, manage_messages=True)
    await table.press(panel, "Fight round 1", by=judge)
    assert text_of(panel).startswith("### #1 Marked for Death: round 1\n")


async def changed(table: Table, panel: ResponseMessage, side: str, roster: str | bytes) -> InteractionResult:
    """Upload a changed roster through the panel's form."""
    form = await table.press(panel, "Change a roster")
    return await table.ann.submit_modal(form, {"camp": [side], "roster": [file(roster)]})


async def test_a_changed_roster_is_shown_confirmed_and_fights(table: Table) -> None:
    panel = await start(table)
    await table.press(panel, "Fight round 1")
    before = await stored(table)
    healed = RIDERS.replace("Tom,7001,,,", "Tom,7001,,5,") + "Sister,4000,,,,,,,,,,\n"
    reply = answer(await changed(table, panel, "heroes", healed))
    assert reply.ephemeral
    text = text_of(reply).replace("\\", "")
    assert text.startswith("### #1 🛡️ Heroes: ")
    expect_in(text, "- Sister joins with 2 HP.", "HP 2 → 7")
    assert (await stored(table)).version == before.version, "nothing counts before it is confirmed"
    await table.press(reply, "Use this roster")
    assert text_of(reply) == "✅ The roster is changed."
    assert (await hp_of(table, "Tom"), await hp_of(table, "Sister")) == (7, 2)
    assert "🔧 The referee changes the heroes: " in text_of(panel)
    await table.press(panel, "Fight to the end")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match")


async def test_a_change_worked_out_for_an_earlier_round_does_not_count(table: Table) -> None:
    panel = await start(table)
    reply = answer(await changed(table, panel, "heroes", RIDERS.replace("Tom,7001,,,", "Tom,7001,,5,")))
    await table.press(panel, "Fight round 1")
    assert text_of((await table.press(reply, "Use this roster")).followups[0]) == "⚠️ #1 is already at round 1."
    assert "Sister" not in text_of(panel)


async def test_a_wrong_roster_is_told_with_all_that_is_wrong_and_can_be_chosen_anew(table: Table) -> None:
    panel = await start(table)
    reply = answer(await changed(table, panel, "villains", f"{HEADER}Orc,x,,,,,,,\n,1,,,,,,,\n"))
    text = text_of(reply).replace("\\", "")
    expect_in(text, "- Row 2, XP: 'x' is not a whole number.", "- Row 3, Name: The name is missing.")
    question = await table.filled(
        reply, "Fix it", {"camp": ["villains"], "roster": [file(f"{HEADER}Troll,9000,,4,,,,,\n")]}
    )
    assert "Troll joins with 6 HP" in text_of(question).replace("\\", "")


async def test_the_same_by_a_command_and_from_a_saved_roster(table: Table) -> None:
    await start(table)
    await table.ann.slash(
        table.channel, "roster save", name="More", kind="mfd", file=file(f"{ORCS}Troll,9000,,,,,,,\n")
    )
    reply = await table.run("mfd change", side="villains", roster_saved="More")
    assert (
        text_of(reply).replace("\\", "").startswith("### #1 👹 Villains: 1 fighter changes\n- Troll joins with 2 HP.")
    )
    await table.press(reply, "Use this roster")
    assert await hp_of(table, "Troll") == 2


async def test_one_fighter_is_edited_in_a_form(table: Table) -> None:
    panel = await start(table)
    lists = await table.pressed(panel, "Change a fighter")
    assert lists.ephemeral
    heroes, _ = [node for node in components(lists.components) if node["type"] == SELECT]
    assert [option["label"] for option in heroes["options"]] == ["Dragon", "Summoner", "Tom"]
    form = await table.ann.select(lists, ["2"], custom_id=heroes["custom_id"])
    assert form.modal is not None
    field_values = {node["component"]["custom_id"]: node["component"].get("value") for node in form.modal["components"]}
    assert field_values["name"] == "Tom"
    assert field_values["numbers"].splitlines() == [
        *("XP: 7001", "BonusXP: 0", "BonusHP: 0", "BonusToHit: 0.11", "BonusToDefend: 0.01", "AOE: 1")
    ]
    assert field_values["buffs"] == "Teamwork | Tom, Summoner | 0.1 | 0.12"
    await table.ann.submit_modal(form, field_values | {"numbers": "XP: 7001\nBonusHP: 8", "buffs": ""})
    assert await hp_of(table, "Tom") == 10
    assert (await state_of(table)).heroes[2].fighter.buffs == ()
    assert "🔧 The referee changes the heroes: " in text_of(panel)


async def test_a_changed_name_renames_the_fighter(table: Table) -> None:
    panel = await start(table)
    form = await table.ann.slash(table.channel, "mfd edit", side="heroes", fighter="tom")
    assert form.modal is not None
    field_values = {node["component"]["custom_id"]: node["component"].get("value") for node in form.modal["components"]}
    (reply,) = (await table.ann.submit_modal(form, field_values | {"name": "summoner"})).followups
    assert "The heroes already have a fighter called summoner." in text_of(reply)
    form = await table.press(reply, "Fix it")
    await table.restart()
    await table.ann.submit_modal(form, field_values | {"name": "Tim"})
    assert [combatant.fighter.name for combatant in (await state_of(table)).heroes] == ["Dragon", "Summoner", "Tim"]
    assert "🔧 The referee changes the heroes: Tom is now called Tim." in text_of(panel).replace("\\", "")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #1, ")


async def test_a_new_fighter_takes_nobody_s_place(table: Table) -> None:
    await start(table)
    form = await table.ann.slash(table.channel, "mfd edit", side="heroes", fighter="Troll")
    values = {"name": "tom", "numbers": "XP: 9000", "guards": "", "linked": "", "buffs": ""}
    (reply,) = (await table.ann.submit_modal(form, values)).followups
    assert "The heroes already have a fighter called tom." in text_of(reply)


async def test_a_form_that_can_not_be_read_is_mended(table: Table) -> None:
    await start(table)
    form = await table.ann.slash(table.channel, "mfd edit", side="heroes", fighter="tom")
    assert form.modal is not None
    field_values = {node["component"]["custom_id"]: node["component"].get("value") for node in form.modal["components"]}
    for values, sentence in (
        ({"numbers": "XP: lots"}, "XP: 'lots' is not a whole number."),
        ({"numbers": "Strength: 3"}, "Numbers: there is no Strength. Use XP, "),
        ({"buffs": "Luck | Tom"}, "Buffs, line 1: write name | who | BuffOffense | BuffDefense."),
    ):
        (reply,) = (await table.ann.submit_modal(form, field_values | values)).followups
        assert sentence in text_of(reply).replace("\\", "")
        form = await table.press(reply, "Fix it")
    await table.ann.submit_modal(form, field_values | {"numbers": "XP: 7001\nBonusHP: 3"})
    assert await hp_of(table, "Tom") == 5


async def test_a_new_fighter_comes_by_name(table: Table) -> None:
    await start(table)
    form = await table.ann.slash(table.channel, "mfd edit", side="villains", fighter="Troll")
    assert form.modal is not None
    await table.ann.submit_modal(
        form, {"name": "Troll", "numbers": "XP: 9000", "guards": "", "linked": "", "buffs": ""}
    )
    assert await hp_of(table, "Troll") == 2


async def test_somebody_is_pulled_out(table: Table) -> None:
    panel = await start(table)
    names = await table.ann.autocomplete(table.channel, "mfd pull", "fighter", "o", side="heroes")
    assert [choice["name"] for choice in names] == ["Dragon", "Summoner", "Tom"]
    assert text_of(await table.run("mfd pull", side="heroes", fighter="Tom")) == "🚪 Tom is out of #1."
    assert await hp_of(table, "Tom") is None
    assert "🚪 Tom leaves the heroes, with 2 HP" in text_of(panel)
    lists = await table.pressed(panel, "Pull a fighter out")
    heroes = next(node for node in components(lists.components) if node["type"] == SELECT)
    await table.ann.select(lists, ["0"], custom_id=heroes["custom_id"])
    assert await hp_of(table, "Dragon") is None


async def test_a_step_is_taken_back_and_all_works_after_a_restart(table: Table) -> None:
    panel = await start(table)
    await table.press(panel, "Fight round 1")
    await table.ann.slash(table.channel, "battle undo")
    assert text_of(panel).startswith("### #1 Marked for Death: before round 1\n")
    lists = await table.pressed(panel, "Change a fighter")
    await table.restart()
    heroes = next(node for node in components(lists.components) if node["type"] == SELECT)
    assert (await table.ann.select(lists, ["0"], custom_id=heroes["custom_id"])).modal is not None
    await table.press(panel, "Fight to the end")
    assert buttons_of(panel) == []


async def test_what_is_not_the_referee_s_is_refused(table: Table) -> None:
    await start(table)
    for command in ("edit", "pull"):
        result = await table.ben.slash(table.channel, f"mfd {command}", side="heroes", fighter="Tom")
        assert "Only the referee" in text_of(answer(result))
    result = await table.ann.slash(table.channel, "mfd edit", side="heroes", fighter="Tom", number=9)
    expect_in(text_of(answer(result)), "⚠️ There is no battle of Marked for Death #9")


async def test_without_a_card_the_panel_names_everybody(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_arguments: object) -> None:
        return None

    monkeypatch.setattr(RosterBattlePresenter, "card", none)
    panel = await start(table)
    assert "🛡️ **Heroes**: 3 of 3 stand\n❤️ Dragon (1) · Summoner (3) · Tom (2)\n👹 " in text_of(panel)


async def test_the_last_card_says_who_did_most_and_what_decided_it(table: Table) -> None:
    panel = await start(table)
    await table.press(panel, "Fight round 1")
    await table.press(panel, "Fight to the end")
    assert re.match(r"(Heroes|Villains) win\. After \d rounds\. ", alt_of(panel))
    assert re.search(r": the winners had [<>]?\d+% at the start\. ", alt_of(panel))
    assert re.search(r" Most takedowns: .+\(\d( each)?\)\. Round \d decided it\.$", alt_of(panel))


async def test_a_side_where_nobody_stands_is_no_battle(table: Table) -> None:
    result = await table.ann.slash(
        table.channel, "mfd start", heroes=file(f"{HEADER}Ghost,1000,,-2,,,,,\n"), villains=file(ORCS)
    )
    assert "There is nothing to fight: " in text_of(result.followups[0])


async def test_the_final_rosters_continue_what_the_channel_fought(table: Table) -> None:
    """The log brings the final rosters along; a changed roster starts from there."""
    await table.press(await start(table), "Fight round 1")
    state = await state_of(table)
    files = await table.files(await table.ann.slash(table.channel, "battle log"))
    for name, force in (("Heroes-final.csv", state.heroes), ("Villains-final.csv", state.villains)):
        fighters = read_roster(files[name]).roster.fighters
        assert [2 + fighter.bonus_hp for fighter in fighters] == [combatant.hp for combatant in force]


async def test_a_state_is_read_once_for_each_version(table: Table) -> None:
    """A state of a thousand fighters takes long to read, and every press looks at it many times."""
    panel = await start(table)
    presenter = table.bot.services[Presenters].of("mfd-battle")
    before = await presenter.read_state(await stored(table))
    assert await presenter.read_state(await stored(table)) is before
    await table.press(panel, "Fight round 1")
    assert (await presenter.read_state(await stored(table))).round == before.round + 1
