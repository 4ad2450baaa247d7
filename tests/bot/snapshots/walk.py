"""Takes the steps of a scene in a simulated Discord, and writes down all that it shows: messages, forms, files."""

import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from discord import AppCommandOptionType as Kind
from discord.app_commands import Command
from simcord import InteractionResult, MemberActor, ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.rosters import RosterRepository
from bot.store.database import Database
from sim import __version__
from tests.bot import payloads
from tests.bot.battles.fights import stranger, the_bot
from tests.bot.conftest import HOUSE, Table, chosen
from tests.bot.games.boss_fight.boss_fights import BOSSES
from tests.bot.games.duel.duels import SIDES
from tests.bot.games.mad_killer_agents.wars import FLAT
from tests.bot.payloads import BUTTON, RADIO, SELECT, TEXT_INPUT, components
from tests.sim.marked_for_death.builders import ORCS, RIDERS
from tests.tables import kept_texts

Form = Mapping[str, Any]
"""What to put into a form's fields by their ids; a field that isn't named keeps what stands in it."""

ROWS = {
    "stored queries": "SELECT kind, request FROM calculations ORDER BY rowid",
    "journals": "SELECT * FROM journal ORDER BY battle_id, n",
    "results": "SELECT * FROM results ORDER BY 1",
    "battles": "SELECT number, status, version, steps, panels_retired FROM battles ORDER BY id",
    "campaigns": "SELECT n, battle_id, text, muster, veterans, sums, deeds FROM campaign_rows ORDER BY campaign_id, n",
    "seats": "SELECT * FROM result_seats ORDER BY 1, 2",
    "dice": "SELECT * FROM dice_luck ORDER BY 1, 2, 3, 4",
}
"""The rows that a scene may write down, by their headings."""

FILES = {
    **{name: text.encode() for name, text in kept_texts(__file__, "files").items()},
    "Heroes.csv": RIDERS.encode(),
    "Villains.csv": ORCS.encode(),
    "Heroes-final.csv": RIDERS.replace("7001,", "7002,").encode(),
    "odd.csv": f"{RIDERS}<@1> **x**,1000,,-2,,,Nobody,,,,,\n".encode(),
    "More.csv": f"{ORCS}Troll,9000,,,,,,,\n".encode(),
    "Groups.csv": SIDES,
    "bosses.csv": BOSSES.encode(),
    "others.csv": BOSSES.replace("Water,400", "Fire,999").replace("100,3000", "1,1").encode(),
    "a.png": b"",
    "map.csv": FLAT.encode(),
    "our_land.csv": FLAT.encode(),
    "fleet.txt": b"\xef\xbb\xbf6 tanks\r\nvs 10 inf\r\n",
    "army.xlsx": b"PK\x03\x04\xff\xfe",
    "large.xlsx": b"x" * (256 * 1024 + 1),
}
"""The files that people attach, by their names; most stand in walk.toml."""

_VERSION = re.compile(re.escape(__version__) + r"[+.0-9a-z]*")
_SNOWFLAKE = re.compile(r"\b\d{15,20}\b")
_FLOAT = re.compile(r"\d+\.\d{10,}(?:e-?\d+)?")
"""A number as a computer writes it: its last digits are not the same on every machine."""

_READABLE = (".csv", ".json", ".jsonl", ".txt", ".md")
_LONG = 3000
"""Characters of a file or a stored text that are written down; of the rest a hash."""


class Walk:
    """A walk at a table; `lines` grow with everything that changes on the screens of its people."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lines: list[str] = []
        self._people: dict[str, Any] = {"ann": table.ann, "ben": table.ben}
        self._named: dict[str, ResponseMessage] = {}
        self._last: ResponseMessage | None = None
        self._messages: dict[int, ResponseMessage] = {}
        self._forms: list[Form] = []
        self._seen: dict[int, list[str]] = {}
        self._ids: dict[str, str] = {str(table.ann.id): "ann", str(table.ben.id): "ben"}

    async def go(self, script: str) -> None:
        """Take the steps of a scene, and write them down with all that is seen after each."""
        for line in script.splitlines():
            if line.startswith("== ") and line[3:] in ROWS:
                await self.dump(line[3:], ROWS[line[3:]])
            elif line.startswith(("> ", "# ")):
                self.lines += ["", line]
            if line.startswith("> "):
                await self._step(line[2:])

    async def _step(self, line: str) -> None:
        step, _, name = line.partition(" → ")
        taken = [(match, take) for pattern, take in _STEPS if (match := re.fullmatch(pattern, step))]
        assert taken, f"no step: {line}"
        match, take = taken[0]
        self._last = await take(self, *match.groups())
        if name:
            assert self._last is not None, line
            self._named[name] = self._last

    async def _type(self, name: str, channel: str | None, typed: str) -> ResponseMessage | None:
        actor, guild = self._person(name), self.table.ann.guild
        where = guild.create_text_channel(channel) if channel else self.table.channel
        command = self._command(typed)
        result = await actor.slash(where, command.qualified_name, **self.options(command, typed))
        result = await self._after(result, actor)
        return result.response or next(reversed(result.followups), None)

    def _command(self, typed: str) -> Command[Any, Any, Any]:
        """Return the command that a line begins with."""
        commands = (each for each in self.table.bot.tree.walk_commands() if isinstance(each, Command))
        (found,) = [each for each in commands if f"{typed} ".startswith(f"{each.qualified_name} ")]
        return found

    def options(self, command: Command[Any, Any, Any], typed: str) -> dict[str, Any]:
        """Return the options that stand behind a command's name, as simcord takes them."""
        kinds = {option.display_name: option.type for option in command.parameters}
        _, *pairs = re.split(rf" ({'|'.join(kinds)}):", typed.removeprefix(command.qualified_name))
        return {name: self._value(kinds[name], text) for name, text in zip(pairs[::2], pairs[1::2], strict=True)}

    def _value(self, kind: Kind, text: str) -> Any:  # noqa: ANN401  # options are of all kinds
        """Return an option's value as simcord takes it."""
        match kind:
            case Kind.user:
                return self._person(text.removeprefix("@"))
            case Kind.attachment:
                return text, FILES[text]
            case Kind.boolean:
                return text == "True"
            case Kind.integer | Kind.number:
                return (int if kind is Kind.integer else float)(text)
            case _:
                return text.replace("\\n", "\n")

    def _person(self, name: str) -> Any:  # noqa: ANN401  # a member, or the bot
        """Return who has a name; the judge, who may manage messages, and zoe come when they are first named."""
        if name not in self._people:
            permissions = {"manage_messages": True} if name == "judge" else {}
            self._people[name] = the_bot(self.table) if name == "TestBot" else stranger(self.table, **permissions)
        return self._people[name]

    async def _offer(self, name: str, option: str, typed: str, line: str) -> None:
        command = self._command(line)
        others = self.options(command, line)
        actor = self._person(name)
        found = await actor.autocomplete(self.table.channel, command.qualified_name, option, typed, **others)
        self.lines += [f"  {choice['name']} = {choice['value']}" for choice in found]

    async def _press(self, name: str, what: str, on: str | None) -> ResponseMessage | None:
        message = self._named[on] if on else self._newest(what)
        return await self._use(message, next(node for node in _handles(message) if what in _names(node)), name, what)

    def _newest(self, what: str) -> ResponseMessage:
        """Return the newest message with a button, or an entry of a list, that is called so."""
        found = [
            number for number, each in self._messages.items() if any(what in _names(node) for node in _handles(each))
        ]
        assert found, f"no message has {what!r}"
        return self._messages[max(found)]

    async def _use(
        self, message: ResponseMessage, node: Mapping[str, Any], name: str, entry: str
    ) -> ResponseMessage | None:
        actor = self._person(name)
        if node["type"] == SELECT:
            value = next(each["value"] for each in node["options"] if each["label"] == entry)
            result = await actor.select(message, [value], custom_id=node["custom_id"])
        else:
            result = await actor.click(message, custom_id=node["custom_id"])
        return (await self._after(result, actor)).response

    async def _try(self, message: ResponseMessage, node: Mapping[str, Any], name: str) -> None:
        """Press a button, or choose the first entry of a list that isn't chosen, as a part of a step."""
        what = _name(node)
        if node["type"] == SELECT:
            what = next((each for each in node["options"] if not each.get("default")), node["options"][0])["label"]
        self.lines += ["", f">> {name} presses {what}"]
        await self._use(message, node, name, what)

    def _message(self, on: str | None) -> ResponseMessage:
        message = self._named[on] if on else self._last
        assert message is not None
        return message

    async def _explore(self, name: str, on: str | None) -> None:
        """Press all that can be pressed on a message, once each, as long as it is there."""
        message = self._message(on)
        for wanted in [_name(node) for node in _handles(message)]:
            if node := next((node for node in _handles(message) if _name(node) == wanted), None):
                await self._try(message, node, name)

    async def _turn(self, name: str, on: str | None) -> None:
        """Turn to every page after the one that is shown."""
        message = self._message(on)
        while node := next((node for node in _handles(message) if _name(node) == "Next"), None):
            await self._try(message, node, name)

    async def _play(self, names: str, steps: str, on: str | None) -> None:
        """Play a battle: the players in turn press what they pressed least, until nothing is left to press."""
        message, people = self._message(on), names.split(" and ")
        pressed: Counter[tuple[str, str]] = Counter()
        for step in range(int(steps)):
            who = people[step % len(people)]
            nodes = [node for node in _handles(message) if HOUSE.match(node["custom_id"]) is None]
            if not nodes:
                return
            node = min(nodes, key=lambda each: pressed[who, _kind(each)])
            pressed[who, _kind(node)] += 1
            await self._try(message, node, who)

    async def _next_form(self, values: str) -> None:
        """Put these values into the fields of the next form that has them all."""
        self._forms.append(json.loads(values))

    async def _wait(self, seconds: str) -> None:
        """Let time go by, and let the bot look at the clocks of battles."""
        self.table.clock.now += float(seconds)
        again = await self.table.bot.services[MaintenanceTasks].tick()
        await self._write_changes()
        self.lines.append(f"  the next look is in {again} seconds")

    async def _clear(self, days: str) -> None:
        """Let days go by, and let the bot close what is idle and forget what is old."""
        self.table.clock.pass_days(float(days))
        await self.table.bot.services[MaintenanceTasks].clear()
        await self._write_changes()

    async def _restart(self) -> None:
        await self.table.restart()

    async def _settle(self) -> None:
        """Wait until all who listen have heard of the battles that ended."""
        await self.table.settled()

    async def _keep(self, name: str, kind: str, roster: str, content: str) -> None:
        """Keep a roster that no command would take, as those of other versions of the bot."""
        await self.table.bot.services[RosterRepository].save(self._person(name).id, kind, roster, content.encode())

    async def dump(self, title: str, sql: str) -> None:
        """Write down rows of the database."""
        self.lines += ["", f"== {title}"]
        for row in await self.table.bot.services[Database].fetch_all(sql):
            self.lines.append(" | ".join(_short(_sorted(str(value))) for value in row))

    async def _after(self, result: InteractionResult, actor: MemberActor) -> InteractionResult:
        """Write down what has changed, and fill in a form that opened; return what answered last."""
        await self._write_changes()
        if result.modal is not None:
            self.lines += [f"  form {result.modal['title']!r} {result.modal['custom_id']}"]
            self.lines += [f"    {line}" for line in _tree(result.modal["components"])]
            filled = self._filled(result)
            if filled is not None:
                self.lines.append(f">> {actor.name} sends {json.dumps(filled, ensure_ascii=False)}")
                given = {name: self._given(value) for name, value in filled.items()}
                return await self._after(await actor.submit_modal(result, chosen(result, given)), actor)
        return result

    def _given(self, value: str | list[str]) -> Any:  # noqa: ANN401  # people, or values
        """Return a field's value as simcord takes it."""
        if isinstance(value, str) and value in FILES:
            return value, FILES[value]
        people = isinstance(value, list) and value[:1] and value[0].startswith("@")
        return [self._person(name.removeprefix("@")) for name in value] if people else value

    def _filled(self, result: InteractionResult) -> Form | None:
        """Return the next prepared values that fit a form, or what stands in it; None if it lacks something."""
        assert result.modal is not None
        fields = {node["custom_id"]: node for node in components(result.modal["components"]) if "custom_id" in node}
        found = next((form for form in self._forms if form.keys() <= fields.keys()), None)
        if found is not None:
            self._forms.remove(found)
        filled: dict[str, Any] = {}
        for name, field in fields.items():
            if found is not None and name in found:
                filled[name] = found[name]
            elif field["type"] == TEXT_INPUT:
                filled[name] = field.get("value") or ""
                if field.get("required", True) and not filled[name]:
                    return None
            elif field["type"] in {SELECT, RADIO} and field.get("required", True):
                chosen = [entry["value"] for entry in field["options"] if entry.get("default")]
                chosen = chosen or [field["options"][0]["value"]]
                filled[name] = chosen[0] if field["type"] == RADIO else chosen
        return filled

    async def _write_changes(self) -> None:
        """Write down the messages that are new or changed since the last time."""
        stored = self.table.env.backend.messages
        for message in sorted((each for inside in stored.values() for each in inside.values()), key=lambda one: one.id):
            shown = self._messages[message.id] = ResponseMessage(self.table.env, message)
            lines = [line async for line in _message(shown)]
            if self._seen.get(message.id) != lines:
                what = "message" if message.id not in self._seen else "now"
                self._seen[message.id] = lines
                self.lines.append(f"  {what} {message.id}{' (private)' if shown.ephemeral else ''}")
                self.lines += [f"    {line}" for line in lines]

    @property
    def text(self) -> str:
        """All lines, with the long ids of messages and people by their order, and without the version."""

        def name(found: re.Match[str]) -> str:
            return self._ids.setdefault(found[0], f"id{len(self._ids)}")

        text = "\n".join(self.lines).strip() + "\n"
        return _SNOWFLAKE.sub(name, _VERSION.sub("VERSION", text))


async def _message(message: ResponseMessage) -> AsyncIterator[str]:
    for line in message.content.splitlines():
        yield line
    for line in _tree(message.components):
        yield line
    for attached in message.attachments:
        data = await attached.read()
        if attached.filename.endswith(_READABLE):
            text = _FLOAT.sub(lambda found: f"{float(found[0]):.9g}", data.decode())
            yield f"file {attached.filename}"
            for line in (text if len(text) <= _LONG else _short(text)).splitlines():
                yield f"  | {line}"
        else:
            inside = zipfile.ZipFile(io.BytesIO(data)).namelist() if attached.filename.endswith(".zip") else ["binary"]
            yield f"file {attached.filename} ({', '.join(inside)})"


def _tree(nodes: Iterable[Mapping[str, Any]], depth: int = 0) -> Iterator[str]:
    for node in nodes:
        lines = _node(node)
        yield from ("  " * depth + line for line in lines)
        inside = [*node.get("components", ()), *(node[part] for part in ("component", "accessory") if part in node)]
        yield from _tree(inside, depth + bool(lines))


def _node(node: Mapping[str, Any]) -> list[str]:
    match node["type"]:
        case payloads.TEXT:
            return str(node["content"]).splitlines()
        case payloads.BUTTON:
            link = node.get("custom_id") or node.get("url")
            lines = [f"[{_name(node)}] {link} style {node['style']}{' disabled' * bool(node.get('disabled'))}"]
        case payloads.SELECT | payloads.RADIO | payloads.BOXES as kind:
            entries = [_with(entry, "label", "value", "description", "default") for entry in node["options"]]
            shown = _with(node, "custom_id", "placeholder", "min_values", "max_values", "required")
            lines = [f"{'list' if kind == payloads.SELECT else 'choice'} {shown}", *entries]
        case payloads.TEXT_INPUT:
            keys = ("custom_id", "style", "value", "placeholder", "required", "min_length", "max_length")
            lines = [f"text {_with(node, *keys)}"]
        case payloads.LABEL:
            lines = [f"field {_with(node, 'label', 'description')}"]
        case payloads.GALLERY:
            lines = [f"picture: {item.get('description')}" for item in node["items"]]
        case payloads.THUMBNAIL:
            lines = [f"thumbnail: {node.get('description')}"]
        case payloads.ACTION_ROW | payloads.CONTAINER | payloads.SECTION:
            lines = []
        case _:
            lines = [_with(node, "type", "custom_id", "label", "required", "min_values", "max_values")]
    return lines


def _with(node: Mapping[str, Any], *keys: str) -> str:
    return json.dumps({key: node[key] for key in keys if node.get(key) is not None}, ensure_ascii=False)


def _handles(message: ResponseMessage) -> list[dict[str, Any]]:
    return [
        node
        for node in components(message.components)
        if node["type"] in {BUTTON, SELECT} and "custom_id" in node and not node.get("disabled")
    ]


def _name(node: Mapping[str, Any]) -> str:
    return str(node.get("label") or node.get("placeholder") or (node.get("emoji") or {}).get("name"))


def _names(node: Mapping[str, Any]) -> list[str]:
    """Return what a step may call a button, or the entries of a list."""
    return [entry["label"] for entry in node["options"]] if node["type"] == SELECT else [_name(node), node["custom_id"]]


def _kind(node: Mapping[str, Any]) -> str:
    return re.sub(r"\d+", "#", _name(node))


def _sorted(text: str) -> str:
    """Return JSON with its keys in order, which says nothing where it is stored."""
    return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False) if text.startswith("{") else text


def _short(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return f"{text[:_LONG]}… {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"


_ON = r"(?: on ([A-Z]))?"
_STEPS: tuple[tuple[str, Callable[..., Awaitable[ResponseMessage | None]]], ...] = (
    (r"(\w+)(?: in (\w+))?: /(.+)", Walk._type),
    (r"(\w+) types (\w+):(.*) of /(.+)", Walk._offer),
    (rf"(\w+) presses everything{_ON}", Walk._explore),
    (rf"(\w+) turns the pages{_ON}", Walk._turn),
    (rf"([\w ]+) plays? (\d+) steps{_ON}", Walk._play),
    (rf"(\w+) presses (.+?){_ON}", Walk._press),
    (r"the next form has (.+)", Walk._next_form),
    (r"([\d.]+) seconds later", Walk._wait),
    (r"([\d.]+) days later", Walk._clear),
    (r"the bot starts anew", Walk._restart),
    (r"all have heard of the end", Walk._settle),
    (r"(\w+) has the (\w+) roster (\w+): (.+)", Walk._keep),
)
"""What a step may be, and how it is taken; A, B and so on are messages that a step before it was answered with."""
