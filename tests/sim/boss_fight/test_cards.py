"""The cards of boss fights: a party's fight and its result, what decks do; pictures of bosses, uploaded or drawn."""

import io
import struct
import zlib
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from pydantic import ValidationError

from sim.boss_fight.best_choices import BestOrderRequest
from sim.boss_fight.cards import BattleCardRequest, best_order_card, deck_card, every_boss_card, what_if_card
from sim.boss_fight.exchange import exchange
from sim.boss_fight.fight_cards import (
    HEIGHT,
    MAX_MEMBERS_SHOWN,
    WIDTH,
    _figures,
    draw_battle,
    draw_result,
    health_row,
    portrait,
    portrait_colors,
)
from sim.boss_fight.requests import MAX_SIDE, MAX_UPLOAD, DeckSheetRequest, EveryBossRequest, PortraitRequest
from sim.boss_fight.tables import KNOWN_BOSSES
from sim.boss_fight.values import MAX_NAME, Deck, Element, Entrant
from sim.core import RuleError
from sim.core.battle import REFEREE
from sim.core.cards import Drawing, Picture, Ring, Segments
from sim.core.cards.png import drawn_picture
from sim.core.cards.theme import COLORS, ORANGE, Hatched, rgb
from sim.core.cards.values import MAX_LINE, MAX_SHEET_ROWS
from sim.core.dice import ScriptedDice
from tests.sim.boss_fight.builders import FIGHT, RUN, begin, boss, join, leave, simple, step, token, trait
from tests.sim.core.cards.looking import opened, texts_apart


def test_the_boss_s_bar_and_the_tokens_rings_show_the_health_that_is_left() -> None:
    state = step(begin(boss(1000, 25), ("Ann", simple(100, 400)), ("Ben", simple(100, 1))))
    card = draw_battle(state)
    (bar,) = (mark for mark in card.marks if isinstance(mark, Segments))
    assert [paint for _, _, paint in bar.parts] == [ORANGE, Hatched(ORANGE)]
    assert bar.parts[0][1] == pytest.approx(388 * 0.6, abs=1)
    rings = [mark for mark in card.marks if isinstance(mark, Ring)]
    assert [(ring.left, ring.lost) for ring in rings] == [(1, 0), (0.75, 0.25)], "who is next comes first"
    assert rings[0].width > rings[1].width
    assert {"\u2212400", "\u221225"} <= set(texts_apart(card))


def test_a_fight_is_told_in_words_and_nobody_has_less_than_nothing() -> None:
    state = step(begin(boss(1000, 250), ("Ann", simple(100, 400)), ("Ben", simple(400, 1)), ("Cid", simple(9))))
    state = leave(step(step(join(state, "Dee"))), 2)
    assert draw_battle(state).alt == (
        "Round 1. Troll 599 / 1,000. Dee 100 / 100, next. Ben away. Ann down. Cid down. Cid dealt 0 and took 250."
    )


def test_the_portrait_cracks_at_half_health_and_lies_at_the_end() -> None:
    foe = boss(1000, fall="Ouch.")
    states = [begin(foe, ("Ann", simple(100, 400)))]
    for at in range(3):
        states += [step(states[at])]
    shown = [
        next(mark.picture for mark in card.marks if isinstance(mark, Drawing))
        for card in (*(draw_battle(state) for state in states[:3]), draw_result(states[3]))
    ]
    assert shown == [portrait(foe), portrait(foe), portrait(foe, halved=True), portrait(foe, fallen=True)]
    drawn = draw_result(states[3])
    assert "Ouch." in texts_apart(drawn)
    assert drawn.alt.endswith("Troll: \u201cOuch.\u201d")
    lost = boss(900, 50, fall="Ouch.")
    card = draw_result(step(begin(lost, ("Ann", simple(9, 1)))))
    assert portrait(lost) in [mark.picture for mark in card.marks if isinstance(mark, Drawing)]
    assert "Ouch." not in card.alt


def test_a_finished_fight_shows_each_members_part_of_the_damage() -> None:
    state = step(step(begin(boss(1000, 50), ("Ann", simple(1000, 400)), ("Ben", simple(9, 1)))))
    card = draw_result(step(step(state)))
    assert card.alt == (
        "The party defeats Troll after 3 rounds. Ann 1,200. Ben 1, down. Ann lands the killing blow, score 1,051."
    )
    assert {"Victory!", "1,200", "1 · down"} <= set(texts_apart(card))
    first, _ = (mark for mark in card.marks if isinstance(mark, Segments))
    assert first.parts[0][1] == pytest.approx((first.box[2] - first.box[0]) * 1200 / 1201, abs=2)


def test_a_stalemate_is_told() -> None:
    card = draw_result(step(begin(boss(900), ("Ann", simple(9)))))
    assert card.alt == "Stalemate with Troll after 1 round. Ann no damage. Troll has 900 of 900 left."


def test_a_full_party_of_any_names_has_room() -> None:
    state = begin(boss(50_000, 1, name="山" * 40, element=Element.LIGHTNING), times=1000)
    for name in ("محمد", "Zoë 🐉", "山田太郎", "a.b-c", *(f"{'W' * 38}{number}" for number in range(8))):
        state = join(state, name)
    assert "50,000,000" in texts_apart(draw_battle(state)), "whole, without what it is of"
    ended = FIGHT.apply(state, RUN, REFEREE, ScriptedDice(())).state
    for shown in (step(state), ended):
        drawn = BattleCardRequest(state_json=FIGHT.states.write_json(shown)).run()
        assert opened(drawn.data).height < 800
        assert len(drawn.alt) < 1024, "Discord takes no more"
    assert f"And {12 - MAX_MEMBERS_SHOWN} more." in drawn.alt


def crowd(count: int, physical: int = 5) -> Deck:
    tokens = [token(trait(9, physical * at, 1), name=f"{'w' * (MAX_NAME - 3)}{at}") for at in range(count)]
    return Deck(tokens=tokens)


def test_an_exchange_shows_what_both_sides_lose() -> None:
    card = what_if_card(exchange(boss(1000, 25), simple(100, 400)))
    assert card.foe is not None
    (you,) = card.left.rows
    assert [(row.left, row.lost) for row in (card.foe, you)] == [pytest.approx((0.6, 0.4)), (0.75, 0.25)]
    assert card.alt() == (
        "The boss falls in 3 exchanges. One exchange. Troll 600 / 1,000. You 75 / 100. Deals 400, takes 25."
    )


def test_damage_far_beyond_all_health_is_no_float_and_no_matter() -> None:
    """An element doubles the damage once for each trait: 2 to the power of 1,200 is more than any float."""
    made = Deck(tokens=[token(*[trait(1)] * 400, element=Element.AIR, name=f"t{at}") for at in range(3)])
    card = what_if_card(exchange(boss(9, 0, 10**9, element=Element.FIRE), made))
    (you,) = card.left.rows
    assert (you.figures, you.left, you.lost) == ("down", 0, 1)
    assert len(card.draw().png()) < 30_000
    assert health_row("Deck without health", Fraction(0), 0).left == 0


def test_who_deals_how_much_stands_below_the_bars() -> None:
    card = what_if_card(exchange(boss(1000), crowd(6)))
    deals, damage = card.notes
    assert deals.startswith("Deals 81, takes 0")
    assert damage.startswith(f"Damage: {'w' * 37}5 26 · ")
    assert len(damage) == MAX_LINE
    assert opened(card.draw().png()).height == 480


def test_every_boss_shows_how_the_fight_ends() -> None:
    foes = (
        boss(1000, 0, name="Slow"),
        boss(400, 200, name="Even"),
        boss(1000, 100, name="Strong"),
        *(boss(100, name=f"Dummy {at}") for at in range(20)),
    )
    card = every_boss_card(EveryBossRequest(bosses=foes, deck=simple(100, 400)).run())
    assert card.title == "One deck against 23 bosses: 22 would fall"
    assert [row.figures for row in card.rows[:4]] == ["falls in 3", "both fall in 1", "wins in 1", "falls in 1"]
    assert [(row.left, row.lost) for row in card.rows[:2]] == [pytest.approx((0.6, 0.4)), (0, 1)]
    assert (len(card.rows), card.more) == (MAX_SHEET_ROWS, 15)
    assert opened(card.draw().png()).height <= 1000


def test_a_party_stands_in_its_best_order_with_what_is_left_of_it() -> None:
    entrants = (Entrant(name="Ann", deck=simple(50, 10)), Entrant(name="Ben", deck=simple(50, 60)))
    request = BestOrderRequest(boss=boss(100, 20), times=2, entrants=entrants)
    card = best_order_card(request, request.run())
    assert card.alt() == (
        "The party wins. After 5 exchanges. Troll × 2 defeated. 1. Ben down. 2. Ann 10 / 50. Damage: Ben 180 · Ann 20."
    )


@pytest.mark.parametrize("count", [1, 6, 7, 30])
def test_a_deck_of_any_size_has_room(count: int) -> None:
    card = deck_card(DeckSheetRequest(deck=crowd(count)).run())
    assert (len(card.rows), card.more) == (min(count, MAX_SHEET_ROWS), max(0, count - MAX_SHEET_ROWS))
    assert opened(card.draw().png()).height <= 1000


def saved(image: Image.Image, kind: str, **more: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format=kind, **more)
    return out.getvalue()


def redrawn(data: bytes) -> Image.Image:
    new = PortraitRequest(data=data).run()
    image = Image.open(io.BytesIO(new))
    assert image.format == "PNG"
    return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_pictures_of_four_kinds_come_out_as_small_png(kind: str) -> None:
    image = redrawn(saved(Image.new("RGB", (1500, 900), "#336699"), kind))
    assert image.size == (MAX_SIDE, 307)
    pixel = image.convert("RGB").getpixel((100, 100))
    assert isinstance(pixel, tuple)
    assert all(abs(a - b) < 8 for a, b in zip(pixel, (0x33, 0x66, 0x99), strict=True))


def test_nothing_beside_the_picture_is_kept() -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "SECRET")
    exif = Image.Exif()
    exif[0x010E] = "SECRET"
    for data in (
        saved(Image.new("RGB", (9, 9)), "PNG", pnginfo=text),
        saved(Image.new("RGB", (9, 9)), "JPEG", exif=exif, comment=b"SECRET"),
        saved(Image.new("RGB", (9, 9)), "PNG") + b"SECRET",
    ):
        assert b"SECRET" in data
        assert b"SECRET" not in PortraitRequest(data=data).run()


def test_of_several_frames_the_first_is_taken_and_transparency_stays() -> None:
    frames = [Image.new("RGBA", (20, 20), colour) for colour in ("red", "blue")]
    image = redrawn(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert image.convert("RGB").getpixel((5, 5)) == (255, 0, 0)
    assert redrawn(saved(Image.new("RGBA", (5, 5), (0, 0, 0, 0)), "PNG")).getpixel((0, 0)) == (0, 0, 0, 0)


def test_a_turned_photo_is_set_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    assert redrawn(saved(Image.new("RGB", (40, 20)), "JPEG", exif=exif)).size == (20, 40)


def bomb(width: int, height: int) -> bytes:
    """Make a PNG of a few bytes that says it is as large as that."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 99)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("width", "height"), [(4001, 2000), (50_000, 50_000), (2**31 - 1, 2**31 - 1)])
def test_a_decompression_bomb_is_refused_before_it_is_unpacked(width: int, height: int) -> None:
    with pytest.raises(RuleError, match=r"pixels; a PNG may have at most 8 million|can't read this file as a picture"):
        PortraitRequest(data=bomb(width, height)).run()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        bomb(10, 10),  # too few points in it
        saved(Image.new("RGB", (9, 9)), "BMP"),
        saved(Image.new("RGB", (9, 9)), "TIFF"),
        saved(Image.new("RGB", (99, 99)), "JPEG")[:300],
    ],
)
def test_what_is_no_picture_of_these_kinds_is_refused(data: bytes) -> None:
    with pytest.raises(RuleError, match="can't read this file as a picture; send a PNG, JPEG, WEBP or GIF"):
        PortraitRequest(data=data).run()


def test_a_large_file_is_refused_before_it_travels() -> None:
    with pytest.raises(ValidationError, match="at most 8388608 bytes"):
        PortraitRequest(data=b"\0" * (MAX_UPLOAD + 1))


WHOLE = [saved(Image.new("RGB", (30, 20), "red"), kind) for kind in ("PNG", "JPEG", "WEBP", "GIF")]


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=6))
def test_a_broken_file_is_a_picture_or_refused(whole: bytes, changes: list[tuple[int, int]]) -> None:
    data = bytearray(whole)
    for at, value in changes:
        data[at % len(data)] = value
    try:
        image = redrawn(bytes(data))
    except RuleError:
        return
    assert max(image.size) <= MAX_SIDE


FORGED = [boss(name=name) for name in ("Gary", "The Unspeakable Grandmother of Teeth", "龍", "Mossback II")]
POSES = tuple(product((False, True), repeat=2))


def looks(picture: Picture) -> bytes:
    return drawn_picture(picture, 130).tobytes()


def test_every_boss_on_record_has_a_portrait_of_its_own() -> None:
    known, emblems = _figures()
    assert {boss.name for boss in KNOWN_BOSSES} == {" ".join(figure.heading[:-2]) for figure in known.values()}
    assert len(emblems) == 12
    assert all(10 <= len(figure.lines) <= 60 for figure in (*known.values(), *emblems))
    faces = [looks(portrait(boss)) for boss in KNOWN_BOSSES]
    assert len(set(faces)) == len(faces)


def test_a_name_has_always_the_same_emblem() -> None:
    assert looks(portrait(boss(name="GARY"))) == looks(portrait(boss(name="Gary", health=5)))
    assert len({looks(portrait(boss(name=f"Foe {number}", element=Element.FIRE))) for number in range(200)}) == 12


def test_the_element_is_seen_in_the_colors() -> None:
    for foe in (KNOWN_BOSSES[0], FORGED[0]):
        tinted = [looks(portrait(foe.model_copy(update={"element": element}))) for element in (None, *Element)]
        assert len(set(tinted)) == 6


@pytest.mark.parametrize("foe", [*KNOWN_BOSSES, *FORGED], ids=lambda foe: foe.name)
def test_a_boss_cracks_and_lies_down(foe: object) -> None:
    assert isinstance(foe, type(FORGED[0]))
    poses = {pose: portrait(foe, halved=pose[0], fallen=pose[1]) for pose in POSES}
    assert len({looks(picture) for picture in poses.values()}) == 3, "who lies has cracked"
    for picture in poses.values():
        for stroke, _ in picture.layers[2:]:
            xs, ys = stroke.points[::2], stroke.points[1::2]
            assert -5 <= min(xs) <= max(xs) <= WIDTH + 5
            assert -5 <= min(ys) <= max(ys) <= HEIGHT + 5
    lying = [value for stroke, _ in poses[True, True].layers[2:] for value in stroke.points[1::2]]
    assert min(lying) > HEIGHT * 0.4, "there is room for its last words"


@pytest.mark.parametrize("element", [None, *Element])
def test_the_colors_of_a_portrait_fit_a_palette(element: Element | None) -> None:
    for foe in (*KNOWN_BOSSES, *FORGED):
        tinted = foe.model_copy(update={"element": element})
        colors = portrait_colors(tinted)
        assert len({*COLORS, *colors}) <= 255
        assert {rgb(color) for _, color in portrait(tinted).layers} <= set(colors)
