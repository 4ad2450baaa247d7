"""The rules in words: a few lines on the first panel, and a page of them."""

from sim.core.numbers import quantity
from sim.mad_killer_agents.battle.values import Setup
from sim.mad_killer_agents.constants import (
    CITY_SCORE,
    EDITION,
    EFFECTS,
    FIRST_DISCOVERY,
    FOUND_UNITS,
    LATER_DISCOVERY,
    LATER_UNITS,
    LOWER_UNITS,
    MARCH_LOSS,
    MAX_VALUE,
    MIN_VALUE,
    MOUNTAIN,
    QUIET_ROUNDS,
    RAISE_UNITS,
    START_UNITS,
    STOMP_FACTOR,
    growth_cost,
    rules_of,
)

POINTS = f"1 for each unit, {CITY_SCORE} for each city, and the units that its growth cost"
"""What counts at the end."""

_AROUND, _ONCE_AROUND = (2 * rules_of(edition).city_reach + 1 for edition in (EDITION, 1))
_COSTS = f"TV 1 costs ½ MP, TV 2 to {MOUNTAIN - 1} cost 1 MP, mountains (TV {MOUNTAIN}) are closed"


def short_rules(setup: Setup) -> list[str]:
    """Return the rules in five lines, for those who have never played."""
    last = "be the last one left"
    win = last if setup.rounds is None else f"have the most points after {quantity(setup.rounds, 'round')}, or {last}"
    tiles = f"Each tile has a value (TV, {MIN_VALUE} to {MAX_VALUE})"
    return [
        f"🏆 **Win:** {win}. Points: {POINTS}.",
        f"👣 **Move:** an army has 1 movement point (MP) a turn. {tiles}: {_COSTS}.",
        f"🏠 **Build:** {FOUND_UNITS} units become a city. It makes new units every turn, more among high tiles.",
        "⚔️ **Fight:** step onto an enemy. There are no dice: units + TV decide, and the weaker side is wiped out.",
        f"▶️ **Play:** you begin with {START_UNITS} units. Press **Your turn** when it is yours; you can undo orders.",
    ]


def rules_page() -> list[str]:
    """Return the page of rules, in parts."""
    return [_WAR, _TURN, _BUILD, _BATTLE]


_WAR = f"""### How a war works
Players take turns; a round is a turn of everybody. Chance decides who plays first. You begin with an army of \
{START_UNITS} units; those who play later get up to {LATER_UNITS} more.
**Points:** {POINTS}. The most points win when the rounds are over, or after {QUIET_ROUNDS} rounds in a row without \
an attack, a new city or a growth. The last one left wins at once."""

_TURN = f"""**Your turn**
First your cities make units and every army gets 1 movement point (MP). Then choose an army, and move it with the \
arrows or let it build. Orders count at once; you can undo them until you end the turn.
- **Move:** entering a tile costs MP by its tile value (TV): {_COSTS}.
- **Split and join:** send all, half or any number. Armies that meet become one, with the lower MP.
- **Forced march:** TV 2 to {MOUNTAIN - 1} for ½ MP, but you lose {MARCH_LOSS}% of the units for each TV above 1."""

_BUILD = f"""**Build, paid with units of the army on the tile**
- **Found a city:** {FOUND_UNITS} units and 1 MP. The {_AROUND} x {_AROUND} tiles around must have no other city \
({_ONCE_AROUND} x {_ONCE_AROUND} in wars begun by earlier rules).
- Every turn a city makes as many units as its own TV and the TV of its best neighbor tiles together; its size says \
how many neighbors count.
- **Grow a city** by 1: {", ".join(str(growth_cost(size)) for size in range(1, 6))} … units, no MP.
- **Lower or raise the tile** by 1: {LOWER_UNITS} or {RAISE_UNITS} units, and 1 MP.
- **Discover:** {FIRST_DISCOVERY} units the first time, {LATER_DISCOVERY} more each time, no MP:
{"; ".join(f"**{tech.capitalize()}**: {effect}" for tech, effect in EFFECTS.items())}."""

_BATTLE = f"""**Battle**
Strength = units + TV of their tile, + the size of the city they defend. There are no dice: you see the result before \
you attack.
- The weaker side is wiped out, and so are both if they are equal. The stronger side loses as many units as the enemy \
was strong, less its own TV and city.
- With {STOMP_FACTOR} times the enemy's units you lose nobody.
- When the defenders fall, you take the tile. A city shrinks first, by the difference of strengths (at least 1); you \
enter when it is destroyed. An undefended city raises 1 unit."""
