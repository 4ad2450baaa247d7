"""What is asked of Axis & Allies for the sake of the words: every kind of answer, and what is refused."""

from typing import Any

from sim.axis_allies.editions import EDITIONS
from tests.bot.snapshots.walk import Walk
from tests.tables import kept_table

SMART: dict[str, Any] = {"battle": "1942: 3 inf, 2 tanks, 1 ftr vs 3 inf, 1 tank, 1 bmr", "casualties": "smart"}

ALL_OPTIONS: dict[str, Any] = {
    "battle": "6 inf, 2 art, 2 ftr + 1 bb bombard, landing 4 vs 5 inf, 2 aa"
    " | rounds 3 | retreat below 2 | low luck | tech attacker: jets",
    "edition": "1940",
    "casualties": "score",
}

CALCULATED: tuple[dict[str, Any], ...] = (
    *kept_table(__file__, "calculated"),
    SMART,
    *(
        {"battle": battle, "edition": edition}
        for edition in EDITIONS
        for battle in ("6 inf, 2 tanks, 1 ftr vs 5 inf, 1 ftr", "2 sub, 1 bb, 1 ftr vs 1 sub, 1 car, 2 tr")
    ),
)
"""What `/aacalc` is asked for the sake of its words."""


async def axis_allies_wordings(walk: Walk) -> None:
    """Ask for every kind of answer of Axis & Allies, and for what is refused."""
    message = await walk.type("aacalc", battle="6 tanks vs 10 inf")
    await walk.turn(message)
    await walk.press(message, "Back")
    await walk.turn(await walk.type("aacalc", battle="1 submarine, 1 destroyer vs 1 fighter"))
    await walk.explore(await walk.type("aacalc", battle="2 sub 2 bb vs 2 sub 2 bb 1 ftr", rounds=1, private=True))
    await walk.explore(await walk.type("aacalc", battle="1940: 3 inf, 2 ftr vs 4 inf | tech attacker: jets"))
    await walk.explore(await walk.type("aacalc", battle="3 inf, 2 ftr vs 2 inf, 1 tank | order attacker: ftr, inf"))
    bombards = "1942: 6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"
    await walk.explore(await walk.type("aacalc", battle=bombards))
    await walk.turn(await walk.type("aacalc", **ALL_OPTIONS))
    for asked in CALCULATED:
        await walk.type("aacalc", **asked)
    await walk.type("aa need", attacker="6 tanks", defender="1 inf", chance=90.0)
    options: dict[str, Any] = {
        "side": "defender",
        "units": "inf",
        "casualties": "smart",
        "take_territory": True,
        "private": True,
    }
    await walk.type("aa need", attacker="6 tanks, 2 ftr", defender="nobody", chance=50.0, **options)
    await walk.type("aa need", attacker="1 sub", defender="3 ftr", chance=50.0, units="sub")
    await walk.explore(await walk.type("aa need", attacker="6 tonks", defender="10 inf", chance=75.0))
    await walk.type("aa need", attacker="1942: 3 inf", defender="3 inf, 1 tank", chance=60.0, casualties="smart")
    await walk.turn(await walk.type("aa retreat", battle="6 tanks, 2 inf vs 8 inf", territory=3))
    await walk.type("aa retreat", battle="2 tanks vs 10 inf", stop_after=5)
    await walk.type("aa retreat", **SMART)
    await walk.type("aa luck", battle="6 tanks vs 3 inf", defender_left="3 inf")
    await walk.type("aa luck", battle="6 tanks vs 10 inf", attacker_left="7 tanks")
    left: dict[str, Any] = {"attacker_left": "2 tanks", "defender_left": "6 inf"}
    await walk.explore(await walk.type("aa luck", battle="6 tanks vs 10 inf", **left, stop_after=2))
    await walk.type("aa luck", **SMART, attacker_left="1 ftr")
    for setup in ("6 tonks vs 10 inf", "501 inf vs 1 inf", "1 sub vs 1 ftr"):
        await walk.type("aa battle", setup=setup)
    ben = walk.table.ben
    panel = await walk.type("aa battle", setup="6 tanks vs 10 inf", attacker=walk.table.ann, defender=ben)
    for label in ("Next round", "Retreat"):
        await walk.press(panel, label)
    orders = "1942: 3 inf, 2 tanks vs 3 inf, 1 tank, 1 bmr"
    await walk.play(await walk.type("aa battle", setup=orders, defender=ben, casualties="smart", fog=True), 12)
    panel = await walk.type("aa battle", setup=orders, attacker=walk.table.ann, defender=ben, casualties="manual")
    await walk.press(panel, "Next round")
    for side, player in (("attacker", walk.table.ann), ("defender", ben)):
        lists = await walk.press(panel, f"Choose the {side}'s losses", player)
        assert lists is not None
        await walk.press(lists, "Confirm losses", player)
    for battle in ("1 tr vs 1 tr", "60 inf vs 60 inf"):
        await walk.turn(await walk.type("aacalc", battle=battle, rounds=10))
