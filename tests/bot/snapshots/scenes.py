"""The scenes: what people type and press, for each game and for the commands that all games share."""

from collections.abc import Awaitable, Callable
from typing import Any

from simcord import MemberActor, ResponseMessage

from tests.bot.cogs.test_help import GAMES
from tests.bot.games.axis_allies.wordings import axis_allies_wordings
from tests.bot.games.boss_fight.boss_fights import BOSSES, WEAK
from tests.bot.games.duel.duels import SIDES
from tests.bot.games.mad_killer_agents.wars import file, handle
from tests.bot.snapshots import feature_scenes as features
from tests.bot.snapshots.table_scenes import TABLE_SCENES
from tests.bot.snapshots.walk import Form, Walk
from tests.sim.marked_for_death.builders import ORCS, RIDERS

STORED = "SELECT kind, request FROM calculations ORDER BY rowid"
JOURNAL = "SELECT * FROM journal ORDER BY battle_id, n"
OUTCOMES = "SELECT * FROM results ORDER BY 1"

HEROES, VILLAINS = ("Heroes.csv", RIDERS.encode()), ("Villains.csv", ORCS.encode())
ODD = ("odd.csv", f"{RIDERS}<@1> **x**,1000,,-2,,,Nobody,,,,,\n".encode())
BROKEN, LONE = ("Broken.csv", b"Name,XP\nA,x\n,5\n"), ("Lone.csv", b"Name,XP,BonusHP\nLone,5000,-1\n")
GROUPS = ("Groups.csv", SIDES)
BOSS_FILE = ("bosses.csv", BOSSES.encode())
DRAW: Form = {"deck": WEAK, "name": "Ice"}


RIDGE = "\n".join(["5,1,6,6,6,6,6,6", *["6,6,6,6,6,6,6,6"] * 7])
"""A map on which two armies begin side by side, one of them on high ground."""


async def axis_allies(walk: Walk) -> None:
    """Ask every question of Axis & Allies, then fight two battles."""
    ben = walk.table.ben
    await walk.explore(await walk.type("aacalc", battle="6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter"))
    await walk.explore(await walk.type("aacalc", battle="1942: 4 inf then 3 ftr vs 5 inf", private=True))
    await walk.type("aacalc", battle="2 bb, 2 trn, 3 inf vs 2 ss, 1 inf | take territory | retreat below 2")
    await walk.type("aacalc", battle="6 tnaks vs 10 inf")
    await walk.explore(await walk.type("aa need", attacker="6 tanks", defender="10 inf", chance=75.0))
    await walk.explore(await walk.type("aa retreat", battle="6 tanks, 2 inf vs 8 inf", territory=3))
    await walk.explore(await walk.type("aa luck", battle="6 tanks vs 10 inf", attacker_left="2 tanks"))
    await walk.type("aa edition", edition="1942")
    panel = await walk.type("aa battle", setup="3 tanks, 2 inf, 1 ftr vs 6 inf, 1 aa", defender=ben)
    await walk.play(panel, 8)
    panel = await walk.type("aa battle", setup="classic: 3 bb, 2 ss vs 2 cv, 3 ftr, 1 ss")
    await walk.play(panel, 12, (walk.table.ann,))


async def boss_fight(walk: Walk) -> None:
    """Ask every question of boss fights, forge bosses, fight two of them."""
    await walk.explore(await walk.type("boss deck", deck="hero: V, Assassin, Elixir, Epic, Fairy @Fire"))
    await walk.explore(await walk.type("boss traits", kind="hero"))
    await walk.explore(await walk.type("boss what-if", boss="Inu Dogemon", deck="hero: V, Assassin, Epic"))
    await walk.type("boss forge", bosses=BOSS_FILE)
    await walk.type("boss list")
    await walk.play(await walk.type("boss start", boss="Inu Dogemon"), 24)
    await walk.play(await walk.type("boss start", boss="Frost Giant"), 16)
    await walk.explore(await walk.type("boss top", boss="Inu Dogemon"))
    await walk.type("boss delete", boss="Frost Giant")
    await walk.type("boss deck", deck="hero: Nothing")
    await walk.explore(await walk.type("boss forge"))
    await walk.explore(await walk.type("boss what-if", deck=f"{WEAK} @Fire"))
    tokens = "; ".join(f"t{number}: Fang ({number}00/{number}00/0)" for number in range(1, 8))
    best = await walk.type("boss what-if", boss="Inu Dogemon", deck=tokens, best=2)
    await walk.press(best, "Files")
    await walk.explore(best)
    exchange = await walk.type("boss what-if", boss="Inu Dogemon", deck=tokens)
    await walk.press(exchange, "Best five")
    await walk.explore(exchange)
    for name, damage in (("Weak", 400), ("Strong", 1000)):
        await walk.type("roster save", name=name, kind="boss", text=f"a: Fang (9000/{damage}/0)")
    await walk.explore(await walk.type("boss what-if", boss="Inu Dogemon", party="weak, STRONG", health=2))
    panel = await walk.type("boss start", boss="Axieom Asmodeus", health=2)
    for player in (walk.table.ann, walk.table.ben):
        await walk.press(panel, "Join", player)
    await walk.press(panel, "Strike with the best")
    arithmetic = await walk.press(panel, "Arithmetic")
    assert arithmetic is not None
    await walk.explore(arithmetic)
    await walk.explore(await walk.type("boss top"))
    await walk.type("boss start", boss="Inu Dogeman")
    await walk.explore(await walk.type("boss list"))
    await walk.type("boss list", boss="Mossback")


async def duel(walk: Walk) -> None:
    """Ask every question of duels, roll characters, fight, enter a dungeon."""
    ann, ben = walk.table.ann, walk.table.ben
    question = await walk.press(await walk.type("duel roll", name="Brenna"), "Reroll")
    assert question is not None
    await walk.press(question, "Reroll")
    await walk.type("duel roll", by=ben, name="Torvald")
    await walk.explore(await walk.type("duel characters"))
    await walk.explore(await walk.type("duel odds", first="8 hp str +2", second="6 hp dex +1 1d6"))
    await walk.play(await walk.type("duel fight", lawful=ann, chaotic=ben), 12)
    await walk.play(await walk.type("duel challenge", opponent=ben, character="Brenna"), 12, (ben, ann))
    await walk.play(await walk.type("duel groups", roster=GROUPS), 12)
    await walk.play(await walk.type("duel encounter", level=1), 12)
    await walk.play(await walk.type("duel dungeon", rooms=2), 20)
    await walk.explore(await walk.type("duel top"))
    await walk.type("duel template")
    await walk.type("duel odds", first="8 hp", second="nobody")
    await walk.type("duel roll", name="Zoë O'Neil", gender="she", alignment="chaotic", private=True)
    await walk.explore(await walk.type("duel characters"))
    await walk.explore(await walk.type("duel odds", roster=GROUPS, seed=3))
    await walk.type("duel dismiss", character="Zoe")
    words = await walk.type("duel words", by=ben)
    await walk.explore(words)
    await walk.press(words, "Change", ben)
    await walk.type("duel fight", lawful=ben)
    await walk.type("battle list")


async def mad_killer_agents(walk: Walk) -> None:
    """Ask every question of Mad Killer Agents, then play a war of two people and one of bots."""
    ann, ben = walk.table.ann, walk.table.ben
    await walk.explore(await walk.type("mka map", size="12x12", kind="plateaus", seed=7))
    await walk.explore(await walk.type("mka battle", battle="5@3 vs 2@1"))
    await walk.explore(await walk.type("mka simulate", players="marshal vs pillager", size="12x12", rounds=5, seed=3))
    panel = await walk.type("mka new", length="long", map=file(), rounds=3)
    for what in ("Leave", "Join", "Add an AI", "Remove an AI"):
        await walk.press(panel, what)
    await walk.press(panel, "Join", ben)
    await walk.press(panel, "Begin")
    turn = await walk.press(panel, "Your turn")
    assert turn is not None
    await walk.explore(turn)
    await walk.type("mka orders", orders="A2-B3 1; end")
    await walk.type("mka orders", by=ben, orders="end")
    await walk.play(panel, 6, (ann, ben))
    await walk.type("mka away", ai="marshal")
    await walk.type("mka battle", battle="5@9 vs 2@1")


async def mad_killer_agents_turns(walk: Walk) -> None:
    """Ask what else can be asked of Mad Killer Agents; settle, grow and discover in one war, attack in another."""
    ann, ben = walk.table.ann, walk.table.ben
    await walk.type("mka map", size="10x8", kind="plateaus", without=4, seed=12)
    await walk.type("mka map", file=file(name="our_land.csv"))
    for battle in ("5@1 vs 5@1", "9@1 vs 0@2 city 2", "5@3 vs 7@2 drill masonry city 1", "10@5 vs 12@1"):
        await walk.type("mka battle", battle=battle)
    await walk.type("mka battle", battle="20@1 vs 1@6", mountaineering=True)
    await walk.explore(await walk.type("mka battle", battle="5@6 vs 2@1 vs 3@1"))
    await walk.explore(
        await walk.type("mka simulate", players="2 random, marshal", games=4, size="8x8", rounds=4, seed=1)
    )
    await walk.explore(await walk.type("mka simulate", players="marshall vs random"))
    panel = await _war(walk, size="16x10", seed=5, rounds=30, turn_time=5)
    opened = await walk.press(panel, "Map")
    assert opened is not None
    await walk.explore(opened)
    await _turn(walk, panel, "pace", "found", "undo", "found", "end-turn")
    await _pass_turns(walk, ben, ann, ben)
    await _turn(walk, panel, "grow", "end-turn")
    await _pass_turns(walk, *(ben, ann) * 3, ben)
    turn = await _turn(walk, panel, "tech")
    await walk.explore(turn)
    await walk.type("mka orders", orders="P4 fuond; end")
    place = await walk.press(panel, "Your place", ben)
    assert place is not None
    await walk.press(place, "Resign …", ben)
    await walk.press(place, "Resign", ben)
    await walk.press_more(panel, "Film")
    for command in ("log", "verify"):
        await walk.explore(await walk.type(f"battle {command}", number=1))
    panel = await _war(walk, map=file(RIDGE), rounds=9)
    await walk.type("battle list")
    await walk.explore(await walk.type("battle log"))
    await _turn(walk, panel, "go-e", "back", "go-e", "parts-e")
    await walk.type("mka new", length="long", size="9x9", kind="plateaus", without=4, turn_time=0)
    await walk.play(await walk.type("mka new", against="marshal", rounds=3), 6)


async def _war(walk: Walk, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Open a war of two people, who join and begin."""
    panel = await walk.type("mka new", length="long", **options)
    await walk.press(panel, "Join", walk.table.ben)
    await walk.press(panel, "Begin")
    return panel


async def _pass_turns(walk: Walk, *players: MemberActor) -> None:
    for player in players:
        await walk.type("mka orders", by=player, orders="end")


async def _turn(walk: Walk, panel: ResponseMessage, *orders: str) -> ResponseMessage:
    """Open Ann's turn and press these buttons in it."""
    turn = await walk.press(panel, "Your turn")
    assert turn is not None
    for what in orders:
        await walk.press(turn, handle(turn, what))
    return turn


async def marked_for_death(walk: Walk) -> None:
    """Ask every question of Marked for Death, then fight a battle with changes in between."""
    await walk.explore(await walk.type("mfd run", heroes=HEROES, villains=VILLAINS, seed=7))
    await walk.explore(await walk.type("mfd check", roster=HEROES))
    await walk.explore(await walk.type("mfd template"))
    await walk.explore(await walk.type("mfd odds", heroes=HEROES, villains=VILLAINS, seed=7))
    panel = await walk.type("mfd start", heroes=HEROES, villains=VILLAINS, max_rounds=20)
    await walk.play(panel, 10, (walk.table.ann,))
    await walk.type("mfd edit", side="heroes", fighter="Tom")
    await walk.type("mfd pull", side="heroes", fighter="Tom")
    await walk.type("mfd check", roster=BROKEN)
    await walk.type("mfd check")
    await walk.turn(await walk.type("mfd check", roster=ODD))
    await walk.type("mfd run", heroes=HEROES, villains=VILLAINS, max_rounds=1, seed=3)
    await walk.type("mfd run", heroes=BROKEN, villains=("Villains.csv", b"Nome,XP\nA,1\n"))
    await walk.press(await walk.type("mfd odds", heroes=LONE, villains=LONE, max_rounds=9), "Next")
    panel = await walk.type("mfd start", heroes=HEROES, villains=VILLAINS)
    change = await walk.type("mfd change", side="heroes", roster=ODD)
    await walk.press(change, "Replace the whole roster")
    await walk.press(change, "Use this roster")
    await walk.press(panel, "Next round")
    await walk.type("mfd pull", side="heroes", fighter="Tom")
    for button in ("Change a fighter", "Pull a fighter out"):
        lists = await walk.press(panel, button)
        assert lists is not None
        await walk.explore(lists)
    await walk.explore(await walk.type("battle log"))
    panel = await walk.type("mfd start", opponent="friend")
    await walk.press(panel, "Fight Moss")
    await walk.press(panel, "Next round")
    await walk.press(panel, "Take over from Moss", walk.table.ben)


async def house(walk: Walk) -> None:
    """Use what all games share: help, battles, clocks, rosters, campaigns, luck, ladders, privacy."""
    ben = walk.table.ben
    await walk.explore(await walk.type("help"))
    await walk.type("help", command="aacalc")
    await walk.explore(await walk.type("about"))
    panel = await walk.type("aa battle", setup="6 tanks, 2 inf vs 10 inf", defender=ben)
    await walk.explore(await walk.type("battle clock", number=1))
    await walk.explore(await walk.type("battle hours"))
    await walk.play(panel, 1)
    for command in ("list", "show", "waiting", "undo", "log", "verify", "referee"):
        await walk.explore(await walk.type(f"battle {command}"))
    await walk.play(panel, 12)
    await walk.type("battle verify", number=1)
    await walk.type("roster save", name="Big fleet", kind="aa", text="2 battleships, 1 carrier, 2 fighters")
    await walk.type("roster list")
    for command in ("show", "share", "delete"):
        await walk.type(f"roster {command}", name="Big fleet")
    await walk.type("campaign new", name="Siege", battle=1)
    await walk.play(await walk.type("campaign next", foe="5 inf"), 3)
    for command in ("campaign show", "campaign next", "campaign list", "profile", "luck person", "luck server"):
        await walk.explore(await walk.type(command))
    await walk.type("luck battle", number=1)
    await walk.type("ladder open", by=ben)
    await walk.type("ladder show")
    await walk.explore(await walk.type("privacy show"))
    await walk.type("battle end", number=2)


async def help_pages(walk: Walk) -> None:
    """Turn to each game's page of the help and back."""
    message = await walk.type("help")
    for title in GAMES:
        await walk.press(message, title)
        await walk.press(message, "All games")


Scene = Callable[[Walk], Awaitable[None]]

SCENES: dict[str, tuple[Scene, tuple[Form, ...]]] = {
    "axis_allies": (axis_allies, ()),
    "axis_allies_wordings": (axis_allies_wordings, ()),
    "boss_fight": (boss_fight, (DRAW, {**DRAW, "name": "Wind"}, DRAW)),
    "duel": (duel, ()),
    "mad_killer_agents": (mad_killer_agents, ()),
    "mad_killer_agents_turns": (mad_killer_agents_turns, ()),
    "marked_for_death": (marked_for_death, ({"rounds": "2"},)),
    "house": (house, ()),
    "rosters": (features.rosters, ()),
    "campaigns": (features.campaigns, features.AMOUNTS),
    "statistics": (features.statistics, ()),
    "help_pages": (help_pages, ()),
    **{scene.__name__: (scene, ()) for scene in TABLE_SCENES},
}
"""The scenes by their files' names, with what is typed into forms, in order."""
