"""Pictures of the map, what they show and how large, and how a war went: its log, scores, turning points, card."""

import io
import itertools
import pickle
from typing import Any

import pytest
from PIL import Image, ImageChops

from sim.core import RuleError
from sim.core.cards import Fill, Shape, Text
from sim.core.cards.png import cell_picture, paint
from sim.core.cards.theme import contrast, rgb
from sim.core.dice import SeededDice
from sim.core.replay import Session
from sim.core.values import canonical
from sim.mad_killer_agents import map_picture as m
from sim.mad_killer_agents import map_theme as t
from sim.mad_killer_agents.battle import Write, seat_of
from sim.mad_killer_agents.battle.board import Army, Board, board_of
from sim.mad_killer_agents.battle.events import Event, Fought, Moved, Played, TurnBegan, log, short_log
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.cards import ClashCard, History
from sim.mad_killer_agents.combat import parse_battle
from sim.mad_killer_agents.constants import MAX_SIDE, MIN_SIDE, RULES_VERSION, AiKind
from sim.mad_killer_agents.map_picture import Part, Window, around, blocks, draw_map, window_of
from sim.mad_killer_agents.requests import BattleRequest, PictureRequest, WarCardRequest
from sim.mad_killer_agents.terrain import Drawing
from tests.bench.mad_killer_agents import crowded
from tests.sim.core.cards.looking import opened
from tests.sim.mad_killer_agents.builders import GoOn, Resign, Undo, at, begin_game, board, first_army, terrain

LAND = terrain(2, side=20)
NEAR = {"A1": (1, 5), "C17": (1, 9), "E17": (2, 4), "T20": (2, 90)}
WHOLE = Window(0, 0, 20, 20)


@pytest.mark.parametrize(
    ("armies", "part", "players", "window"),
    [
        # The front is where enemies are nearest.
        (NEAR, Part.FRONT, (0, 1, 2), Window(0, 13, 9, 7)),
        # Both are seen however far apart they are; without an enemy the front is everywhere.
        ({"A1": (1, 5), "T2": (2, 4)}, Part.FRONT, (0, 1, 2), Window(0, 0, 20, 7)),
        ({"A1": (1, 5), "C3": (1, 5)}, Part.FRONT, (1,), WHOLE),
        (NEAR, Part.ALL, (1,), WHOLE),
        # The strongest army is the player's own.
        (NEAR, Part.ARMY, (1,), Window(0, 13, 9, 7)),
        (NEAR, Part.ARMY, (2,), Window(11, 13, 9, 7)),
        (NEAR, Part.ARMY, (3,), WHOLE),
        ({"J10": (1, 5)}, Part.ARMY, (1,), Window(5, 6, 9, 7)),
        ({"T1": (1, 5)}, Part.ARMY, (1,), Window(11, 0, 9, 7)),
    ],
)
def test_parts_of_the_map(
    armies: dict[str, tuple[int, int]], part: Part, players: tuple[int, ...], window: Window
) -> None:
    on = board(armies, ground=LAND)
    assert {window_of(on, part, player) for player in players} == {window}
    assert around(Board(8, 30, [1] * 240), 239) == Window(0, 23, 8, 7), "all columns of a narrow map"


def test_blocks_are_the_map_each_tile_once() -> None:
    for width, height in ((MIN_SIDE, MIN_SIDE), (20, 16), (11, 12), (MAX_SIDE, MAX_SIDE), (MIN_SIDE, MAX_SIDE)):
        every = blocks(width, height)
        assert sorted(tile for window in every for tile in window.tiles(width)) == list(range(width * height))
        assert max(max(window.columns, window.rows) for window in every) <= 10
        assert len(every) + len(Part) <= 25, "a list has so many options at most"


def drawn(*arguments: object, **options: object) -> Image.Image:
    return opened(draw_map(*arguments, **options).png())  # type: ignore[arg-type]  # those of draw_map


def count(image: Image.Image, color: str) -> int:
    """Return the number of pixels of a color."""
    found = image.getcolors(1 << 20) or []
    return sum(number for number, pixel in found if pixel == rgb(color))


@pytest.mark.parametrize(("width", "height"), [(8, 8), (8, 40), (40, 8), (20, 20), (40, 40)])
def test_every_map_fits_into_a_chat(width: int, height: int) -> None:
    assert drawn(Board(width, height, [1 + tile % 6 for tile in range(width * height)])).height <= 1100


@pytest.mark.parametrize(("side", "armies"), [(12, 9), (20, 25), (40, 100)])
def test_a_map_is_light(side: int, armies: int) -> None:
    """All land is somebody's, a tile here and there another's; every player has that many armies."""
    dice = SeededDice(b"light")
    rolls = [dice.roll(8) for _ in range(side * side)]
    on = Board(side, side, [1 + (roll * 5 + tile // 3) % 6 for tile, roll in enumerate(rolls)])
    on.owners = [1 + tile % side * 2 // side if roll > 2 else roll for tile, roll in enumerate(rolls)]
    for tile in range(0, side * side, side * side // (2 * armies)):
        on.armies[tile] = Army(on.owners[tile], 1 + tile * 7 % 90, 2)
    drawn(on)


@pytest.mark.parametrize("side", [15, 30, 40])
def test_a_crowded_map_of_small_tiles_is_written_in_runs(side: int) -> None:
    """The picture is the same."""
    card = draw_map(crowded(side, side**2 // 32, 8))
    png, plain = card.png(), paint(card.height, card.marks, t.COLORS, 6)
    assert png != plain
    assert (
        ImageChops.difference(*(Image.open(io.BytesIO(data)).convert("RGBA") for data in (png, plain))).getbbox()
        is None
    )


def test_the_land_of_each_owner_is_bordered_within_the_owner_s_tiles() -> None:
    """Two tiles of one owner side by side: a line around both, none between them, none on nobody's land."""
    on = board({}, ground=terrain(1, side=8))
    on.owners[at("B2", 8)] = on.owners[at("C2", 8)] = 2
    tile = cell_picture(t.tile_cell(1, 2, (True, True, True, False), 40, rich=True, patterned=True))
    line, land = rgb(t.PLAYERS[2]), t.land(1, 2)
    assert [tile.getpixel((x, 20)) for x in (0, 1, 2, 39)] == [line, line, land, land]
    assert [tile.getpixel((20, y)) for y in (0, 1, 37, 38, 39)] == [line, line, land, line, line]
    image = drawn(on)
    size, left, top = 91, 60, 48
    inside = [image.getpixel((left + 2 * size + step, top + size + size * 2 // 3)) for step in (-2, -1, 1, 2)]
    assert rgb(t.PLAYERS[2]) not in inside
    outer = [image.getpixel((left + size + step, top + size + size * 2 // 3)) for step in (-1, 0, 1, 2)]
    assert [color == rgb(t.PLAYERS[2]) for color in outer] == [False, True, True, False]


def test_a_part_of_the_map_shows_the_tiles_values() -> None:
    """Whole, a large map is without them: tiles of one color are plain."""
    on = board({"A1": (1, 5)}, ground=LAND)
    assert text_pixels(drawn(on)) == 0
    assert text_pixels(drawn(on, window=around(on, at("J10", 20)))) > 0


def text_pixels(image: Image.Image) -> int:
    """Count pixels of neither the land nor the lines between tiles, in the middle of the map."""
    plain = {rgb(t.TERRAIN[2]), rgb(t.TERRAIN[0])}
    found = image.crop((300, 200, 600, 400)).getcolors(1 << 20) or []
    return sum(number for number, pixel in found if pixel not in plain)


def test_crowded_small_armies_are_dots_and_large_ones_keep_their_count() -> None:
    """Eight 1s around 900 on small tiles: its count needs their room, and no count is drawn over another."""
    ground = terrain(2, side=40)
    around_it = {f"{column}{row}": (2, 1) for column, row in itertools.product("TUV", (19, 20, 21))}
    alone = drawn(board({"U20": (1, 900)}, ground=ground))
    crowded = drawn(board(around_it | {"U20": (1, 900)}, ground=ground))
    assert count(crowded, t.PLAYERS[1]) > 300
    assert count(crowded, t.PLAYERS[1]) == count(alone, t.PLAYERS[1]), "with all its room"


def test_the_chosen_army_is_marked() -> None:
    on = board({"J10": (1, 5)}, ground=LAND)
    window = around(on, at("J10", 20))
    assert drawn(on, window=window) != drawn(on, window=window, selected=at("J10", 20))
    assert drawn(on, [(1, 0, 1)], window=window) == drawn(on, window=window), "a step elsewhere"
    assert drawn(on, [(1, at("J10", 20), at("K10", 20))], window=window) != drawn(on, window=window)


def test_the_names_of_a_part_are_those_who_are_there() -> None:
    on = board({"A1": (1, 5), "T20": (2, 5)}, ground=LAND)
    assert count(drawn(on), t.PLAYERS[2]) > 0
    assert count(drawn(on, window=around(on, 0)), t.PLAYERS[2]) == 0


def test_long_names_are_written_in_full() -> None:
    """Two short ones share a row; a long one gets its own."""
    on = board({"A1": (1, 5), "T20": (2, 5)}, ground=LAND)
    for number, name in ((1, "Anna"), (2, "Ben")):
        on.sides[number].name = name
    short = drawn(on).height
    on.sides[2].name = "W" * 24
    assert drawn(on).height > short


def test_a_picture_of_each_part() -> None:
    play = begin_game("Anna", "Ben", ground=LAND)
    window = blocks(20, 20)[3]
    seen = {
        "The map of 20 x 20 tiles": PictureRequest(state=play.state),
        f"The tiles {window.name(20)} in round 1.": PictureRequest(state=play.state, part=3),
        "The tiles ": PictureRequest(state=play.state, part=Part.ARMY, player=1),
    }
    for alt, request in seen.items():
        picture = request.run()
        assert picture.alt.startswith(alt)
        opened(picture.data)
    with pytest.raises(RuleError, match="not on the map"):
        PictureRequest(state=play.state, part=len(blocks(20, 20))).run()


def test_the_palette_has_the_color_of_every_tile() -> None:
    assert len(t.COLORS) <= 255
    assert {t.land(value, owner) for value in range(1, 7) for owner in range(9)} <= set(t.COLORS)


def test_heights_get_brighter_and_owners_differ_by_pattern_too() -> None:
    """So both can be told apart without colors."""
    levels = [contrast(color, "#000000") for color in t.TERRAIN[1:]]
    assert all(after > 1.25 * before for before, after in itertools.pairwise(levels))
    assert len(set(t.PATTERNS.values())) == len(t.PATTERNS) == 8
    assert all(
        {len(row) for row in rows} == {len(rows)} == {8} and "#" in "".join(rows) for rows in t.PATTERNS.values()
    )


def test_every_line_stands_out_from_the_ground() -> None:
    assert all(contrast(t.line_color(number), t.TERRAIN[0]) > 3.5 for number in range(1, 9))


@pytest.mark.parametrize(
    ("units", "text"), [(1, "1"), (9999, "9999"), (10_000, "10k"), (1_200_000, "1.2M"), (34 * 10**9, "34G")]
)
def test_armies_of_any_size_fit_on_a_tile(units: int, text: str) -> None:
    assert t.short_count(units) == text


ATTACK: dict[str, Any] = {
    "by": 1,
    "name": "Ann",
    "at": "A1",
    "to": "B2",
    "enemy": 2,
    "enemy_name": "Ben",
    "defenders": 9,
}


def fought(units: int, lost: int, killed: int, *, taken: bool = False, city: tuple[int, int] = (0, 0)) -> Fought:
    losses = {"attacker_loss": lost, "defender_loss": killed, "city": city[0], "city_left": city[1]}
    return Fought(**ATTACK, **losses, units=units, taken=taken)


def moved(*places: str) -> Moved:
    return Moved(by=1, name="Ann", ways=tuple((place, "C3", 7, 0) for place in places))


THRICE = (
    fought(2, 2, 3, city=(3, 3)),
    fought(1, 1, 2, city=(3, 3)),
    fought(5, 0, 4, taken=True, city=(3, 0)),
)


@pytest.mark.parametrize(
    ("events", "line"),
    [
        # Attacks on one tile are one line.
        (THRICE, "attacks B2 from A1 3 times: Ann loses 3 and Ben loses 9, the city is destroyed; Ann takes B2."),
        (
            (fought(5, 2, 4, city=(3, 3)), fought(5, 0, 0, city=(3, 1))),
            "attacks B2 from A1 twice: Ann loses 2 and Ben loses 4, the city shrinks from 3 to 1.",
        ),
        (THRICE[:1], "attacks B2 from A1: 2 against Ben's 9 units; Ann loses 2 and Ben loses 3."),
        # A victory without losses leaves them out.
        ((fought(5, 0, 9, taken=True),), "attacks B2 from A1: 5 against Ben's 9 units; Ben loses 9; Ann takes B2."),
        # Many moves are counted.
        ((moved("A1", "A2"), moved("A3")), ": 7 move A1-C3; 7 move A2-C3; 7 move A3-C3."),
        ((moved("A1", "A2"), moved("A3", "A4")), "makes 4 moves."),
    ],
)
def test_a_short_log(events: tuple[Event, ...], line: str) -> None:
    blank = " " * (not line.startswith(":"))
    assert short_log(events) == [f"  Ann{blank}{line}"]
    assert len(events) > 1 or log(events) == short_log(events)


def test_an_ai_s_own_turn_needs_no_line_of_its_own() -> None:
    turn = TurnBegan(by=1, name="Ann", round=2, made=1)
    own, instead = (Played(by=1, name="Ann", ai=AiKind.MARSHAL, instead=other) for other in (False, True))
    assert short_log((turn, own)) == ["Round 2, Ann: cities make 1 unit."]
    assert short_log((turn, instead))[1:] == ["  Marshal, an AI, plays for Ann."]


def history_of(play: Session) -> History:
    return History(play.state, [MapWar().events.read(event) for entry in play.entries for event in entry.events])


def give(play: Session, *texts: str) -> None:
    """Give the orders of one turn after the other."""
    for text in texts:
        play.act(Write(text=text), seat_of(play.state.turn))


def war(rounds: int) -> tuple[Session, int, int]:
    """Begin a war of two people on TV 3, who have 20 and 26 units; return it and their numbers in the order of play."""
    play = begin_game("Anna", "Ben", ground=terrain(3), rounds=rounds)
    first, second = play.state.order
    return play, first, second


def test_the_scores_of_each_round_are_replayed() -> None:
    play, first, second = war(3)
    scores = {first: [20], second: [26]}
    for text in (f"{first_army(play, first)} lower; end", f"{first_army(play, first)} lower; end", "end"):
        give(play, text, "end")
        for number, points in board_of(play.state).scores():
            scores[number].append(points)
    assert history_of(play).scores == scores == {first: [20, 15, 10, 10], second: [26, 26, 26, 26]}


def test_what_was_undone_never_happened() -> None:
    play, first, _ = war(1)
    give(play, f"{first_army(play, first)} raise")
    play.act(Undo(), seat_of(first))
    give(play, "end", "end")
    assert history_of(play).scores[first] == [20, 20]


def test_the_leader_for_good_and_the_biggest_loss() -> None:
    """The second is ahead by 6 until he pays 10 for a tile, in round 2."""
    play, first, second = war(4)
    give(play, "end", "end", "end", f"{first_army(play, second)} raise; end", "end", "end", "end", "end")
    history = history_of(play)
    one, other = (play.state.player(number).name for number in (first, second))
    assert history.ahead_since() == 2
    assert history.worst_blow() == (second, 2, 10)
    assert history.headline == f"{one} wins by 4 points"
    assert history.turning_points() == [
        "The winner led for good from round 2.",
        f"Round 2: {other} lost 10 points.",
    ]
    assert history.ranked == [first, second]
    assert history.alt().endswith(f"Points: {one} 20, {other} 16.")


def test_nobody_led_all_the_time_whom_another_caught_up_with_during_a_round() -> None:
    """The first draws level as his city produces in round 2, and pays 5 for his tile before the round is over."""
    play, first, second = war(2)
    home = first_army(play, first)
    give(play, f"{home} found; end", "end", f"{home} lower; end", "end")
    assert play.state.winner == second
    assert history_of(play).turning_points()[0] == "The winner led for good from round 2."


@pytest.mark.parametrize("side", [8, 16, 40])
def test_a_city_is_seen_under_its_army(side: int) -> None:
    def painted(bare: bool, **cities: tuple[int, int]) -> int:
        on = board({"C3": (1, 12)}, cities, ground=terrain(side=side))
        marks = draw_map(on, bare=bare).marks
        return sum(isinstance(mark, Shape | Fill) and mark.color == t.PLAYERS[1] for mark in marks)

    for bare in (False, True):
        assert painted(bare, C3=(1, 2)) > painted(bare)
    marks = draw_map(board({"C1": (1, 12)}, {"C1": (1, 2)}, ground=terrain(side=side))).marks
    column = next(mark for mark in marks if isinstance(mark, Text))
    assert min(mark.y for mark in marks if isinstance(mark, Shape)) >= column.y


def test_a_place_is_told_in_words() -> None:
    on = board({"C3": (1, 12), "E5": (2, 7)}, {"C3": (1, 2), "A1": (2, 1)}, ground=terrain(2, C2=6, D4=6))
    assert m.place_texts(on, 1) == [
        "C3: 12 of yours in a city of size 2, mountains north and southeast",
        "E5: 7 of P2's, mountains northwest",
        "A1: no army in a city of size 1, P2's",
    ]
    many = [f"A{at}: 12 of yours" for at in range(1, 30)]
    assert m.fitting(many, 60, 2) == [*many[:2], "and 27 more places"]
    assert m.map_lines(on)[1][1:3] == ["Row 1: 2 2 2 2 2 2 2 2", "Row 2: 2 2 6 2 2 2 2 2"]


def test_a_shared_victory_has_no_leader() -> None:
    """A city is worth the 20 units that it cost, and makes the 6 that are missing."""
    play, first, _ = war(2)
    give(play, f"{first_army(play, first)} found; end", "end", "end", "end")
    history = history_of(play)
    assert history.headline == "Anna and Ben share the victory"
    assert history.turning_points() == []


def test_the_last_one_left() -> None:
    play, first, second = war(9)
    give(play, "end")
    play.act(Resign(), seat_of(second))
    history = history_of(play)
    assert history.headline == f"{play.state.player(first).name} wins: nobody else is left"
    assert history.worst_blow() == (second, 1, 26)


def test_a_war_that_never_began_has_no_history() -> None:
    play, _, _ = war(2)
    with pytest.raises(RuleError, match="not begun"):
        History(play.state, [])


@pytest.mark.parametrize(
    ("ais", "side", "rounds"),
    [
        (("marshal", "random"), 8, 12),
        (("marshal",) * 8, 8, 12),
        (("marshal", "pillager", "random"), 16, 30),
    ],
)
def test_the_card_of_a_war(ais: tuple[str, ...], side: int, rounds: int) -> None:
    ground = None if side == 8 else Drawing(width=side, height=side).draw(SeededDice(b"b"), RULES_VERSION)
    play = begin_game(*ais, ground=ground, rounds=rounds)
    while play.outcome is None:
        play.act(GoOn(), "anyone")
    request = WarCardRequest(
        state=play.state, event_batches=tuple(canonical(list(entry.events)) for entry in play.entries)
    )
    card = pickle.loads(pickle.dumps(request)).run()
    assert card.alt == history_of(play).alt()
    opened(card.data)
    assert 0 < request.cost() < 1


@pytest.mark.parametrize(
    ("typed", "armies", "cities"),
    [
        ("12@4 vs 9@2", {0: (1, 12), 1: (2, 9), 4: (1, 5)}, {}),
        ("8@2 vs 0@5 city 3", {0: (1, 8), 1: (2, 1), 3: (1, 1)}, {1: 3, 4: 2}),
        ("40@1 vs 30@3 city 12", {0: (1, 40), 1: (2, 30), 4: (2, 4)}, {1: 9, 4: 9}),
    ],
)
def test_the_card_of_a_battle_shows_both_tiles_before_and_after(
    typed: str, armies: dict[int, tuple[int, int]], cities: dict[int, int]
) -> None:
    card = ClashCard(report=BattleRequest(clash=parse_battle(typed)).run())
    shown = card.board()
    assert {tile: (army.owner, army.units) for tile, army in shown.armies.items()} == armies
    assert {tile: city.size for tile, city in shown.cities.items()} == cities
    opened(card.draw().png())
