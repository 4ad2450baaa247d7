"""The emojis of the application in the little Discord, with Discord's limits."""

import base64
import re
import struct
from typing import TYPE_CHECKING

from tests.live.world import Json, User, snowflake

if TYPE_CHECKING:
    from tests.live.rest import Api, Request

MOST = 2000
MAX_BYTES = 256 * 1024
TOO_MANY, UNKNOWN, INVALID = 30008, 10014, 50035


class Emojis:
    """The emojis by their ids."""

    def __init__(self, api: "Api") -> None:
        self.all: dict[int, Json] = {}
        self.most = MOST
        self._api = api
        base = r"/applications/\d+/emojis"
        self.routes = (
            ("GET", base, self._list),
            ("POST", base, self._create),
            ("DELETE", base + r"/(?P<emoji>\d+)", self._delete),
        )

    def add(self, name: str, by: User) -> Json:
        """Let a member of the team, or the bot, upload one."""
        number = snowflake()
        self.all[number] = {"id": str(number), "name": name, "user": by.json(), "roles": [], "animated": False}
        return self.all[number]

    @property
    def names(self) -> list[str]:
        return sorted(emoji["name"] for emoji in self.all.values())

    async def _list(self, _request: "Request") -> Json:
        return {"items": [*self.all.values()]}

    async def _create(self, request: "Request") -> Json:
        name, (kind, data) = request.body["name"], request.body["image"].split(",")
        if len(self.all) >= self.most:
            raise self._api.refusal(400, TOO_MANY, "Maximum number of emojis reached")
        picture = base64.b64decode(data)
        with self._api.checked(request):
            assert re.fullmatch(r"[A-Za-z0-9_]{2,32}", name)
            assert kind == "data:image/png;base64"
            assert len(picture) <= MAX_BYTES
            assert struct.unpack(">II", picture[16:24]) == (128, 128)
        if name in self.names:
            raise self._api.refusal(400, INVALID, "name: this one is taken")
        return self.add(name, self._api.app)

    async def _delete(self, _request: "Request", emoji: str) -> None:
        if self.all.pop(int(emoji), None) is None:
            raise self._api.refusal(404, UNKNOWN, "Unknown Emoji")
