"""Pictures of bosses: uploaded ones made safe; a portrait of each on record, one of twelve emblems for the others."""

import io
import struct
import zlib
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from pydantic import ValidationError

from sim.boss_fight.fight_cards import HEIGHT, WIDTH, _figures, portrait, portrait_colors
from sim.boss_fight.requests import MAX_SIDE, MAX_UPLOAD, PortraitRequest
from sim.boss_fight.tables import KNOWN_BOSSES
from sim.boss_fight.values import Element
from sim.core.cards.marks import Picture
from sim.core.cards.png import drawn_picture
from sim.core.cards.theme import COLORS, rgb
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import boss


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
        for layer in picture.layers[2:]:
            xs, ys = layer.stroke.points[::2], layer.stroke.points[1::2]
            assert -5 <= min(xs) <= max(xs) <= WIDTH + 5
            assert -5 <= min(ys) <= max(ys) <= HEIGHT + 5
    lying = [value for layer in poses[True, True].layers[2:] for value in layer.stroke.points[1::2]]
    assert min(lying) > HEIGHT * 0.4, "there is room for its last words"


@pytest.mark.parametrize("element", [None, *Element])
def test_the_colors_of_a_portrait_fit_a_palette(element: Element | None) -> None:
    for foe in (*KNOWN_BOSSES, *FORGED):
        tinted = foe.model_copy(update={"element": element})
        colors = portrait_colors(tinted)
        assert len({*COLORS, *colors}) <= 255
        assert {rgb(layer.color) for layer in portrait(tinted).layers} <= set(colors)
