"""Draws fighters as silhouettes made from their sheets, the snow field of a duel, and a dungeon's rooms as a map."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from sim.core.cards import Box, Silhouette, Stroke, line, moved, oval, polygon
from sim.core.cards import theme as t
from sim.core.cards.card import Card
from sim.core.cards.draw import SheetCard, draw_fact
from sim.core.cards.figures import silhouettes
from sim.core.cards.parts import LEFT, LINE, RIGHT, portrait
from sim.core.cards.people import EMBLEMS
from sim.duel.critter import Critter, Gender

FIGURES = silhouettes("sim.duel", "silhouettes.txt")

RED = "#c92a2a"
"""Blood, on snow and nowhere else."""

SNOW_COLORS = t.palette((*t.COLORS, t.rgb(RED)), ((t.INK, RED), (t.TILE, t.INK), (t.INK, t.NEUTRAL)), 2)

_WIDTH, _HEIGHT = 150.0, 200.0
_CENTER = 60.0
_STRONG, _HEAVY, _QUICK = 8, 5, 1
"""The most damage that a hammer and an axe deal at least; the Dexterity modifier that wears a hood."""


def figure(critter: Critter, *, to_left: bool = False, lying: bool = False) -> Silhouette:
    """Return a fighter: build by Strength, head by Dexterity, weapon by damage; animals have claws and ears.

    Who lies has lost the boots.
    """
    strokes = list(_strokes(critter, boots=not lying))
    if to_left:
        strokes = [moved(stroke, lambda x, y: (_WIDTH - x, y)) for stroke in strokes]
    if lying:
        return Silhouette(_HEIGHT, _WIDTH, tuple(moved(stroke, lambda x, y: (y, x)) for stroke in strokes))
    return Silhouette(_WIDTH, _HEIGHT, tuple(strokes))


def _strokes(critter: Critter, *, boots: bool) -> Iterator[Stroke]:
    wide = 22 + 4 * max(-3, min(5, critter.str_mod))
    left, right, hip = _CENTER - wide, _CENTER + wide, 0.72 * wide
    yield polygon(left, 66, left + 8, 54, right - 8, 54, right, 66, _CENTER + hip, 126, _CENTER - hip, 126)
    yield polygon(left + 4, 58, left - 14, 150, _CENTER - hip, 138, _CENTER, 60)  # the cloak
    for foot, side in ((left + 2, -1), (right + 4, 1)):
        yield line(_CENTER + side * hip * 0.55, 122, foot, 188, thickness=13 + wide / 8)
        if boots:
            yield oval(foot - 9, 182, foot + 17, 198)
    yield line(right - 6, 66, right + 8, 86, 100, 90, thickness=12)
    yield oval(44, 14, 78, 54)
    head = "hood" if critter.dex_mod >= _QUICK else "horns" if critter.dex_mod < 0 else "hair"
    yield from FIGURES["ears" if critter.gender is Gender.IT else head].strokes
    if critter.gender is Gender.IT and not critter.proper:
        yield from FIGURES["claws"].strokes
        return
    most = critter.damage.maximum
    yield from FIGURES["hammer" if most >= _STRONG else "axe" if most >= _HEAVY else "sword"].strokes
    if critter.attacks > 1:
        yield line(right - 8, 76, 96, 112, thickness=10)
        yield polygon(92, 108, 138, 84, 144, 86, 98, 118)


_SCENE, _STRIP = 300, 50
_SNOW, _HILL, _GROUND = 190, 28, 250
"""Pixels of the scene; where its snow begins, how high its hills are, and where feet leave prints."""

MOST_SHOWN = 4
"""Fighters of a side in a scene."""

_PITCH = 76
_STEP, _APART, _NEAR = 26, 250, 96
"""Pixels that a round brings both sides nearer; from the middle to each side at first and at last."""


def draw_snow(card: Card, top: int, sides: Sequence[Sequence[tuple[Critter, float]]], rounds: int) -> int:
    """Draw both sides facing each other on a snow field; they come nearer with each round, and bleed.

    Returns the first pixel below. `sides`: fighters with the share of hit points that they have left, 0 for the dead.
    """
    card.box((LEFT, top, RIGHT, top + _SCENE), t.TILE, radius=14)
    width = RIGHT - LEFT
    hills = (0, 26, 120, 4, 300, 22, 470, 0, 620, 20, width, 6, width, _HILL, 0, _HILL)
    card.silhouette(LEFT, top + _SNOW, Silhouette(width, _HILL, (polygon(*hills),)), _HILL, t.INK)
    card.box((LEFT, top + _SNOW + _HILL, RIGHT, top + _SCENE), t.INK, radius=14)
    card.box((LEFT, top + _SNOW + _HILL, RIGHT, top + _SCENE - 14), t.INK, radius=0)
    for x in ((40 + 97 * at) % width for at in range(16)):
        y = top + 12 + x * 7 % 150
        card.box((LEFT + x, y, LEFT + x + 7, y + 7), t.SOFT, radius=3)
    begin = min(_APART, 340 - _PITCH * (max(map(len, sides)) - 1))
    apart = max(_NEAR, begin - _STEP * rounds)
    prints: list[Stroke] = []
    blood: list[Stroke] = []
    shapes = []
    for sign, side, color in ((-1, sides[0], t.BLUE), (1, sides[1], t.ORANGE)):
        shown = sorted(side, key=lambda each: not each[1])
        high = 200 if len(shown) == 1 else 160
        for step in range(rounds and (begin - apart) // _STEP + 2):
            foot = width / 2 + sign * (apart + 70 + _STEP * step)
            prints.append(oval(foot, 24 + step % 2 * 8, foot + 15, 31 + step % 2 * 8))
        for at, (critter, left) in reversed(list(enumerate(shown))):
            x = width // 2 + sign * (apart + at * _PITCH)
            shape = figure(critter, to_left=sign > 0, lying=not left)
            tall = high if left else round(high * _WIDTH / _HEIGHT)
            half, y = shape.width_at(tall) // 2, top + 276 - tall + (0 if left else 10)
            x = min(max(x, half), width - half)
            shapes.append((LEFT + x - half, y, shape, tall, color))
            for drop in range(round(6 * (1 - left))):
                spread = 14 + 7 * drop
                spot = x + (drop % 3 - 1) * spread
                blood.append(oval(spot - 16 - drop, 12 + drop * 4, spot + 12 + drop, 20 + drop * 4))
    for strokes, color in ((prints, t.NEUTRAL), (blood, RED)):
        if strokes:
            card.silhouette(LEFT, top + _GROUND, Silhouette(width, _STRIP, tuple(strokes)), _STRIP, color)
    for x, y, shape, tall, color in shapes:
        card.silhouette(x, y, shape, tall, color)
    return top + _SCENE


_A_ROW, _ROOM, _HALL, _PAD = 10, 104, 132, 28
"""Rooms in a row; pixels of a room's height, of a row of rooms, and of the wall around them."""


@cache
def _bricks(height: int) -> Silhouette:
    """Return the joints of a wall."""
    width, high = RIGHT - LEFT, 33
    rows = range(high, height, high)
    joints = [line(0, y, width, y, thickness=3) for y in rows]
    joints += [line(x, y - high, x, y, thickness=3) for y in rows for x in range(30 + y % 2 * 44, width, 88)]
    return Silhouette(width, height, tuple(joints))


def draw_map(card: Card, top: int, rooms: int, room: int, won: int, *, lost: bool) -> int:
    """Draw the gate and the rooms in a wall, and the corridor below; the torch is in room number `room`, 0: the gate.

    A skull is there instead where the party is `lost`. The second row runs back, as a corridor does. Returns the first
    pixel below.
    """
    height = -(-(rooms + 1) // _A_ROW) * _HALL + _PAD  # before the rooms is the gate
    card.box((LEFT, top, RIGHT, top + height), t.TILE, radius=14)
    card.silhouette(LEFT, top, _bricks(height), height, t.GROUND)
    beside = min(rooms + 1, _A_ROW)
    pitch = min((RIGHT - LEFT - 2 * _PAD) // beside, 150)
    wide = min(pitch - 12, 100)
    places = []
    for at in range(rooms + 1):
        row, column = divmod(at, _A_ROW)
        column = _A_ROW - 1 - column if row % 2 else column
        places.append(((LEFT + RIGHT + pitch * (2 * column - beside + 1) - wide) // 2, top + _PAD + row * _HALL))
    for (x, y), (to_x, to_y) in pairwise([places[0], *places]):
        card.box((min(x, to_x) - 6, y + _ROOM - 16, max(x, to_x) + wide + 6, to_y + _ROOM), t.TROUGH, 0)
    for number, (x, y) in enumerate(places):
        here, done = number == room, 0 < number <= won
        _draw_room(card, (x, y, x + wide, y + _ROOM), t.ORANGE if here else t.NEUTRAL if done else t.TROUGH)
        if here:
            _draw_room(card, (x + 6, y + 6, x + wide - 6, y + _ROOM), t.DARK)
        if here or not number:
            torch = (EMBLEMS["skull"].shape, t.INK) if lost else (FIGURES["torch"], t.ORANGE)
            shape, ink = torch if here else (FIGURES["gate"], t.INK)
            high = min(64, wide - 8)
            card.silhouette(x + (wide - shape.width_at(high)) // 2, y + (_ROOM - high) // 2 + 8, shape, high, ink)
        else:
            card.text(x + wide // 2, y + 70, str(number), t.TEXT, t.DARK if done else t.INK, bold=True, align="center")
    return top + height


def _draw_room(card: Card, box: Box, color: str) -> None:
    """Draw an arch."""
    card.box(box, color, radius=(box[2] - box[0]) // 2)
    card.box((box[0], (box[1] + box[3]) // 2, box[2], box[3]), color, radius=0)


_PORTRAIT, _FACT, _GAP = 236, 110, 16
_FACTS, _SHORT = 4, 3
"""Facts beside the portrait, of which the rest are abilities; letters of an ability's name."""


def draw_character(sheet: SheetCard, critter: Critter) -> Card:
    """Return the card of a character: a portrait on a token, the facts beside it, the abilities below."""
    card, top = sheet.begun()
    foot = top + _PORTRAIT + _GAP
    card.height = foot + 2 * LINE + 16
    portrait(card, LEFT, top, _PORTRAIT, figure(critter), t.BLUE)
    left, wide = LEFT + _PORTRAIT + _GAP, (RIGHT - LEFT - _PORTRAIT - 2 * _GAP) // 2
    for at, fact in enumerate(sheet.facts[:_FACTS]):
        x, y = left + at % 2 * (wide + _GAP), top + at // 2 * (_FACT + _GAP)
        draw_fact(card, fact, x, y, wide, _FACT)
    for at, ability in enumerate(sheet.facts[_FACTS:]):
        x, y = LEFT + at % 3 * (RIGHT - LEFT) // 3, foot + at // 3 * LINE + 34
        label = card.text(x, y, ability.label[:_SHORT].upper(), t.TEXT, t.SOFT)
        card.text(x + label + 12, y, ability.figure, t.TEXT, t.INK, bold=True)
    return card
