"""The application's emojis: their pictures, and how texts get them."""

import io
import json
import re
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from PIL import Image

from bot.game import Games
from bot.ui.emojis import Emojis
from bot.ui.text import IconWriter, shorten, utf16_length
from sim.core.cards.stickers import SIDE, StickerRequest, icon, without_icons

NAMES = ("tank", "fire")


@pytest.fixture
def emojis() -> Emojis:
    found = Emojis(SimpleNamespace())  # type: ignore[arg-type]  # it only reads and uploads by the client
    vars(found)["_known"] = {name: discord.PartialEmoji(name=f"{name}_0a1b", id=10**18) for name in NAMES}
    return found


def text(words: str) -> dict[str, Any]:
    return {"type": 10, "content": words}


def test_every_picture_is_square_light_and_of_its_own() -> None:
    stickers = Games.discover().emojis
    pictures = [StickerRequest(sticker=sticker).run() for sticker in stickers.values()]
    assert len(set(pictures)) == len(stickers)
    assert max(map(len, pictures)) < 10_000
    assert all(re.fullmatch(r"[a-z0-9_]{2,27}", name) for name in stickers), "five more for the edition"
    for picture in pictures:
        image = Image.open(io.BytesIO(picture))
        assert (image.mode, image.size) == ("RGBA", (SIDE, SIDE))
        assert image.getpixel((0, 0))[3] == 0  # type: ignore[index]  # RGBA has four bands
        assert image.getpixel((SIDE // 2, SIDE // 2)) is not None


def test_icons_become_emojis_in_texts_and_on_buttons_and_words_elsewhere(emojis: Emojis) -> None:
    said = f"**{icon('tank')}6 tanks**, {icon('fire', '🔥')} Fire, {icon('none')}x, {icon('none', '⚪')} None"
    body = {
        "components": [
            text(said),
            {"type": 2, "label": said, "emoji": {"id": None, "name": icon("fire", "🔥")}},
            {"type": 2, "label": "a", "emoji": {"id": None, "name": icon("none", "⚪")}},
            {"type": 2, "label": "b", "emoji": {"id": None, "name": icon("none")}},
        ]
    }
    words = "**6 tanks**, 🔥 Fire, x, ⚪ None"
    options = {"payload": body, "multipart": [{"name": "payload_json", "value": json.dumps(body)}]}
    dressed, plainly = emojis.dress(options), IconWriter().dress(options)
    assert json.loads(plainly["multipart"][0]["value"])["components"][0]["content"] == words
    shown, known, standing, without = dressed["payload"]["components"]
    assert shown["content"] == f"**<:tank_0a1b:{10**18}> 6 tanks**, <:fire_0a1b:{10**18}> Fire, x, ⚪ None"
    assert (known["label"], known["emoji"]) == (words, {"id": str(10**18), "name": "fire_0a1b"})
    assert standing["emoji"]["name"] == "⚪"
    assert "emoji" not in without
    assert json.loads(dressed["multipart"][0]["value"]) == dressed["payload"]
    assert without_icons(said) == words
    assert utf16_length(said) == utf16_length(words)
    assert shorten(said, 9) == shorten(words, 9)


@pytest.mark.parametrize(("room", "tank", "fire"), [(100, True, True), (40, True, False), (5, False, False)])
def test_emojis_that_would_not_fit_are_left_out(emojis: Emojis, room: int, tank: bool, fire: bool) -> None:
    words = f"{icon('tank')}6{icon('fire', '🔥')}"
    body = {"components": [text(words), text("x" * (4000 - 3 - room))]}
    shown = emojis.dress({"json": body})["json"]["components"][0]
    assert ("<:tank" in shown["content"], "<:fire" in shown["content"]) == (tank, fire)
    assert without_icons(shown["content"]) == shown["content"]
