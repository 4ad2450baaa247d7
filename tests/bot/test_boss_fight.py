"""`/boss start`: a party steps one boss together, by the rules page's "A party fight"."""

import io
import json
from hashlib import sha256
from typing import Any

import pytest
from PIL import Image
from simcord import InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle
from simcord.enums import InteractionType
from simcord.interactions import base_payload

from bot.cogs.boss_fight.battle import ABSENT_SECONDS
from sim.boss_fight.battle import State
from tests.bot.conftest import Table, answer, button, buttons_of, text_of
from tests.bot.fights import click_seen, seen, stored, stranger
from tests.bot.payloads import SELECT, components

HERO = "hero: V, Assassin, Elixir, Epic, Fairy"
"""Deals 4000 to a boss that doesn't resist, takes an eighth of its physical damage, has 4000 health."""

WEAK = "mine: Fang (3000/100/0)"
"""Deals 100; of Inu Dogemon's 2000 it takes all."""

BOSSES = (
    "name,level,element,health,physical_damage,magical_damage,magical_resistance,entry,half,fall\n"
    "Frost Giant,3,Water,400,100,0,Y,Who dares?,Impossible!,The ice melts\n"
    "Stone,1,,500,0,0,,,,\n"
    "Bull,1,,100,3000,0,,,,\n"
)


async def begin(table: Table, boss: str = "Inu Dogemon", **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Let Ann open a fight."""
    return answer(await table.ann.slash(table.channel, "boss start", boss=boss, **options))


async def forged(table: Table) -> None:
    """Let Ann forge three bosses."""
    await table.ann.slash(table.channel, "boss forge", bosses=("bosses.csv", BOSSES.encode()))


async def join(
    table: Table,
    panel: ResponseMessage,
    deck: str = WEAK,
    *,
    by: MemberActor | None = None,
    **values: Any,  # noqa: ANN401  # texts and files
) -> InteractionResult:
    """Press Join and send the form."""
    form = await table.press(panel, "Join", by=by)
    return await (by or table.ann).submit_modal(form, {"deck": deck, **values})


async def both(table: Table, boss: str = "Inu Dogemon", deck: str = WEAK, **options: Any) -> ResponseMessage:  # noqa: ANN401  # likewise
    """Open a fight that Ann and then Ben have joined."""
    panel = await begin(table, boss, **options)
    await join(table, panel, deck, name="Ice")
    await join(table, panel, deck, by=table.ben, name="Wind")
    return panel


async def state_of(table: Table, number: int = 1) -> State:
    return State.model_validate((await stored(table, number)).state)


async def seats(table: Table) -> dict[str, int | None]:
    return {one.seat: one.user_id for one in (await stored(table)).places}


def refusal(result: InteractionResult) -> str:
    """Return what was told to the presser alone."""
    (told,) = result.followups
    assert told.ephemeral
    return text_of(told).replace("\\", "")


def shown(message: ResponseMessage) -> str:
    """Return what a player reads, without the backslashes that keep names from being markdown."""
    return text_of(message).replace("\\", "")


def picture() -> bytes:
    """Return a photograph."""
    out = io.BytesIO()
    Image.new("RGB", (900, 300), "red").save(out, format="JPEG")
    return out.getvalue()


async def test_somebody_alone_fells_the_boss(table: Table) -> None:
    panel = await begin(table)
    assert text_of(panel).startswith("### #1 Boss fight: Inu Dogemon, waiting for somebody to join\n")
    assert buttons_of(panel) == ["Join"]
    await join(table, panel, HERO, name="Frost")
    assert "▶️ **Frost** <@" in shown(panel)
    assert buttons_of(panel) == ["Step", "Round", "Run", "Join", "Leave", "Arithmetic"]
    await table.press(panel, "Step")
    text = shown(panel)
    assert text.startswith("### #1 Boss fight: Inu Dogemon, 🛡️ the party wins after 1 round\n")
    assert "**Frost** deals 2500 physical + 1500 magical = **4000**; the boss has -3000 left" in text
    assert "and takes 250 physical; 3750 of 4000 left" in text
    assert "🏅 Score 6750" in text, "damage 4000 - health 1000 + health 4000 - damage 250"
    assert buttons_of(panel) == ["Arithmetic"], "it is over"


async def test_the_bars_are_a_picture_with_words(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel, HERO, name="Frost")
    assert [one.filename for one in panel.attachments] == ["bars.png"]
    assert Image.open(io.BytesIO(await panel.attachments[0].read())).format == "PNG"
    (item,) = [one for node in components(panel.components) if node["type"] == 12 for one in node["items"]]
    assert item["description"] == "Inu Dogemon 1000 / 1000. Frost 4000 / 4000, next."


async def test_the_boss_s_words_and_picture(table: Table) -> None:
    await forged(table)
    await table.ann.slash(table.channel, "boss forge", boss="frost giant", picture=("giant.jpg", picture()))
    panel = await begin(table, "Frost Giant", health=2)
    assert [one.filename for one in panel.attachments] == ["bars.png", "boss.png"]
    (portrait,) = [node["accessory"] for node in components(panel.components) if node["type"] == 9]
    assert portrait["description"] == "Frost Giant, as its maker drew it"
    await join(table, panel, "mine: Fang (3000/250/0)")
    assert "**Frost Giant** enters: *Who dares?*" in shown(panel)
    await table.press(panel, "Step")
    assert "Impossible!" not in shown(panel), "550 of 800 is more than half"
    await table.press(panel, "Step")
    assert "**Frost Giant** has half its health or less: *Impossible!*" in shown(panel)
    await table.press(panel, "Run")
    assert "**Frost Giant** falls: *The ice melts*" in shown(panel)
    assert "**Frost Giant** -200 of 800" in shown(panel)


async def test_a_step_belongs_to_the_member_whose_turn_it_is(table: Table) -> None:
    panel = await both(table)
    refused = refusal(await table.press(panel, "Step", by=table.ben))
    due = int(table.clock.now) + ABSENT_SECONDS
    assert refused == f"⚠️ It is somebody else's turn. If nothing happens before, you may press this <t:{due}:R>."
    zoe = stranger(table)
    assert refusal(await table.press(panel, "Step", by=zoe)).startswith("⚠️ Only member 1 (<@")
    await table.press(panel, "Step")
    assert "▶️ **Wind**" in shown(panel), "the next living member in order of joining"
    assert refusal(await table.press(panel, "Round")).startswith("⚠️ It is somebody else's turn. ")


async def test_after_five_minutes_anyone_in_the_fight_may_step(table: Table) -> None:
    panel = await both(table)
    table.clock.now += ABSENT_SECONDS - 1
    assert "somebody else's turn" in refusal(await table.press(panel, "Step", by=table.ben))
    table.clock.now += 1
    assert refusal(await table.press(panel, "Step", by=stranger(table))).startswith("⚠️ Only ")
    await table.press(panel, "Step", by=table.ben)
    assert [one.hits for one in (await state_of(table)).members] == [1, 0], "Ann's exchange, not Ben's"
    verified = answer(await table.ben.slash(table.channel, "battle verify"))
    assert text_of(verified).startswith("### ✅ Match: #1, 3 rows")


async def test_who_joins_prolongs_nobody_s_turn(table: Table) -> None:
    panel = await both(table)
    table.clock.now += ABSENT_SECONDS - 10
    await join(table, panel, by=stranger(table))
    table.clock.now += 10
    await table.press(panel, "Step", by=table.ben)
    assert [one.hits for one in (await state_of(table)).members] == [1, 0, 0]


async def test_a_referee_may_step_any_time(table: Table) -> None:
    panel = await both(table)
    judge = stranger(table, manage_messages=True)
    await table.press(panel, "Step", by=judge)
    await table.press(panel, "Round", by=judge)
    assert [one.hits for one in (await state_of(table)).members] == [1, 1], "the rest of the round"
    await table.press(panel, "Run", by=judge)
    assert (await state_of(table)).winner == "boss"


async def test_after_a_day_the_clock_steps(table: Table) -> None:
    panel = await both(table)
    table.clock.pass_days(1.1)
    await table.bot.keeper.catch_up()
    assert [one.hits for one in (await state_of(table)).members] == [1, 0]
    assert "▶️ **Wind**" in shown(panel)


async def test_two_people_join_at_once(table: Table) -> None:
    """Both send their forms before the bot answers either: each gets a seat, and is called by it."""
    panel = await begin(table)
    forms = [(who, await table.press(panel, "Join", by=who)) for who in (table.ann, table.ben)]
    results = [send_form(table, who, form, {"deck": WEAK}) for who, form in forms]
    await table.env.settle()
    assert [one.followups for one in results] == [[], []], "neither is refused"
    state = await state_of(table)
    assert [(one.seat, one.name) for one in state.members] == [("member-1", "Member 1"), ("member-2", "Member 2")]
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}


async def test_a_form_of_before_somebody_else_joined_and_stepped_still_joins(table: Table) -> None:
    panel = await begin(table)
    form = await table.press(panel, "Join", by=table.ben)
    await join(table, panel)
    await table.press(panel, "Step")
    await table.ben.submit_modal(form, {"deck": WEAK})
    assert [one.hits for one in (await state_of(table)).members] == [1, 0]


def send_form(table: Table, actor: MemberActor, form: InteractionResult, values: dict[str, str]) -> InteractionResult:
    """Send a form and don't wait for the answer."""
    assert form.modal is not None
    fields = [{"type": 18, "component": {"type": 4, "custom_id": name, "value": text}} for name, text in values.items()]
    record, payload = base_payload(
        table.env.backend,
        type=InteractionType.MODAL_SUBMIT,
        channel_id=table.channel.id,
        guild_id=actor.guild.id,
        user_id=actor.id,
        data={"custom_id": form.modal["custom_id"], "components": fields},
    )
    table.env.backend.emit("INTERACTION_CREATE", payload)
    return InteractionResult(table.env, record)


async def test_nobody_joins_twice(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    assert "You take part already." in refusal(await join(table, panel))
    assert len((await state_of(table)).members) == 1


async def test_a_press_that_is_delivered_twice_is_one_step(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    await click_seen(table, seen(table, panel), (table.ann, button(panel, "Step")), twice=True)
    assert (await state_of(table)).members[0].hits == 1


async def test_two_presses_of_one_step_are_one_step(table: Table) -> None:
    panel = await both(table)
    judge = stranger(table, manage_messages=True)
    step = button(panel, "Step")
    results = await click_seen(table, seen(table, panel), (table.ann, step), (judge, step))
    assert sum(bool(one.followups) for one in results) == 1, "one of both is told that it is done"
    assert [one.hits for one in (await state_of(table)).members] == [1, 0]


async def test_who_joins_in_a_fight_steps_last(table: Table) -> None:
    panel = await begin(table, health=10)
    await join(table, panel, "a: Fang (9000/10/0)", name="Ice")
    await table.press(panel, "Step")
    await join(table, panel, "a: Fang (9000/10/0)", by=table.ben, name="Wind")
    assert shown(panel).index("**Ice**") < shown(panel).index("**Wind**")
    await table.press(panel, "Step")
    assert "▶️ **Wind**" in shown(panel)


async def test_leaving_and_coming_back(table: Table) -> None:
    panel = await both(table, health=10)
    await table.press(panel, "Step")
    await table.press(panel, "Leave")
    assert "🚪 **Ice** <@" in shown(panel)
    assert ", away" in shown(panel)
    assert await seats(table) == {"member-1": table.ann.id, "member-2": table.ben.id}, "the seat waits"
    await table.press(panel, "Step", by=table.ben)
    assert "Only member 1" in refusal(await table.press(panel, "Come back", by=table.ben))
    await table.press(panel, "Come back")
    assert [one.name for one in (await state_of(table)).members] == ["Wind", "Ice"], "placed last"


async def test_who_leaves_before_the_first_exchange_is_forgotten(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Leave", by=table.ben)
    assert await seats(table) == {"member-1": table.ann.id}
    await join(table, panel, by=table.ben, name="Storm")
    assert [one.name for one in (await state_of(table)).members] == ["Ice", "Storm"]


async def test_all_members_down(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await table.press(panel, "Step", by=table.ben)
    await table.press(panel, "Step")
    assert "💀 **Ice** is down" in shown(panel)
    assert "💀 **Ice** <@" in shown(panel)
    await table.press(panel, "Step", by=table.ben)
    assert text_of(panel).startswith("### #1 Boss fight: Inu Dogemon, 👹 the boss wins after 2 rounds\n")


async def test_the_boss_falls_together_with_a_member(table: Table) -> None:
    """The party has won, also when the step's member falls with the boss; its score is 0 only beyond the health."""
    await forged(table)
    panel = await begin(table, "Bull")
    await join(table, panel, WEAK)
    await table.press(panel, "Step")
    assert "🛡️ the party wins after 1 round, with nobody left standing" in text_of(panel)
    assert "**Member 1** is down" in shown(panel)


async def test_a_seed_of_one_s_own(table: Table) -> None:
    """It is taken and shown, as everywhere; the fight has no dice, and goes as it would with any other."""
    panel = await begin(table, seed=5)
    assert f"Seed's SHA-256 `{sha256((5).to_bytes(32, 'big')).hexdigest()}`" in text_of(panel)
    await join(table, panel)
    await table.press(panel, "Run")
    assert f"Seed `{5:064x}`" in text_of(panel)
    assert "✅ Match" in text_of(answer(await table.ann.slash(table.channel, "battle verify")))


async def test_a_stalemate(table: Table) -> None:
    await forged(table)
    panel = await begin(table, "Stone")
    await join(table, panel, "mine: Fang (100/0/0)")
    await table.press(panel, "Round")
    assert text_of(panel).startswith("### #1 Boss fight: Stone, ⚖️ a stalemate after 1 round\n")


async def test_an_undone_join_frees_its_seat(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    await table.ann.slash(table.channel, "battle undo")
    assert await seats(table) == {}
    assert (await state_of(table)).members == ()
    assert buttons_of(panel) == ["Join"]
    await join(table, panel, name="Again")
    assert [one.name for one in (await state_of(table)).members] == ["Again"]


async def test_a_step_is_taken_back_by_agreement(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await table.ann.slash(table.channel, "battle undo")
    assert (await state_of(table)).members[0].hits == 1, "the others have a say"
    await table.press(panel, "Agree", by=table.ben)
    assert [one.hits for one in (await state_of(table)).members] == [0, 0]
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}
    verified = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verified).startswith("### ✅ Match: #1, 4 rows")


async def test_an_undone_leave_gives_the_seat_back(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Leave", by=table.ben)
    judge = stranger(table, manage_messages=True)
    await judge.slash(table.channel, "battle undo")
    assert set((await seats(table)).values()) == {table.ann.id, table.ben.id}


async def test_end_log_and_verify(table: Table) -> None:
    panel = await both(table)
    await table.press(panel, "Step")
    await table.ann.slash(table.channel, "battle end")
    assert "ended" in text_of(panel).splitlines()[0]
    log = await table.ann.slash(table.channel, "battle log")
    text = shown(answer(log))
    assert "Ice joins with 3000 health." in text
    assert "Ice: 100 physical to the boss, 900 left; 2000 physical back, 1000 of 3000 left." in text
    files = {one.filename: await one.read() for one in log.followups[-1].attachments}
    assert list(files) == ["battle-1.txt", "battle-1.jsonl"]
    assert str(table.ann.id) not in files["battle-1.jsonl"].decode()
    verified = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verified).startswith("### ✅ Match: #1, 4 rows")


async def test_a_fight_goes_on_after_a_restart(table: Table) -> None:
    panel = await both(table)
    form = await table.press(panel, "Join", by=stranger(table))
    assert form.modal is not None
    await table.restart()
    await table.press(panel, "Step")
    assert "▶️ **Wind**" in shown(panel)
    arithmetic = answer(await table.press(panel, "Arithmetic"))
    await table.restart()
    assert "The stacks" not in text_of(answer(await table.press(arithmetic, "▶️")))


async def test_a_deck_that_can_not_be_read_is_kept_to_be_mended(table: Table) -> None:
    panel = await begin(table)
    refused = await join(table, panel, "hero: V, Assasin")
    assert "Did you mean Assassin?" in refusal(refused)
    form = await table.press(refused.followups[0], "Mend it")
    assert form.modal is not None
    assert "hero: V, Assasin" in json.dumps(form.modal, default=str)
    await table.ann.submit_modal(form, {"deck": HERO})
    assert (await state_of(table)).members[0].health == 4000


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"deck": ""}, "Give one deck: as text, as a file, or by the name of a saved one."),
        ({"deck": WEAK, "saved": ["#1"]}, "Give one deck: as text, as a file, or by the name of a saved one."),
        (
            {"deck": "mine: Fang (0/100/0)"},
            "A deck without health can't fight: its bearer would be down from the start.",
        ),
        ({"deck": WEAK, "name": "a\u200bb"}, "The name holds an invisible or unknown character (U+200B)."),
        ({"deck": WEAK, "name": "iCE"}, "Somebody in this fight has this name already."),
    ],
)
async def test_what_can_not_join(table: Table, values: dict[str, Any], sentence: str) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    panel = await begin(table)
    await join(table, panel, by=table.ben, name="Ice")
    assert refusal(await join(table, panel, values.pop("deck"), **values)) == f"⚠️ {sentence}"
    assert len((await state_of(table)).members) == 1


async def test_a_saved_deck_and_a_file_join(table: Table) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    panel = await begin(table)
    form = await table.press(panel, "Join")
    assert form.modal is not None
    ((deck,),) = [node["options"] for node in components(form.modal["components"]) if node["type"] == SELECT]
    assert deck["label"] == "Mine"
    await table.ann.submit_modal(form, {"deck": "", "saved": [deck["value"]]})
    rows = b"token,trait,element,health,physical_damage,magical_damage\nWall,Brick,Earth,500,0,0\n"
    form = await table.press(panel, "Join", by=table.ben)
    await table.ben.submit_modal(form, {"deck": "", "file": ("deck.csv", rows)})
    assert [one.health for one in (await state_of(table)).members] == [4000, 500]


async def test_a_saved_deck_that_is_deleted_meanwhile(table: Table) -> None:
    await table.ann.slash(table.channel, "roster save", name="Mine", kind="boss", text=HERO)
    panel = await begin(table)
    form = await table.press(panel, "Join")
    await table.ann.slash(table.channel, "roster delete", name="Mine")
    refused = await table.ann.submit_modal(form, {"deck": "", "saved": ["#1"]})
    assert "There is no saved roster" in refusal(refused)
    form = await table.press(refused.followups[0], "Mend it")
    await table.ann.submit_modal(form, {"deck": HERO})
    assert (await state_of(table)).members[0].health == 4000


async def test_of_many_saved_decks_one_is_named(table: Table) -> None:
    for number in range(26):
        await table.ann.slash(table.channel, "roster save", name=f"Deck {number}", kind="boss", text=HERO)
    panel = await begin(table)
    await join(table, panel, "", saved="deck 7")
    assert (await state_of(table)).members[0].health == 4000


async def test_names_can_not_ping_or_format(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel, name="<@1> **x**")
    assert "\\<\\@1\\> \\*\\*x\\*\\*" in text_of(panel)


async def test_the_arithmetic_can_be_checked_with_a_pencil(table: Table) -> None:
    panel = await begin(table, "Axieom Asmodeus", health=2)
    await join(table, panel, f"{HERO} @Fire", name="Frost")
    await join(table, panel, "mine: Fang (900/100/70 PP) @Earth", by=table.ben, name="Wind")
    await table.press(panel, "Step")
    book = answer(await table.press(panel, "Arithmetic", by=table.ben))
    assert book.ephemeral
    assert "**Exchange 1 of Frost**, the last of the fight" in shown(book)
    assert "The boss: 13000 − 2250 = **10750**" in shown(book)
    sums = shown(answer(await table.jump(book, 1, by=table.ben)))
    assert "1500 physical + 750 magical = **2250**" in sums
    assert "Physical: 3500 × 0.125 = 437.5" in sums
    assert "Magical: 4500 × 1 × 32 = 144000" in sums, "it pierces magic; a Fire token of 5 traits against Water: 2^5"
    assert "Score" not in sums
    stacks = shown(answer(await table.jump(book, 2, by=table.ben)))
    assert "hero: × 0.125 · × 1 · × 32" in stacks
    token = shown(answer(await table.jump(book, 3, by=table.ben)))
    assert "**hero**, 🔥 Fire, against 💧 Water" in token
    assert "the boss has the advantage: magic on the boss × 0.5, on the player × 2 for each trait" in token
    assert "\nAssassin    1000 × 0.5 = 500\n" in token
    assert "\nAssassin 500 × 1 × 0.5 = 250\n" in token
    assert "\nEpic             0.5 · 1 · 2\n" in token
    assert "\ntogether                1500\n" in token
    blocks = "\n".join(token.split("```")[1::2])
    assert max(map(len, blocks.splitlines())) <= 28
    other = answer(await table.press(book, "Next member", by=table.ben))
    assert "### 🧮 #1: Wind against Axieom Asmodeus" in shown(other)
    files = answer(await table.press(other, "Files", by=table.ben))
    assert [one.filename for one in files.attachments] == ["deck.csv", "exchange.txt"]


async def test_an_old_button_of_arithmetic_of_a_fight_without_members(table: Table) -> None:
    panel = await begin(table)
    await join(table, panel)
    old = seen(table, panel)
    pressed = button(panel, "Arithmetic")
    await table.press(panel, "Leave")
    (result,) = await click_seen(table, old, (table.ann, pressed))
    assert text_of(answer(result)) == "⚠️ Nobody has joined this fight yet."


async def test_a_fight_whose_member_was_forgotten_goes_on(table: Table) -> None:
    panel = await both(table)
    await table.ann.slash(table.channel, "privacy delete")
    table.clock.now += ABSENT_SECONDS
    await table.press(panel, "Step", by=table.ben)
    assert [one.hits for one in (await state_of(table)).members] == [1, 0]
    assert buttons_of(panel)[0] == "Step"


async def test_a_full_party(table: Table) -> None:
    panel = await begin(table, health=1000)
    people = [table.ann.guild.add_member(table.env.create_user(f"p{number}")) for number in range(12)]
    for who in people:
        await join(table, panel, "mine: Fang (900000000/1/0)", by=who, name=f"\N{PILE OF POO}*{'x' * 30}{who.id % 97}")
    assert "Join" not in buttons_of(panel)
    assert shown(panel).count("<@") == 12
    for who in people:
        await table.press(panel, "Step", by=who)
    assert "round 2" in text_of(panel)


async def test_no_such_boss(table: Table) -> None:
    refused = answer(await table.ann.slash(table.channel, "boss start", boss="Inu Dogeman"))
    assert shown(refused) == (
        "⚠️ There is no boss called Inu Dogeman here. Did you mean Inu Dogemon? /boss forge makes one."
    )


async def test_a_fight_in_direct_messages(table: Table) -> None:
    """A boss of one's own; nobody is a referee there, and no records are kept."""
    user = UserHandle(table.env, table.env.backend.get_user(table.ann.id))
    await user.slash("boss forge", bosses=("b.csv", b"name,health\nMine,50\n"))
    await user.slash("boss forge", boss="Mine", picture=("mine.jpg", picture()))
    panel = answer(await user.slash("boss start", boss="mine"))
    assert [one.filename for one in panel.attachments] == ["bars.png", "boss.png"]
    form = await user.click(panel, label="Join")
    await user.submit_modal(form, {"deck": WEAK})
    await user.click(panel, label="Run")
    assert "🛡️ the party wins after 1 round" in text_of(panel)
    kept = answer(await user.slash("privacy show"))
    assert "- 0 records against bosses" in text_of(kept)
