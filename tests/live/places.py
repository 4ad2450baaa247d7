"""Threads, forum posts and scheduled events of the small Discord, with its rules about them."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.live.world import Channel, Json, snowflake

if TYPE_CHECKING:
    from tests.live.rest import Api, Request

CREATE_THREADS, MANAGE_THREADS, SEND_IN_THREADS, READ_HISTORY = 1 << 35, 1 << 34, 1 << 38, 1 << 16
MANAGE_CHANNELS, MANAGE_MESSAGES, CREATE_EVENTS = 1 << 4, 1 << 13, 1 << 44
ALL_OF_THREADS = CREATE_THREADS | MANAGE_THREADS | SEND_IN_THREADS | READ_HISTORY
FORUM = 15
NO_PERMISSION, ARCHIVED, HAS_THREAD, UNKNOWN_EVENT = 50013, 50083, 160004, 10070
RENAMES, RENAME_SECONDS = 2, 600
SCHEDULED, ACTIVE, COMPLETED, CANCELED = 1, 2, 3, 4


class Places:
    """The part of the API that is about threads and events."""

    def __init__(self, api: "Api") -> None:
        self._api = api
        self.events: dict[int, Json] = {}
        self.routes = (
            ("GET", r"/channels/(?P<channel>\d+)", self._channel),
            ("PATCH", r"/channels/(?P<channel>\d+)", self._change),
            ("POST", r"/channels/(?P<channel>\d+)/messages/(?P<message>\d+)/threads", self._start),
            ("POST", r"/channels/(?P<channel>\d+)/threads", self._post),
            ("GET", r"/guilds/(?P<guild>\d+)/threads/active", self._active),
            ("GET", r"/guilds/(?P<guild>\d+)/scheduled-events", self._list),
            ("POST", r"/guilds/(?P<guild>\d+)/scheduled-events", self._plan),
            ("GET", r"/guilds/\d+/scheduled-events/(?P<event>\d+)", self._event),
            ("PATCH", r"/guilds/\d+/scheduled-events/(?P<event>\d+)", self._move),
            ("DELETE", r"/guilds/\d+/scheduled-events/(?P<event>\d+)", self._cancel),
        )

    def threads(self, parent: Channel) -> list[Channel]:
        """Return the threads of a channel, or the posts of a forum, in order."""
        return [one for one in self._api.channels.values() if one.parent_id == parent.id]

    def may(self, permission: int) -> None:
        """Refuse the bot what it has no permission for."""
        if not self._api.app.permissions & permission:
            raise self._api.refusal(403, NO_PERMISSION, "Missing Permissions")

    def wake(self, channel: Channel, *, sending: bool) -> None:
        """Let a message in an archived thread be sent, which wakes it up, or be changed, which can't be."""
        if channel.archived and (not sending or channel.locked):
            raise self._api.refusal(400, ARCHIVED, "Thread is archived")
        channel.archived = False

    async def _channel(self, _request: "Request", channel: str) -> Json:
        return self._api.channel(channel).json()

    async def _change(self, request: "Request", channel: str) -> Json:
        found, body = self._api.channel(channel), request.body
        if "available_tags" in body:
            self.may(MANAGE_CHANNELS)
            found.tags = [{"id": str(snowflake())} | tag for tag in body["available_tags"]]
            return found.json()
        with self._api.checked(request):
            assert found.parent_id is not None
            assert body.keys() <= {"name", "archived", "locked", "applied_tags"}
            assert 1 <= len(body.get("name", "x")) <= 100
        if found.archived and body.get("archived") is not False:
            raise self._api.refusal(400, ARCHIVED, "Thread is archived")
        if "locked" in body or found.locked:
            self.may(MANAGE_THREADS)
        if "name" in body:
            now = self._api.clock()
            found.renamed = [*(at for at in found.renamed if now - at < RENAME_SECONDS), now]
            with self._api.checked(request):
                assert len(found.renamed) <= RENAMES
        for name in ("name", "archived", "locked"):
            setattr(found, name, body.get(name, getattr(found, name)))
        found.applied = body.get("applied_tags", found.applied)
        return found.json()

    async def _start(self, request: "Request", channel: str, message: str) -> Json:
        parent, starter = self._api.channel(channel), self._api.message(message)
        self.may(CREATE_THREADS)
        with self._api.checked(request):
            assert starter.channel is parent
            assert parent.parent_id is None
        if starter.id in self._api.channels:
            raise self._api.refusal(400, HAS_THREAD, "A thread has already been created for this message")
        return self._open(request, parent, starter.id).json()

    async def _post(self, request: "Request", channel: str) -> Json:
        forum = self._api.channel(channel)
        self.may(SEND_IN_THREADS)
        with self._api.checked(request):
            assert forum.kind == FORUM
            assert {*request.body.get("applied_tags", ())} <= {tag["id"] for tag in forum.tags}
        post = self._open(request, forum, snowflake())
        post.applied = request.body.get("applied_tags", [])
        message = self._api.write(request, request.body["message"], post, None)
        self._api.messages[post.id] = self._api.messages.pop(message.id)  # both have one id
        message.id = post.id
        return post.json() | {"message": message.json()}

    def _open(self, request: "Request", parent: Channel, number: int) -> Channel:
        with self._api.checked(request):
            assert 1 <= len(request.body["name"]) <= 100
            assert request.body["auto_archive_duration"] in {60, 1440, 4320, 10080}
        thread = Channel(request.body["name"], parent.guild_id, parent_id=parent.id, id=number)
        self._api.channels[number] = thread
        return thread

    async def _active(self, _request: "Request", guild: str) -> Json:
        found = [one for one in self._api.channels.values() if one.parent_id and str(one.guild_id) == guild]
        owner = {"owner_id": str(self._api.app.id)}
        return {"threads": [one.json() | owner for one in found if not one.archived], "members": []}

    async def _list(self, _request: "Request", guild: str) -> list[Json]:
        return [event for event in self.events.values() if event["guild_id"] == guild]

    async def _plan(self, request: "Request", guild: str) -> Json:
        self.may(CREATE_EVENTS)
        given: dict[str, Any] = {"id": str(snowflake()), "guild_id": guild, "creator_id": str(self._api.app.id)}
        event = given | {"status": SCHEDULED, "channel_id": None, "entity_id": None} | request.body
        self._check(request, event)
        self.events[int(event["id"])] = event
        return event

    async def _event(self, _request: "Request", event: str) -> Json:
        found = self.events.get(int(event))
        if found is None or found["status"] in {COMPLETED, CANCELED}:
            raise self._api.refusal(404, UNKNOWN_EVENT, "Unknown Guild Scheduled Event")
        return found

    async def _move(self, request: "Request", event: str) -> Json:
        self.may(CREATE_EVENTS)
        found = await self._event(request, event)
        if "status" in request.body:
            assert (found["status"], request.body["status"]) == (ACTIVE, COMPLETED)
        else:
            assert found["status"] == SCHEDULED
            self._check(request, found | request.body)
        found |= request.body
        return found

    async def _cancel(self, request: "Request", event: str) -> None:
        self.may(CREATE_EVENTS)
        await self._event(request, event)
        del self.events[int(event)]

    def _check(self, request: "Request", event: Json) -> None:
        with self._api.checked(request):
            start, end = (datetime.fromisoformat(event[f"scheduled_{which}_time"]) for which in ("start", "end"))
            assert datetime.now(UTC) < start < end
            assert 1 <= len(event["name"]) <= 100
            assert 1 <= len(event["description"]) <= 1000
            assert 1 <= len(event["entity_metadata"]["location"]) <= 100
            assert (event["entity_type"], event["privacy_level"], event["channel_id"]) == (3, 2, None)
