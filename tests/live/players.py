"""People who type commands, press buttons, choose from lists and fill in forms, as Discord's own client lets them."""

import re
from typing import TYPE_CHECKING, Any

from tests.bot import payloads
from tests.live.world import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, Channel, Exchange, Json, Message, User, label

if TYPE_CHECKING:
    from tests.live.discord_server import LittleDiscord

SUBCOMMANDS = {1, 2}
STRING, INTEGER, BOOLEAN, USER, NUMBER, ATTACHMENT = 3, 4, 5, 6, 10, 11
_TYPES: dict[int, type | tuple[type, ...]] = {STRING: str, INTEGER: int, BOOLEAN: bool, NUMBER: (int, float)}
FILE_UPLOAD = 19

File = tuple[str, bytes]
Value = "str | float | bool | File | Player"


class Player:
    """Somebody in a channel. Every deed waits for the answer unless `wait` is False."""

    def __init__(self, discord: "LittleDiscord", user: User, channel: Channel) -> None:
        self._discord = discord
        self.user = user
        self.channel = channel

    def at(self, channel: Channel) -> "Player":
        """Return the same person in another channel."""
        return Player(self._discord, self.user, channel)

    async def slash(self, command: str, *, wait: bool = True, **options: Any) -> Exchange:  # noqa: ANN401  # Value
        """Type a command such as "aa battle"; an option is a text, a number, a file or a player."""
        definition = self._command(command)
        data = self._command_data(command, definition, options)
        missing = [one["name"] for one in definition.get("options", ()) if one.get("required")]
        assert set(missing) <= options.keys(), f"/{command} needs {missing}"
        return await self._send(Exchange(COMMAND, self.user, self.channel, data), wait=wait)

    async def complete(self, command: str, focused: str, **options: Any) -> list[str]:  # noqa: ANN401  # Value
        """Type into an option, and return what is suggested."""
        data = self._command_data(command, self._command(command), options, focused)
        exchange = await self._send(Exchange(AUTOCOMPLETE, self.user, self.channel, data), wait=True)
        assert exchange.response is not None
        return [choice["value"] for choice in exchange.response["data"]["choices"]]

    async def press(self, message: Message, button: str, *, wait: bool = True) -> Exchange:
        """Press the button with this label or emoji."""
        found = [
            node
            for node in message.components
            if node["type"] == payloads.BUTTON and label(node) == button and not node.get("disabled")
        ]
        assert len(found) == 1, f"{button!r} is not one of {message.buttons}"
        return await self.press_id(message, found[0]["custom_id"], wait=wait)

    async def press_id(self, message: Message, custom_id: str, *, wait: bool = True) -> Exchange:
        """Press a button by its id, even one that the message no longer has."""
        data = {"custom_id": custom_id, "component_type": payloads.BUTTON, "id": 1}
        return await self._send(Exchange(COMPONENT, self.user, self.channel, data, pressed=message), wait=wait)

    async def choose(self, message: Message, *values: str, wait: bool = True) -> Exchange:
        """Choose from the list that has these values."""
        lists = [node for node in message.components if node["type"] == payloads.SELECT]
        (chosen,) = [one for one in lists if set(values) <= {option["value"] for option in one["options"]}]
        data = {"custom_id": chosen["custom_id"], "component_type": payloads.SELECT, "values": list(values), "id": 1}
        return await self._send(Exchange(COMPONENT, self.user, self.channel, data, pressed=message), wait=wait)

    async def submit(self, opened: Exchange, *, wait: bool = True, **values: "str | File") -> Exchange:
        """Send the form that an exchange opened; fields without a value keep what stood in them."""
        form = opened.form
        attachments: Json = {}
        fields = [node["component"] for node in form["components"]]
        assert values.keys() <= {field["custom_id"] for field in fields}, [field["custom_id"] for field in fields]
        filled = []
        for number, field in enumerate(fields, 1):
            value: Any = values.get(field["custom_id"])
            entry = {"type": field["type"], "custom_id": field["custom_id"], "id": 2 * number}
            if field["type"] == payloads.TEXT_INPUT:
                entry["value"] = field.get("value") or "" if value is None else value
                assert len(entry["value"]) <= field.get("max_length", 4000)
            elif field["type"] == FILE_UPLOAD:
                attachments |= {} if value is None else self._attach(value)
                entry["values"] = [] if value is None else list(attachments)
            else:
                preset = [option["value"] for option in field["options"] if option.get("default")]
                entry["values"] = preset if value is None else [value]
            filled.append({"type": payloads.LABEL, "id": 2 * number - 1, "component": entry})
        data = {"custom_id": form["custom_id"], "components": filled, "resolved": {"attachments": attachments}}
        return await self._send(Exchange(MODAL, self.user, self.channel, data, pressed=opened.pressed), wait=wait)

    async def _send(self, exchange: Exchange, *, wait: bool) -> Exchange:
        await self._discord.send(exchange)
        if wait:
            await self._discord.until(lambda: exchange.ended)
        return exchange

    def _command(self, command: str) -> Json:
        """Return the definition of a command, or of the part of it that is meant."""
        definition: Json = {"options": self._discord.api.commands[""]}
        for name in command.split():
            (definition,) = [one for one in definition["options"] if one["name"] == name]
        return definition

    def _command_data(self, command: str, definition: Json, given: Json, focused: str | None = None) -> Json:
        resolved: Json = {"users": {}, "members": {}, "attachments": {}}
        known = {option["name"]: option for option in definition.get("options", ())}
        options = []
        for name, value in given.items():
            option = known[name]
            entry = {"name": name, "type": option["type"], "value": self._resolve(option, value, resolved)}
            options.append(entry | ({"focused": True} if name == focused else {}))
        first, *rest = command.split()
        for depth, name in reversed(list(enumerate(rest, 1))):
            options = [{"name": name, "type": 1 if depth == len(rest) else 2, "options": options}]
        return {"id": "1", "name": first, "type": 1, "options": options, "resolved": resolved}

    def _resolve(self, option: Json, value: Any, resolved: Json) -> object:  # noqa: ANN401  # Value
        """Return an option's value as Discord writes it; what it stands for goes into `resolved`."""
        if isinstance(value, Player):
            assert option["type"] == USER
            resolved["users"][str(value.user.id)] = value.user.json()
            member = value.user.member_json(permissions=True)
            resolved["members"][str(value.user.id)] = {part: member[part] for part in member if part != "user"}
            return str(value.user.id)
        if isinstance(value, tuple):
            assert option["type"] == ATTACHMENT
            attached = self._attach(value)
            resolved["attachments"] |= attached
            return next(iter(attached))
        assert isinstance(value, _TYPES[option["type"]]), (option["name"], value)
        choices = [choice["value"] for choice in option.get("choices") or ()]
        assert not choices or value in choices, choices
        return value

    def _attach(self, file: File) -> Json:
        name, data = file
        stored = self._discord.api.keep(re.sub(r"[^\w.-]", "_", name), data)
        return {str(stored.id): stored.json()}
