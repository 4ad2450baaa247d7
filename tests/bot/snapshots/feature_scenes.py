"""Scenes of the features around battles: saved rosters, campaigns, luck and ladders; their refusals, too."""

from simcord import MemberActor

from bot.battles.publisher import EndedBattles
from bot.rosters.library import RosterRepository
from tests.bot.battles.fights import stranger
from tests.bot.snapshots.walk import Walk

FLEET = "2 battleships, 1 carrier, 2 fighters"
HOSTILE = "**@everyone** <@1> [x](http://e.vil) `"
CAMPAIGNS = "SELECT n, battle_id, text, muster, veterans, sums, deeds FROM campaign_rows ORDER BY campaign_id, n"
SEATS = "SELECT * FROM result_seats ORDER BY 1, 2"
DICE = "SELECT * FROM dice_luck ORDER BY 1, 2, 3, 4"

AMOUNTS = (
    {"amounts": "tanks: 0\n\ninfantry: 0"},
    {"amounts": "tanks: two\nOrcs: 2\ninfantry: 3, 5 xp\ntanks: 99999999"},
    {"amounts": "infantry: 3"},
)
"""What is healed by hand: nothing, then nothing that can be read, then what can."""


async def _save(walk: Walk, name: str, text: str = FLEET, *, by: MemberActor | None = None, kind: str = "aa") -> None:
    await walk.type("roster save", by=by, name=name, kind=kind, text=text)


async def rosters(walk: Walk) -> None:
    """Save rosters, look at them, share, use and delete them, each as who may and as who may not."""
    table, ben = walk.table, walk.table.ben
    judge = stranger(table, manage_messages=True)

    await walk.type("roster list")
    await _save(walk, "Big fleet")
    table.clock.pass_days(1)
    for name, text in (("BIG  FLEET", f"{FLEET}, 1 sub"), ("Big fleet", FLEET), ("Big fleet", FLEET)):
        await _save(walk, name, text)
    file = ("fleet.txt", b"\xef\xbb\xbf6 tanks\r\nvs 10 inf\r\n")
    await walk.type("roster save", name="Größe 6", kind="aa", file=file)
    await walk.type("roster save", name="Größe 6", kind="aa", file=file, text="6 tanks")
    await walk.type("roster save", name="Größe 6", kind="aa")
    for data in (b"PK\x03\x04\xff\xfe", b"x" * (256 * 1024 + 1)):
        await walk.type("roster save", name="X", kind="aa", file=("army.xlsx", data))
    await _save(walk, "Wrong", "6 tonks, 3 imf")
    await _save(walk, "X", kind="zzz")
    await _save(walk, "a\u202eb")
    await _save(walk, HOSTILE, "6 tanks")
    await walk.type("roster list")
    await walk.type("roster show", name="big fleet", version=1)
    await walk.type("roster show", name="größe 6")
    await walk.type("roster show", name="Big fleet", version=9)
    await walk.type("roster show", name="Big flet")
    for what in ("show", "share", "delete"):
        for name in ("Big fleet", "#1"):
            await walk.type(f"roster {what}", by=ben, name=name)
    await _shared(walk, judge)


async def _shared(walk: Walk, judge: MemberActor) -> None:
    """Share rosters and use those of others."""
    table, ben = walk.table, walk.table.ben
    await walk.type("roster share", name="Big fleet")
    await _save(walk, "Desert", "6 tanks vs 10 inf", by=ben)
    await walk.type("roster share", by=ben, name="Desert")
    for person in (table.ann, ben):
        await walk.type("roster list", by=person)
    for what in ("show", "share", "delete"):
        await walk.type(f"roster {what}", by=ben, name="Big fleet")
    await _save(walk, "Big fleet", "6 tanks", by=ben)
    await walk.type("roster share", by=ben, name="Big fleet")
    await walk.type("roster show", by=judge, name="Big fleet")
    for typed in ("", "DESERT", "dessert", "fleet"):
        await walk.offer("roster show", "name", typed)
    await walk.offer("roster show", "name", "fleet", by=judge)
    await walk.offer("roster save", "name", "fleet")
    for typed in ("axis", "zzz"):
        await walk.offer("roster save", "kind", typed)
    await walk.type("roster share", name="Big fleet", off=True)
    await walk.type("roster show", by=judge, name="#1")
    await walk.surely("roster delete", judge, name="Desert")
    await walk.type("roster delete", by=judge, name="Größe 6")
    await walk.surely("roster delete", name="Größe 6")
    kept = table.bot.services[RosterRepository]
    await kept.save(table.ann.id, "chess", "Gambit", b"Ke1")
    await kept.save(table.ann.id, "aa", "Old", b"6 dreadnoughts")
    await walk.type("roster list")
    for name in ("Gambit", "Old"):  # of a kind, and by rules, that this version doesn't know
        await walk.type("roster show", name=name)
    await _armies(walk)


async def _armies(walk: Walk) -> None:
    """Use saved armies in the commands of Axis & Allies."""
    for name, text in (
        ("The desert", "6 tanks"),
        ("Oasis", "6 tanks vs 10 inf"),
        ("Sahara", " and ".join(["1 tank"] * 100)),
        ("Sahel", " and ".join(["1 tank"] * 14)),
    ):
        await walk.type("roster save", name=name, kind="aa", text=text)
    for command, option, typed in (
        *(("aacalc", "battle", ""), ("aacalc", "battle", "10 inf vs des"), ("aacalc", "battle", "sahe")),
        *(("aa battle", "setup", "desert"), ("aa need", "attacker", "desert"), ("aa need", "attacker", "oasis")),
    ):
        await walk.offer(command, option, typed)
    for battle in (
        *('2 inf, saved:#8 vs saved:"the desert"', "SAVED:sahel vs 10 inf", "saved:nobody vs 10 inf"),
        "saved:sahara vs saved:sahara",
    ):
        await walk.type("aacalc", battle=battle)
    await walk.type("aa battle", setup='saved:"The desert" vs 10 inf')


async def campaigns(walk: Walk) -> None:
    """Link battles of Axis & Allies: what flows on, what is refused, who may do what."""
    table, ben = walk.table, walk.table.ben
    referee = stranger(table, manage_messages=True)
    await walk.type("campaign next")
    panel = await walk.type("aa battle", setup="12 tanks vs 6 inf", attacker=table.ann, defender=ben)
    await walk.type("campaign new", name="Eastern Front", battle=1)
    for how in ("rest", "hand"):
        await walk.type("campaign heal", how=how)
    await walk.type("campaign next")
    await walk.press(panel, "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    await walk.type("campaign show")
    await walk.type("campaign heal", how="rest")
    await walk.type("campaign next")
    await walk.type("campaign next", foe="3 dragons")
    await walk.type("campaign next", by=ben, foe="2 inf")
    await walk.type("campaign heal", by=ben, how="rest")
    await walk.type("campaign end", by=ben, campaign="Eastern Front")
    await walk.type("campaign next", foe="2 inf", foe_file=("Foe.txt", b"2 inf"))
    for typed in ("", "3 in"):
        await walk.offer("campaign next", "foe", typed)
    await walk.type("campaign heal", how="hand")
    wrong = await walk.type("campaign heal", how="hand")
    await walk.press(wrong, "Fix it")
    await walk.type("campaign show")
    panel = await walk.type("campaign next", by=referee, foe="12 inf, 1 ftr")
    await walk.press(panel, "Next round")
    await walk.surely("battle end", referee, number=2)
    await table.bot.services[EndedBattles].settled()
    await walk.type("campaign show", by=ben, private=True)
    await walk.type("campaign files")
    await walk.type("campaign next", foe="1 inf")
    await walk.surely("battle end", number=3)
    await walk.type("aa battle", setup="3 tanks vs 6 inf", attacker=table.ann, defender=ben, fog=True)
    await walk.type("campaign new", name="eastern front", battle=4)
    await walk.type("campaign new", name="Other", battle=1)
    await walk.type("campaign new", name="Fog")
    await walk.type("campaign new", name="Fog", battle=4)
    await walk.type("campaign show", campaign="Fog")
    await walk.type("campaign next", campaign="Easter Front")
    await walk.type("campaign show")
    await walk.surely("campaign end", campaign="Eastern Front")
    for command in ("next", "show"):
        await walk.type(f"campaign {command}", campaign="Eastern Front")
    for game in ("Chess", "Axis & Allies"):
        await walk.type("campaign new", name="War", game=game)
    await walk.type("campaign files", campaign="War")
    await walk.type("campaign next", campaign="War")
    await walk.type("campaign next", campaign="War", own="6 tanks")
    await walk.type("campaign next", campaign="War", own="6 tanks", foe_file=("Foe.txt", b"4 inf"))
    await walk.type("campaign list")
    for command, option, typed in (
        *(("next", "campaign", "w"), ("next", "foe", ""), ("show", "campaign", ""), ("new", "game", "")),
    ):
        await walk.offer(f"campaign {command}", option, typed)
    await walk.dump("campaigns", CAMPAIGNS)


async def statistics(walk: Walk) -> None:
    """Fight, and look at luck, profiles and ladders: what counts, and for whom."""
    table, ann, ben = walk.table, walk.table.ann, walk.table.ben
    judge = stranger(table, manage_messages=True)

    async def fight(setup: str = "6 tanks vs inf", *, accept: bool = True, **people: MemberActor) -> None:
        panel = await walk.type("aa battle", setup=setup, **{"attacker": ann, "defender": ben} | people)
        if accept:
            await walk.press(panel, "Accept, rated", ben)
        await walk.press(panel, "Fight to the end")
        await table.bot.services[EndedBattles].settled()

    for command in ("luck person", "luck server", "profile", "ladder show"):
        await walk.type(command)
    await fight(accept=False)
    await walk.type("ladder open")
    await walk.type("ladder open", by=judge)
    await fight()
    await fight("6 inf vs 6 inf")
    await fight(defender=ann, accept=False)
    panel = await walk.type("aa battle", setup="20 inf vs 20 inf", attacker=ann, defender=ben)
    await walk.press(panel, "Accept, rated", judge)
    await walk.press(panel, "Next round")
    await walk.type("luck battle", number=5)
    await walk.press(panel, "Fight to the end")
    panel = await walk.type("aa battle", setup="6 tanks vs inf", attacker=ann)
    await walk.press(panel, "Join as defender", ben)
    await walk.press(panel, "Fight to the end")
    panel = await walk.type("aa battle", setup="20 inf vs 20 inf", attacker=ann, defender=ben)
    await walk.press(panel, "Accept, rated", ben)
    await walk.press(panel, "Next round")
    await walk.press(panel, "Retreat")
    await walk.type("aa battle", setup="6 tanks vs 10 inf", attacker=ann, defender=ben)
    await walk.surely("battle end", judge, number=8)
    await table.bot.services[EndedBattles].settled()
    for number in (1, 4, 8):
        await walk.type("luck battle", number=number)
    for season in (None, "Q1 2027", "Q4 2026", "winter", "all"):
        given = {} if season is None else {"season": season}
        for command in ("luck person", "luck server", "ladder show"):
            await walk.type(command, None, **given)
    await walk.type("ladder show", by=ben, game="axis & allies")
    await walk.type("ladder show", game="chess")
    await walk.type("luck person", by=ben, who=ann, private=True)
    await walk.type("luck paste", text="Ann rolled 3@2: 1, 4, 6\nBen rolled 4/9 hits, expectedHits=3.50")
    await walk.type("luck paste", text="3@2: 1, 7, 2")
    await walk.type("profile")
    await walk.type("profile", by=ben, who=ann)
    await walk.offer("luck person", "season", "")
    await walk.offer("ladder show", "game", "")
    await walk.surely("privacy delete", ben)
    await walk.type("profile")
    await walk.type("ladder close", by=judge)
    await walk.type("ladder show")
    await walk.dump("seats", SEATS)
    await walk.dump("dice", DICE)
