"""The scenes of what every battle shares: joining, agreeing, undoing, ending, rematches, clocks, referees and seats."""

from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from simcord import MemberActor

from tests.bot.battles.fights import stranger, the_bot
from tests.bot.games.boss_fight.boss_fights import WEAK
from tests.bot.games.duel.duels import opened
from tests.bot.games.mad_killer_agents.wars import file
from tests.bot.snapshots.walk import Walk
from tests.sim.marked_for_death.builders import ORCS, RIDERS

BATTLES = "SELECT number, status, version, steps, panels_retired FROM battles ORDER BY id"
EVEN = "20 inf vs 20 inf"
"""Armies that go on for some rounds."""

HOUR, DAY = 60 * 60, 24 * 60 * 60


async def undos(walk: Walk) -> None:
    """Take steps back alone, by agreement and as a referee, and ask for what can't be."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    for command in ("list", "show", "log", "undo", "verify", "end"):
        await walk.type(f"battle {command}")
    first = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.type("battle undo")
    await walk.press(first, "Next round", zoe)
    await walk.press(first, "Next round", ann)
    await walk.explore(await walk.type("battle log", private=True))
    # Undone by agreement, after what others may not.
    await walk.type("battle undo", by=ben)
    await walk.type("battle undo", by=zoe)
    await walk.type("battle undo")
    await walk.press(first, "Agree", ann)
    await walk.press(first, "Agree", zoe)
    await walk.press(first, "Refuse", ben)
    await walk.type("battle undo")
    await walk.press(first, "Agree", ben)
    # A referee without a seat undoes alone, step by step, and confirms it.
    for _ in range(3):
        await walk.press(first, "Next round", ann)
    await walk.press(await walk.type("battle undo", by=judge), "Keep", judge)
    late = await walk.type("battle undo", by=judge)
    for _ in range(3):
        await walk.press(await walk.type("battle undo", by=judge, number=1), "Undo", judge)
    await walk.press(late, "Undo", judge)
    await walk.type("battle undo", by=judge)
    # Nobody need agree where the bot plays; without a number the battle is asked for.
    second = await walk.type("aa battle", setup=EVEN, defender=the_bot(walk.table), attacker=ann)
    await walk.press(second, "Next round", ann)
    await walk.press(first, "Next round", ann)
    for command in ("list", "show", "log", "verify", "end"):
        await walk.type(f"battle {command}")
    await walk.type("battle show", number=7)
    await walk.type("battle undo", by=zoe)
    await walk.type("battle undo", by=ben)
    await walk.type("battle undo", by=judge)
    await walk.explore(await walk.type("battle undo"))
    await walk.type("battle undo", number=2)
    await walk.type("battle verify", number=1)
    await walk.dump("battles", BATTLES)


async def ends(walk: Walk) -> None:
    """End battles alone as who opened them, and together once others have played."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    first = await walk.type("aa battle", setup=EVEN, attacker=ben, defender=ann)
    await walk.press(first, "Next round", ben)
    await walk.press(await walk.type("battle undo", by=judge), "Undo", judge)
    second = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(second, "Next round", ann)
    first = await walk.type("battle show", by=ben, number=1)
    await walk.press(await walk.type("battle end", number=2), "Keep playing")
    question = await walk.type("battle end", number=2)
    await walk.type("battle verify", number=2)
    await walk.press(question, "End it")
    await walk.type("battle end", number=2)
    await walk.type("battle end", by=zoe, number=1)
    await walk.type("battle end", number=1)
    question = await walk.type("battle end", by=ben, number=1)
    for who in (ben, zoe, ann):
        await walk.press(question, "Agree to end", who)
    for number in (1, 2):
        await walk.type("battle verify", number=number)
        await walk.type("battle log", number=number)
    await walk.press_more(first, "How do I know the dice are fair?", zoe)
    third = await walk.type("aa battle", setup=EVEN, attacker=ben, defender=zoe)
    early, asked = await walk.type("battle end", number=3), await walk.type("battle end", by=zoe, number=3)
    await walk.press(third, "Next round", ben)
    await walk.press(early, "End it")
    await walk.press(asked, "Agree to end", ben)
    question = await walk.type("battle end", number=3)
    for who in (ann, zoe):
        await walk.press(question, "Agree to end", who)
    await walk.dump("battles", BATTLES)


async def referees(walk: Walk) -> None:
    """Let a referee who has a seat undo and end, and one without; rematches by who was there."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    panel = await walk.type("aa battle", setup=EVEN, attacker=judge, defender=ben)
    await walk.press(panel, "Next round", judge)
    await walk.type("battle undo", by=judge)
    await walk.press(panel, "Agree", judge)
    await walk.press(panel, "Agree", ben)
    await walk.press(panel, "Next round", judge)
    question = await walk.type("battle end", by=judge)
    await walk.press(question, "Agree to end", judge)
    await walk.press(question, "Agree to end", ben)
    # One who takes a seat meanwhile confirms nothing alone.
    panel = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(panel, "Next round", ann)
    undoing, ending = await walk.type("battle undo", by=judge), await walk.type("battle end", by=judge)
    await walk.press(panel, "Next round", ann)
    await walk.press(undoing, "Undo", judge)
    await walk.press(ending, "End it", judge)
    undoing, ending = await walk.type("battle undo", by=judge), await walk.type("battle end", by=judge)
    await walk.table.surely("privacy delete", by=ben)
    await walk.press(panel, "Join as defender", judge)
    await walk.type("battle undo", by=judge)
    await walk.press(undoing, "Undo", judge)
    await walk.press(ending, "End it", judge)
    await walk.press(await walk.type("battle end"), "End it")
    # Rematches: not before the end, by who was there, once, with the sides as they were or swapped.
    await walk.press(panel, "Rematch", zoe)
    again = await walk.press(panel, "Rematch", judge)
    assert again is not None
    await walk.press(panel, "Rematch", ann)
    await walk.press_more(panel, "Rematch, sides swapped", ann)
    await walk.type("battle end", by=zoe)
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    await walk.press_more(panel, "Rematch, sides swapped", ann)
    one = await walk.type("aa battle", setup="2 inf vs 2 inf", attacker=ann, defender=ann)
    await walk.press(one, "Fight to the end", ann)
    fight = await walk.type("aa battle", setup="2 inf vs 2 inf", attacker=zoe, defender=ben)
    await walk.press(fight, "Fight to the end", zoe)
    await walk.wait(600)
    await walk.table.surely("privacy delete", by=ben)
    await walk.press(fight, "Rematch", zoe)
    panel = await opened(walk.table, "fight", lawful=ann, chaotic=ben, turns="duellists")
    await walk.press(panel, "Fight to the end", ann)
    await walk.press_more(panel, "Rematch, sides swapped", ann)
    await walk.dump("battles", BATTLES)


SLOW = "classic: 40 trn, 1 ss vs 6 trn"
"""Fleets that hardly hurt each other."""


async def clocks(walk: Walk) -> None:
    """Set the clock of a battle in every way, and let it warn, act, stop by itself, ask the referee, keep nights."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)

    set_clock, use = partial(walk.type, "battle clock", by=judge), partial(_use, walk, judge)
    panel = await walk.type("aa battle", setup=SLOW, attacker=ann)
    await set_clock(turn="1 h")
    await walk.wait(2 * DAY)  # for the free seat
    await walk.press(panel, "Join as defender", ben)
    refused: list[dict[str, Any]] = [
        *({"turn": "soon"}, {"turn": "31 days"}, {"turn": "1 h", "warning": "2 h"}, {"hour": "25:00"}),
        {"turn": "1 h", "time_up": "pass"},
    ]
    for wrong in refused:
        await set_clock(**wrong)
    await walk.type("battle clock", turn="1 h")
    await walk.type("battle clock")
    await walk.type("battle hours", zone="Europe/Berlin")
    await walk.type("battle hours")
    # Warned once, and after the grace the clock acts.
    await set_clock(turn="24 h", warning="2 h", grace="30 min")
    for seconds in (22 * HOUR, 0):
        await walk.wait(seconds)
    await walk.table.restart()
    for seconds in (0, 2 * HOUR + 1799, 1):
        await walk.wait(seconds)
    # After a whole round without anybody it stops and asks.
    await walk.press(panel, "Next round", ann)
    await set_clock(turn="1 h", warning="none", grace="none")
    for seconds in (HOUR, 0, 3 * DAY):
        await walk.wait(seconds)
    await walk.press(panel, "Go on", zoe)
    await walk.press(panel, "Go on", ben)
    for seconds in (HOUR, 0):
        await walk.wait(seconds)
    await walk.press(panel, "Next round", ann)
    # Stopped by the referee, and going on from there; an undo takes no clock back.
    await walk.wait(HOUR // 2)
    await walk.type("battle undo", by=ann)
    shown = await walk.type("battle referee", by=judge)
    for _ in range(2):
        await walk.press(shown, "Stop the clock", judge)
    await walk.press(panel, "Agree", ben)
    await walk.wait(3 * DAY)
    twice = await walk.type("battle clock", by=judge)
    await use("Let the clock go on")
    await walk.press(twice, "Let the clock go on", judge)
    for seconds in (HOUR - 1, 1):
        await walk.wait(seconds)
    # The referee is asked, and extends the turn, also after its end.
    await walk.press(panel, "Next round", ann)
    await set_clock(turn="2 h", time_up="ask")
    await use("Extend this turn", time="90 min")
    for seconds in (2 * HOUR + 6000, 0):
        await walk.wait(seconds)
    await use("Extend this turn", time="1 h")
    await use("Extend this turn", time="31 days")
    await walk.press(panel, "Next round", ann)
    await walk.type("battle verify")
    await walk.dump("battles", BATTLES)


async def nights(walk: Walk) -> None:
    """Let nights not count, and turns end at an hour of the day; lose by default who doesn't choose in time."""
    ann, ben = walk.table.ann, walk.table.ben
    judge = stranger(walk.table, manage_messages=True)
    set_clock = partial(walk.type, "battle clock", by=judge)
    await walk.type("aa battle", setup=SLOW, attacker=ann, defender=ben)
    await walk.type("battle hours", by=judge, zone="Europe/Berlin", quiet_from="23:00", quiet_to="8:00")
    await walk.wait(_berlin("2027-03-27 22:00") - walk.table.clock.now)
    await set_clock(turn="2 h", time_up="play")
    await set_clock(hour="2:30")
    await walk.type("battle hours", by=judge, nights="wait")
    await set_clock(turn="2 h")
    await walk.type("battle hours", by=judge, quiet_from="none")
    await set_clock(turn="none", hour="8 pm")
    await walk.wait(_berlin("2027-03-28 20:00") - walk.table.clock.now)
    await set_clock(hour="none")
    await walk.type("battle verify")
    # Who doesn't choose losses in time loses by default.
    panel = await walk.type(
        "aa battle", setup="9 inf, 9 tanks vs 9 inf, 9 tanks", attacker=ann, defender=ben, casualties="manual"
    )
    await set_clock(number=2, turn="1 h")
    await walk.press(panel, "Next round", ann)
    await walk.wait(HOUR)
    # A referee can call the time before that, by no button of the panel.
    await walk.press(panel, "Next round", ann)
    await walk.type("battle referee", number=2)
    await walk.press(await walk.type("battle referee", by=judge, number=2), "Time is up", judge)
    await walk.dump("battles", BATTLES)


async def seats(walk: Walk) -> None:
    """Let a referee change who sits where, who referees and who may join; list who is waited for."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    panel = await walk.type("aa battle", setup=SLOW, attacker=ann, defender=ben)
    await _use(walk, judge, "Replace a player", seat="attacker", who=[zoe])
    await walk.press(panel, "Next round", ann)
    await _use(walk, judge, "Replace a player", seat="attacker", who=[ben])
    await _use(walk, judge, "Take a player out", seat="defender")
    await walk.press(panel, "Join as defender", ben)
    await walk.press(panel, "Next round", zoe)
    await walk.type("battle referee", by=judge)
    await walk.type("battle log")
    await _use(walk, judge, "Take over a seat", seat="attacker")
    await _use(walk, judge, "Take over a seat", seat="defender")
    await _use(walk, judge, "Replace a player", seat="defender", who=[the_bot(walk.table)])
    await _use(walk, judge, "Replace a player", seat="defender", who=[the_bot(walk.table)])
    await walk.press(panel, "Next round", judge)
    await walk.type("battle referee", by=zoe)
    await _use(walk, judge, "Hand over the role", who=[judge])
    for _ in range(2):
        await _use(walk, judge, "Hand over the role", who=[zoe])
    await _use(walk, judge, "Hand over the role", who=[the_bot(walk.table)])
    shown = await walk.type("battle referee", by=zoe)
    await walk.press(panel, "Next round", zoe)
    await walk.type("battle clock", by=zoe, turn="1 h")
    await _use(walk, judge, "Hand over the role", who=[ann])
    await walk.press(shown, "Replace a player", zoe)
    await walk.type("battle end", by=judge)
    await walk.type("battle verify")
    panel = await walk.type("aa battle", setup=SLOW, attacker=ben)
    shown = await walk.type("battle referee", by=judge, number=2)
    for _ in range(2):
        await walk.press(shown, "Close joining", judge)
    await _use(walk, judge, "Open joining", number=2)
    await walk.press(panel, "Join as defender", ann)
    shown = await walk.type("battle referee", by=judge, number=2)
    await walk.press(panel, "Fight to the end", ben)
    await walk.press(shown, "Set the clock", judge)
    await walk.type("battle verify", number=2)
    await walk.explore(await walk.type("battle log", number=2))
    await walk.type("battle waiting", by=ben)
    other = walk.table.ann.guild.create_text_channel("other")
    await ben.slash(other, "aa battle", setup=SLOW, attacker=ben, defender=ann)
    await judge.slash(other, "battle clock", turn="2 h")
    await walk.type("battle waiting", by=ben)
    await walk.dump("battles", BATTLES)


async def war_table(walk: Walk) -> None:
    """Change the lobby of a war, its clock, and who plays; take steps back, and open it again."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    await walk.type("battle hours", by=judge, zone="Europe/Berlin", quiet_from="23:00", quiet_to="8:00")
    panel = await walk.type("mka new", length="long", map=file(), turn_time=60)
    await walk.press(panel, "Join", ben)
    await _use(walk, judge, "Take a player out", seat="player-2")
    await _use(walk, judge, "Close joining")
    await _use(walk, judge, "Open joining")
    await walk.press(panel, "Join", ben)
    await walk.wait(_berlin("2027-03-27 22:30") - walk.table.clock.now)
    await walk.press(panel, "Begin", ann)
    await walk.wait(_berlin("2027-03-28 08:30") - walk.table.clock.now)
    await walk.type("battle clock", by=judge, turn="10 min", time_up="pass")
    await walk.wait(600)
    await walk.type("battle clock", by=judge, time_up="play")
    await walk.type("mka orders", orders="end")
    await _use(walk, judge, "Replace a player", seat="player-2", who=[zoe])
    await walk.type("mka orders", by=zoe, orders="end")
    for _ in range(2):
        await walk.press(await walk.type("battle undo", by=judge), "Undo", judge)
    await walk.type("battle verify")
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    await walk.press(panel, "Rematch", ann)
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    await walk.dump("battles", BATTLES)


async def game_tables(walk: Walk) -> None:
    """Use the clock and the seats of a boss fight, a duel, a dungeon and a battle of rosters; open them again."""
    ann, ben = walk.table.ann, walk.table.ben
    judge, zoe = stranger(walk.table, manage_messages=True), stranger(walk.table)
    panel = await walk.type("boss start", boss="Inu Dogemon")
    for who, name in ((ann, "Ice"), (ben, "Wind")):
        await walk.fill(panel, "Join with your own", {"deck": WEAK, "name": name}, who)
    await walk.type("battle clock", by=judge, turn="10 min")
    await walk.wait(599)
    await _use(walk, judge, "Replace a player", seat="member-1", who=[zoe])
    for seconds in (1, 599):
        await walk.wait(seconds)
    await walk.press(panel, "Strike with the best", ben)
    await _use(walk, judge, "Stop the clock")
    await walk.wait(1000)
    await walk.press(panel, "Strike with the best", ben)
    await walk.press(panel, "Strike with the best", zoe)
    await walk.type("battle verify")
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    await walk.press(panel, "Rematch", ann)
    await walk.type("battle list")
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    # A duel's page turns by the clock.
    await walk.type("duel fight")
    await walk.type("battle clock", by=judge, turn="5 min")
    await walk.wait(300)
    await walk.type("battle verify")
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    # A dungeon is entered again by its heroes.
    await walk.type("duel roll", name="Brenna")
    panel = await walk.type("duel dungeon", rooms=3, character="Brenna")
    await walk.press(panel, "Enter room 1", ann)
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    await walk.press(panel, "Rematch", ann)
    await walk.type("battle list")
    await walk.press(await walk.type("battle end", by=judge), "End it", judge)
    # A battle of rosters has a referee, who changes.
    panel = await walk.type(
        "mfd start", heroes=("Heroes.csv", RIDERS.encode()), villains=("Villains.csv", ORCS.encode())
    )
    await _use(walk, judge, "Hand over the role", who=[zoe])
    await walk.type("battle clock", by=zoe, turn="1 day")
    await walk.press(panel, "Next round", ann)
    await walk.wait(DAY)
    await walk.press(panel, "Next round", zoe)
    await walk.type("battle verify")
    await walk.dump("battles", BATTLES)


async def deletions(walk: Walk) -> None:
    """Delete rosters and all of a person's data, after the questions that ask before; keep them; answer too late."""
    ann, ben = walk.table.ann, walk.table.ben
    await walk.type("privacy show")
    for name in ("Fleet", "Spare", "Rest"):
        await walk.type("roster save", name=name, kind="aa", text="6 tanks")
    await walk.press(await walk.type("roster delete", name="Fleet"), "Keep")
    questions = [await walk.type("roster delete", name=name) for name in ("Fleet", "Spare")]
    await walk.table.restart()
    await walk.wait(15 * 60)
    await walk.press(questions[0], "Delete")
    await walk.wait(1)
    await walk.press(questions[1], "Delete")
    await walk.type("roster list")
    await walk.type("aacalc", battle="6 tanks vs 10 inf")
    over = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(over, "Fight to the end")
    panel = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(panel, "Next round")
    await walk.type("privacy show")
    question = await walk.type("privacy delete")
    await walk.press(question, "Download first")
    await walk.type("roster list")
    await walk.press(question, "Delete it all")
    await walk.wait(60)
    await walk.press(await walk.type("privacy delete"), "Delete it all")
    await walk.press(await walk.type("privacy delete", by=ben), "Keep", ben)
    await walk.type("privacy show")
    zoe = stranger(walk.table)
    await walk.press(panel, "Join as attacker", zoe)
    await walk.press(panel, "Next round", zoe)
    for number in (1, 2):
        await walk.type("battle verify", number=number)
    await walk.wait(541)
    await walk.press(await walk.type("privacy delete"), "Delete it all")
    await walk.dump("battles", BATTLES)


async def retention(walk: Walk) -> None:
    """Let battles be closed after 30 idle days, and forgotten 90 days after their end."""
    ann, ben = walk.table.ann, walk.table.ben
    panel = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(panel, "Next round")
    for days in (29, 2):
        await walk.clear(days)
    panel = await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.press(panel, "Fight to the end")
    log = await walk.type("battle log", number=2)
    for days in (89, 2):
        await walk.dump("battles", BATTLES)
        await walk.clear(days)
    await walk.press(log, "Files")
    await walk.type("battle log", number=2)
    await walk.type("aa battle", setup=EVEN, attacker=ann, defender=ben)
    await walk.dump("battles", BATTLES)


async def _use(walk: Walk, judge: MemberActor, tool: str, number: int | None = None, **values: Any) -> None:  # noqa: ANN401  # of fields of all kinds
    """Press one of a referee's buttons, and send its form if it has one."""
    given = {} if number is None else {"number": number}
    await walk.fill(await walk.type("battle referee", by=judge, **given), tool, values, judge)


def _berlin(text: str) -> int:
    """Return when the clocks of Berlin show a time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin")).timestamp())


TABLE_SCENES = (undos, ends, referees, clocks, nights, seats, war_table, game_tables, deletions, retention)
