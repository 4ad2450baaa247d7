"""Discord plumbing that every room uses. Here: text cut to Discord's limits and escaped, layouts, names of people."""

import asyncio
import io
import json
import re
import unicodedata
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

import discord

from bot.client import UNREACHABLE, Client
from sim.core import RuleError, visible
from sim.core.cards.stickers import ICON, icon_name, without_icons
from sim.core.cards.text import spelled
from sim.core.cards.values import DrawnCard
from sim.core.challenge import LETTERS, Answer, Question
from sim.core.names import MAX_NAME, is_mark, name_key, nearest, seen_name, without_piled_marks
from sim.core.staged_job import Job
from sim.workers.queue import Caller

_MAX_NAME = 80

MAX_READ = 300
"""Maximum characters of an answer's line on what was read."""

T = TypeVar("T")
Button: TypeAlias = discord.ui.Button[Any]
Style = discord.ButtonStyle


def utf16_length(text: str) -> int:
    """Return the length of `text` in UTF-16 units, as Discord counts it; icons have none, as they may be left out."""
    return len(without_icons(text).encode("utf-16-le", "surrogatepass")) // 2


def shorten(text: str, limit: int) -> str:
    """Return `text` cut to at most `limit` UTF-16 units, with an ellipsis if it was cut."""
    if utf16_length(text) <= limit:
        return text
    kept = without_icons(text)[: limit - 1]
    while utf16_length(kept) > limit - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def fitting(lines: Sequence[str], room: int) -> list[str]:
    """Return the first lines that fit into `room` UTF-16 units together, each with its end."""
    ends = accumulate(utf16_length(line) + 1 for line in lines)
    return [*lines[: sum(end <= room for end in ends)]]


def list_inline(items: Sequence[T], limit: int = 12, *, markdown: Callable[[T], str] = str) -> str:
    """Return at most `limit` items on one line as markdown, and how many more there are."""
    text = " · ".join(map(markdown, items[:limit]))
    return text if len(items) <= limit else f"{text} … and {len(items) - limit:,} more"


def did_you_mean(typed: str, names: Iterable[str]) -> str:
    """Return " Did you mean …?" with the name most like `typed`, or "" if none is like it."""
    found = nearest(name_key(typed), {name_key(name): name for name in names}, parts=True)
    return "" if found is None else f" Did you mean {found}?"


def none_called(what: str, typed: str, names: Iterable[str]) -> str:
    """Return that there is no `what` of the name typed here, with the nearest of `names`; or that it is no name."""
    if not typed.strip():
        return f"Give the name of a {what}."
    return f"There is no {what} called {shorten(typed, 80)} here.{did_you_mean(typed, names)}"


def find_title(titles: Mapping[str, str], typed: str, refusal: str) -> str:
    """Return the key that was typed, itself or by its title; RuleError with a `refusal` and the nearest title."""
    key = name_key(typed)
    for name, title in titles.items():
        if key in {name_key(title), name_key(name)}:
            return name
    raise RuleError(f"{refusal}{did_you_mean(typed, titles.values())}")


def read_as_line(told: str | None) -> str:
    """Return the line below an answer's headline that tells how a text was read, "" for None: it was typed plainly."""
    return "" if told is None else f"\n-# ✏️ Read as: `{shorten(visible(told), MAX_READ)}`"


def code_block(text: str) -> str:
    """Return `text` in a code block; it must not contain back-ticks (`sim.core.visible` removes them)."""
    return f"```\n{text}\n```"


# Characters that Discord's markdown, mentions, timestamps and links need.
_SPECIAL = re.compile(r"[\\*_~|<>#\-\[\]():@./]")
# Of these, what means something in a sentence: signs of their own, an underscore at the edge of a word, the beginning
# of a line, a link or an invitation.
_SPECIAL_HERE = re.compile(r"[\\*~|<>\[\]@]|(?<![^\W_])_|_(?![^\W_])|^[#+-](?=[#\s])|:(?=//)|(?<=\w)\.(?=[^\W\d])")
# Fast path: visible letters, signs and arrows that aren't combining marks.
_SIMPLE = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2190-\u21ff]*")


def plain(name: str, limit: int = _MAX_NAME) -> str:
    """Escape a name that a player gave, so that in markdown it can't ping, link, format, break lines or hide anything.

    `limit`: UTF-16 units before escaping.
    """
    return _SPECIAL.sub(r"\\\g<0>", shorten(harmless(name), limit))


def plain_sentence(text: str, limit: int) -> str:
    """Escape a whole sentence that may quote players, as `plain` does, but leave punctuation that means nothing there.

    It must have a line to itself, behind a sign or a bullet. `limit`: UTF-16 units before escaping.
    """
    return _SPECIAL_HERE.sub(r"\\\g<0>", shorten(harmless(text.strip()), limit))


def harmless(name: str) -> str:
    """Return a text without invisible characters, line breaks, back-ticks and piled-up marks."""
    if _SIMPLE.fullmatch(name):
        return name.replace("`", "'")
    composed = without_piled_marks(unicodedata.normalize("NFC", name))
    return "".join(char if is_mark(char) else visible(char) for char in composed)


LAYOUT_TEXT = 4000
"""UTF-16 units of all text in one message (Components V2)."""

MAX_ENTRY = 4000
"""Characters of a text option of a command, or of a modal's text field."""

MAX_INTEGER = (1 << 53) - 1
"""The largest integer option of a command."""

MAX_CHOICES = 25
"""Options of a select menu, or suggestions of an autocompletion."""

MAX_CHOICE = 100
"""UTF-16 units of an option of a select menu or of a suggestion: its label, and its value."""

MAX_TITLE = 45
"""UTF-16 units of a modal's title."""

MAX_BUTTONS = 5
"""Buttons in a row."""

MAX_BUTTON_LINK = 512
"""Characters of a link button's address."""

MAX_LABEL = 80
"""UTF-16 units of a button's label."""

MAX_ALT = 1024
"""UTF-16 units of a picture's description."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file; `alt` describes it for people who can't see it."""

    name: str
    data: bytes
    alt: str

    @staticmethod
    def of(name: str, drawn: DrawnCard) -> "Picture":
        """Return a card that was drawn, under a name."""
        return Picture(name, drawn.data, drawn.alt)

    def shown(self, kind: Callable[..., T]) -> T:
        """Build the part of a view that shows it; `kind`: its class."""
        return kind(f"attachment://{self.name}", description=shorten(self.alt, MAX_ALT))


async def drawn(bot: Client, job: Job[DrawnCard], name: str, caller: Caller) -> Picture:
    """Draw a card and return it as a picture called `name`."""
    return Picture.of(name, await bot.simulator.run(job, caller))


class View(discord.ui.LayoutView):
    """A message as it is laid out, with its pictures and files. Its controls work by their ids alone."""

    def __init__(self, *pictures: Picture | None) -> None:
        super().__init__(timeout=None)
        self._attached = {picture.name: picture.data for picture in pictures if picture is not None}
        self.stop()  # so that it isn't kept in memory

    def add_file(self, name: str, data: bytes) -> None:
        """Show a file below the message, by its name alone; Discord shows the text of files that stand nowhere."""
        self.add_item(discord.ui.File(f"attachment://{name}"))
        self._attached[name] = data

    @property
    def files(self) -> list[discord.File]:
        """What to attach, as new files: each can be sent once."""
        return [discord.File(io.BytesIO(data), name) for name, data in self._attached.items()]


def message_url(guild_id: int | None, channel_id: int | None, message_id: int) -> str:
    """Return the address of a message."""
    return f"https://discord.com/channels/{guild_id or '@me'}/{channel_id}/{message_id}"


def numbered_link(number: int | None, guild_id: int | None, channel_id: int | None, message_id: int | None) -> str:
    """Return a battle's number, linked to the message that shows it, if there is one."""
    return f"#{number}" if message_id is None else f"[#{number}]({message_url(guild_id, channel_id, message_id)})"


def plain_view(text: str, buttons: Sequence[Button] = ()) -> View:
    """Lay out one text without a frame, with a row of buttons."""
    view = View()
    view.add_item(discord.ui.TextDisplay(text))
    if buttons:
        view.add_item(discord.ui.ActionRow(*buttons))
    return view


def text_view(
    parts: Sequence[str],
    *,
    colour: int | None = None,
    picture: Picture | None = None,
    portrait: Picture | None = None,
    rows: Iterable[Sequence[discord.ui.Item[Any]]] = (),
    buttons: Sequence[Button] = (),
    divided: bool = True,
) -> View:
    """Lay out texts in a frame, the picture below the first one and the portrait beside it, then rows of controls.

    The `buttons` fill rows of their own below those. `divided`: with lines between the texts.
    """
    view = View(picture, portrait)
    container: discord.ui.Container[Any] = discord.ui.Container(accent_colour=colour)
    for at, part in enumerate(parts):
        if at and divided:
            container.add_item(discord.ui.Separator())
        if not at and portrait is not None:
            container.add_item(discord.ui.Section(part, accessory=portrait.shown(discord.ui.Thumbnail[Any])))
        else:
            container.add_item(discord.ui.TextDisplay(part))
        if not at and picture is not None:
            container.add_item(discord.ui.MediaGallery(picture.shown(discord.MediaGalleryItem)))
    view.add_item(container)
    for row in filter(None, (*rows, *button_rows(buttons))):
        view.add_item(discord.ui.ActionRow(*row))
    return view


def id_button(custom_id: str, label: str, emoji: str | None = None, style: Style = Style.secondary) -> Button:
    """Build a button that works by its id alone; its label is cut to fit."""
    return discord.ui.Button(label=shorten(label, MAX_LABEL), emoji=emoji, style=style, custom_id=custom_id)


def zipped(files: Mapping[str, bytes], packing: int = zipfile.ZIP_STORED) -> bytes:
    """Return files as one archive, the same for the same files; packed by default not at all, which costs no time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, packing)
    return out.getvalue()


def button_rows(buttons: Iterable[Button]) -> Iterator[Sequence[Button]]:
    """Part buttons into rows."""
    return discord.utils.as_chunks(buttons, MAX_BUTTONS)


def question_view(head: str, question: Question[Any], ids: Sequence[str], picture: Picture | None, colour: int) -> View:
    """Lay out a question with a button for each option, whose ids are `ids`."""
    text = f"{head}\n{question.text}\n-# {question.note}"
    lines = [f"**{letter}** {option}" for letter, option in zip(LETTERS, question.options, strict=False)]
    buttons = [*map(id_button, ids, LETTERS)]
    return text_view([text, "\n".join(lines)], colour=colour, picture=picture, buttons=buttons)


def answer_view(question: Question[Any], choice: int, answer: Answer, note: str, picture: Picture, colour: int) -> View:
    """Lay out what an answer was worth."""
    option = question.options[choice]
    mark = "✅ Right:" if answer.right else "❌ Not"
    head = f"### {mark} {LETTERS[choice]}, {option[:1].lower()}{option[1:]}"
    return text_view([f"{head}\n{answer.text}", note], colour=colour, picture=picture)


_TEXT = discord.ComponentType.text_display.value


class IconWriter:
    """Puts emojis where texts have icons; without one, what stands for it."""

    def __init__(self) -> None:
        self._known: dict[str, discord.Emoji] = {}
        """By their icons' names."""

    def dress(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return a request's options with its icons as emojis, or with what stands for them."""
        bodies = {key: body for key in ("json", "payload") if isinstance(body := options.get(key), dict)}
        forms = {key: parts for key in ("form", "multipart") if (parts := options.get(key))}
        dressed: dict[str, Any] = {key: self._dressed(body) for key, body in bodies.items()}
        return options | dressed | {key: [*map(self._dressed_part, parts)] for key, parts in forms.items()}

    def _dressed_part(self, part: dict[str, Any]) -> dict[str, Any]:
        if part["name"] != "payload_json":
            return part
        return part | {"value": json.dumps(self._dressed(json.loads(part["value"])))}

    def _dressed(self, body: Any) -> Any:  # noqa: ANN401  # JSON
        """Return a body with emojis in its texts: all, if they fit, else those that nothing stands for, else none."""
        for write in (partial(self._write, replaces=True), partial(self._write, replaces=False)):
            texts: list[str] = []
            dressed = self._walk(body, write, texts)
            if sum(map(utf16_length, texts)) <= LAYOUT_TEXT:
                return dressed
        return self._walk(body, without_icons, [])

    def _write(self, text: str, *, replaces: bool) -> str:
        def shown(found: re.Match[str]) -> str:
            emoji, instead = self._known.get(icon_name(found)), found["instead"]
            if emoji is None or (instead and not replaces):
                return instead
            return str(emoji) if instead else f"{emoji} "

        return without_icons(ICON.sub(shown, text))

    def _walk(self, node: Any, write: Callable[[str], str], texts: list[str]) -> Any:  # noqa: ANN401  # JSON
        """Return a part of a body with its texts as `write` has them; they are added to `texts`."""
        if isinstance(node, list):
            return [self._walk(each, write, texts) for each in node]
        if isinstance(node, str):
            return without_icons(node)
        if not isinstance(node, dict):
            return node
        walked = {key: self._walk(value, write, texts) for key, value in node.items()}
        if node.get("type") == _TEXT and "content" in node:
            walked["content"] = write(node["content"])
            texts.append(walked["content"])
        if isinstance(sign := node.get("emoji"), dict) and (found := ICON.search(sign.get("name") or "")):
            emoji = self._known.get(icon_name(found))
            if emoji is not None:
                walked["emoji"] = {"id": str(emoji.id), "name": emoji.name}
            elif not found["instead"]:
                del walked["emoji"]
        return walked


KEPT_SECONDS = 3600.0
MAX_KEPT = 10_000


def called(person: discord.abc.User) -> str:
    """Return what a person is called: the account's name where cards can't spell their own, or it has no letter."""
    name = seen_name(person.display_name, MAX_NAME)
    return person.display_name if any(map(str.isalnum, name)) and spelled(name) else person.name


class PeopleNames:
    """Asks Discord for display names, which it tells of nobody without being asked, and keeps them for an hour."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._kept: OrderedDict[tuple[int | None, int], tuple[float, str]] = OrderedDict()

    async def of(self, guild_id: int | None, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Return the names of those people who have one in a server; of all who have one for None."""
        ids = [*dict.fromkeys(user_ids)]
        found = await asyncio.gather(*(self._name(guild_id, user_id) for user_id in ids))
        return {user_id: name for user_id, name in zip(ids, found, strict=True) if name}

    async def said_once(self, guild_id: int | None, text: str) -> str:
        """Return a line such as "Ann (@Ann) v Brenna (@Ben)", without names that are their players': "@Ann v …"."""
        names = await self.of(guild_id, map(int, re.findall(r" \([^()]*<@(\d+)>\)", text)))
        for user_id, name in names.items():
            named = rf"(^|, | v ){re.escape(plain(name))} \(([^()]*<@{user_id}>)\)"
            text = re.sub(named, r"\1\2", text)
        return text

    async def _name(self, guild_id: int | None, user_id: int) -> str:
        """Return a name, "" for an account that is gone, or while Discord can't be reached."""
        now = self._bot.monotonic()
        kept = self._kept.get((guild_id, user_id))
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1]
        guild = None if guild_id is None else self._bot.get_guild(guild_id)
        try:
            name = called(await self._person(guild, user_id))
        except UNREACHABLE:
            return ""
        except discord.HTTPException:
            name = ""
        self._kept[guild_id, user_id] = now, name
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return name

    async def _person(self, guild: discord.Guild | None, user_id: int) -> discord.User | discord.Member:
        with suppress(discord.NotFound):  # who left the server keeps the account's name
            if guild is not None:
                return await guild.fetch_member(user_id)
        return await self._bot.fetch_user(user_id)
