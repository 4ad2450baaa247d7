"""What hostile people do: forged ids open nothing, and nothing that is typed or attached comes back as markdown.

From elsewhere, or by somebody else, no item, form or command reads or changes a thing; no answer carries a mention,
a link, a fence or a hidden mark of others.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, cast

import discord
import pytest
from simcord import ChannelHandle, InteractionResult, MemberActor, ResponseMessage
from simcord.builders import UserHandle

from bot.answers import Queries
from bot.battles.presenter import Presenters
from bot.help import AnyCommand, all_commands, example
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.queries import QueryRepository
from bot.ui import plain_sentence
from bot.ui.error_replies import error_text
from bot.ui.interactions import PersistentItem, PersistentSelect
from bot.weekly import WeeklyService
from bot.weekly.repository import WeeklyRepository
from sim.core import Problem, RuleError, Span, TextError
from tests.bot.battles.fights import Seen, begin, pressing, seen, send, with_button
from tests.bot.conftest import WAR_SEED, Table, answer, fix_seed, text_of
from tests.bot.games.boss_fight.boss_fights import both
from tests.bot.games.duel.duels import roll
from tests.bot.games.mad_killer_agents.wars import begin_game
from tests.bot.games.marked_for_death.test_mfd import file
from tests.bot.test_app import COMMANDS
from tests.bot.test_help import channel_with_a_battle, pasted
from tests.sim.marked_for_death.builders import RIDERS
from tests.tables import kept_table, kept_texts

MARK = "Zqx"
"""In what belongs to the server, and in nothing that a stranger types."""

_INTEGER = discord.AppCommandOptionType.integer

REFUSED = ("no longer kept", "too old to continue", "from an older version", "Campaigns belong to a server")

OPEN = {"h1", "h2:", "h3:", "bt1:traits", "bn1:", "b3:undo", "n1:crest", "aq1:", "w1:off"}
"""How the ids of items begin that name nothing stored; values of `b3` do, and have a test of their own."""

WORDS = kept_texts(__file__, "words")
"""What the parts of custom ids may be; an item with a part that isn't here fails."""


@dataclass
class Place:
    """Where somebody forges ids: a channel, none for direct messages, and a message there for their own buttons."""

    who: MemberActor | UserHandle
    where: tuple[ChannelHandle, ...]
    message: Seen

    async def slash(self, name: str, /, **options: Any) -> InteractionResult:  # noqa: ANN401  # options are of all kinds
        """Type a command there."""
        options = {name: given.user if isinstance(given, MemberActor) else given for name, given in options.items()}
        result: InteractionResult = await cast("Any", self.who).slash(*self.where, name, **options)
        return result

    async def offered(self, name: str, option: str) -> str:
        """Return what is offered for an option of a command before anything is typed."""
        return str(await cast("Any", self.who).autocomplete(*self.where, name, option, ""))


async def elsewhere(table: Table) -> list[Place]:
    """Return another server, another channel and direct messages of somebody who may do everything there."""
    user = table.env.create_user("zoe")
    places: list[Place] = []
    for guild in (table.env.create_guild(), table.ann.guild):
        everything = guild.create_role("all", permissions=discord.Permissions.all())
        zoe, den = guild.add_member(user, roles=[everything]), guild.create_text_channel("den")
        places.append(Place(zoe, (den,), seen(table, answer(await zoe.slash(den, "boss start", boss="Mossback")))))
    return [*places, Place(user, (), seen(table, answer(await user.slash("boss start", boss="Mossback"))))]


async def press(table: Table, place: Place, custom_id: str, *values: str, form: bool = False) -> InteractionResult:
    """Send a forged press, choice or form."""
    data = {"custom_id": custom_id, "components": []} if form else pressing(custom_id, *values)
    result = send(table.env, place.who, data, with_button(place.message, custom_id, *values))
    await table.env.settle()
    return result


def custom_ids(item: type[PersistentItem[Any]], known: dict[str, list[str]]) -> list[str]:
    """Return ids that an item answers to, in all combinations of what its parts may be."""
    pattern: re.Pattern[str] = item.__discord_ui_compiled_template__
    spelled = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<\1>", pattern.pattern).replace("[a-z]+", "x")
    parts = re.findall(r"<(\w+)>", spelled)
    found = []
    for words in product(*(known.get(part) or WORDS.get(part) or [] for part in parts)):
        custom_id = spelled
        for part, word in zip(parts, words, strict=True):
            custom_id = custom_id.replace(f"<{part}>", word)
        found += [custom_id] if pattern.fullmatch(custom_id) else []
    return found


def items(kind: type[Any] = PersistentItem) -> Iterator[type[PersistentItem[Any]]]:
    """Yield every persistent item there is, registered or not."""
    for item in kind.__subclasses__():
        yield from items(item)
        if item.__module__.startswith("bot.") and item.__discord_ui_compiled_template__.pattern != "(?!)":
            yield item


async def rows(table: Table) -> set[str]:
    """Return every row of the database."""
    db = table.bot.services[Database]
    return {
        f"{name}: {tuple(row)}"
        for name in await db.tables()
        if name not in {"applied_interactions", "clocks", "outbox"}  # the bot's own work, which goes on meanwhile
        for row in await db.fetch_all(f'SELECT * FROM "{name}"')  # noqa: S608  # names from the schema
    }


def replies(result: InteractionResult) -> list[ResponseMessage]:
    """Return what somebody gets in answer."""
    return [message for message in (result.response, *result.followups) if message is not None]


def shown(result: InteractionResult) -> str:
    """Return what they read."""
    return "\n".join(map(text_of, replies(result)))


async def expect_refused(table: Table, place: Place, custom_id: str, *values: str, form: bool = False) -> None:
    """Forge a press: it is refused in a sentence, opens no form, and leaves its message as it was."""
    result = await press(table, place, custom_id, *values, form=form)
    assert result.modal is None, custom_id
    told = [text_of(each) for each in replies(result) if each.id != place.message.id]
    assert told, custom_id
    assert all(any(reason in text for reason in REFUSED) for text in told), (custom_id, told)
    assert seen(table, place.message).payload == place.message.payload, custom_id


async def battles_of_every_game(table: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, Battle]:
    """Open a battle of each game in which something has happened; return them by the games' packages."""
    fix_seed(monkeypatch)
    await table.press(await begin(table), "Next round")
    await table.ann.slash(table.channel, "mfd start", heroes=file(RIDERS), villains=file(RIDERS))
    await both(table)
    await roll(table, MARK)
    await table.run("duel dungeon", character=MARK)
    fix_seed(monkeypatch, WAR_SEED)
    await begin_game(table)
    presenters = table.bot.services[Presenters]
    found = await table.bot.services[BattleRepository].open_in(table.channel.id)
    return {type(presenters.of(battle.system)).__module__.rpartition(".")[0]: battle for battle in found}


async def asked(table: Table, kind: str, *, private: bool) -> str:
    """Store what Ann asked in the channel; no handler may come so far as to read it."""
    request = f'{{"private": {str(private).lower()}, "channel_id": {table.channel.id}}}'
    queries = table.bot.services[QueryRepository]
    return (await queries.add(kind, table.ann.id, table.ann.guild.id, request)).id


async def test_no_item_and_no_form_opens_what_is_elsewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    battles = await battles_of_every_game(table, monkeypatch)
    assert len(battles) == 5, [*battles]
    kinds = table.bot.services[Queries]
    queries = [await asked(table, kind, private=private) for kind in kinds for private in (False, True)]
    await table.ann.slash(table.channel, "campaign new", name=MARK, game="Marked for Death")
    weekly = await table.bot.services[WeeklyRepository].open(
        table.ann.guild.id, table.channel.id, None, shared=True, next_at=int(table.clock.now) + 1
    )
    service = table.bot.services[WeeklyService]
    await service.begin(weekly, await service.week(table.ann.guild.id))
    places = await elsewhere(table)
    before = await rows(table)
    for item in items():
        template: str = item.__discord_ui_compiled_template__.pattern
        if any(template.startswith(start) for start in OPEN):
            continue
        assert re.search("<battle>|<campaign>|<challenge>|<id>", template), (
            f"{template} names nothing stored: is nothing behind it (OPEN)?"
        )
        battle = battles.get(item.__module__.rpartition(".")[0], battles["bot.games.axis_allies"])
        known = {"battle": [f"{battle.id}"], "version": [f"{battle.version}"], "id": queries[:2]}
        known |= {"campaign": ["1"], "challenge": ["1"]}
        ids = custom_ids(item, known)
        assert ids, f"{template} has a part that none of WORDS fits"
        chosen = ["0"] if issubclass(item, PersistentSelect) else []
        server_wide = "<campaign>" in template  # goes on in any channel of its server
        for place, custom_id in product(places[::2] if server_wide else places, ids):
            await expect_refused(table, place, custom_id, *chosen)
    for place, query, action in product(places, queries, ("edit", "fix")):
        await expect_refused(table, place, f"m1:{query}:{action}", form=True)
    for place, battle in product(places, battles.values()):
        await expect_refused(table, place, "b3:undo", f"{battle.id}:{battle.version}")
    assert await rows(table) == before


async def test_a_private_answer_is_its_asker_s_alone(table: Table) -> None:
    asked_there = seen(table, answer(await table.aacalc("6 inf vs 5 inf")))
    beside = Place(table.ben, (table.channel,), asked_there)
    private = await asked(table, "aa", private=True)
    before = await rows(table)
    for custom_id in (f"p1:{private}:next:1", f"j1:{private}", *(f"a1:{private}:{what}" for what in ("edit", "files"))):
        await expect_refused(table, beside, custom_id, *(["0"] if custom_id[0] == "j" else []))
    await expect_refused(table, beside, f"m1:{private}:edit", form=True)
    assert await rows(table) == before
    shared = await table.press(answer(await table.aacalc("7 inf vs 5 inf", private=True)), "Share")
    turned = await table.press(shared.followups[0] if shared.followups else answer(shared), "▶️", by=table.ben)
    assert "too old" not in text_of(answer(turned))


async def test_a_malformed_choice_is_refused_in_a_sentence(table: Table) -> None:
    place = Place(table.ann, (table.channel,), seen(table, await begin(table)))
    for chosen in ("x:y", "1", ":", "1:2:3", "9" * 40 + ":1", "١:١"):
        await expect_refused(table, place, "b3:undo", chosen)


async def test_no_command_reaches_what_is_elsewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number, name or id: rosters, bosses, characters, campaigns, battles."""
    await battles_of_every_game(table, monkeypatch)
    await table.ann.slash(table.channel, "roster save", name=MARK, kind="aa", text="2 battleships")
    await table.ann.slash(table.channel, "roster share", name=MARK)
    await table.ann.slash(table.channel, "boss forge", bosses=("b.csv", f"name,health\n{MARK},400\n".encode()))
    await table.ann.slash(table.channel, "campaign new", name=MARK, game="Marked for Death")
    before = await rows(table)
    assert sum(MARK in row for row in before) >= 5, "there is something to find"
    server, _, direct = await elsewhere(table)
    for command, place in product(all_commands(table.bot).values(), (server, direct)):
        usual = pasted(table, command, example(command))
        completed = [option for option in command.parameters if option.autocomplete]
        for given in ("#1", MARK.lower()):
            typed = {each.display_name: 1 if each.type is _INTEGER else given for each in completed}
            result = await place.slash(command.qualified_name, **usual | typed)
            assert MARK not in shown(result), (command.qualified_name, given)
        for option in completed:
            offered = await place.offered(command.qualified_name, option.display_name)
            assert MARK not in offered, (command.qualified_name, option.display_name)
    assert await rows(table) >= before


WORD = "<@1>**zq**[zq](https://zq.io)`</zq:1>discord.gg/zq\u202e\u200b@everyone||zq||<t:1:R>"
SENTENCE = "zq ```\n# zq\n> zq <@&1> __zq__ ~~zq~~ <:zq:1> http://zq.io @here\x00"
HOSTILE = {WORD, SENTENCE}

# What would be markdown; a backslash before its first sign breaks each of these.
_MARKDOWN = re.compile(
    r"<@|\*\*zq|\[zq\]|https?://zq|</zq|discord\.gg|@everyone|@here|\|\|zq|__zq|~~zq|<t:1|<:zq|^\s*(?:- )?[#>] zq"
    "|[\u202e\u200b\x00]",
    re.MULTILINE,
)
_FENCE = re.compile(r"^```\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_OURS = re.compile(r"<@\d{10,}>")


def markdown_in(text: str) -> list[str]:
    """Return what a text holds of the hostile texts as markdown; in code blocks, what breaks out of them."""
    outside = _OURS.sub("", _FENCE.sub("", text))
    inside = "".join(_FENCE.findall(text))
    return [
        *(found[0] for found in _MARKDOWN.finditer(re.sub(r"\\.", "", outside))),
        *re.findall("```|`zq", outside),
        *re.findall("[`\u202e\u200b\x00]", inside),
    ]


def variants(kind: discord.AppCommandOptionType, usual: object, limit: float | None) -> Iterator[object]:
    """Yield hostile values of an option whose example is `usual`."""
    if kind is discord.AppCommandOptionType.string:
        for hostile in sorted(HOSTILE):
            text = "" if usual is None else str(usual)
            last = re.sub(r"[a-zA-Z]+$", "", text) + hostile
            yield from (value[: int(limit or 4000)].strip() for value in (hostile, f"{text} {hostile}", last))
    elif kind is discord.AppCommandOptionType.attachment:
        name, data = usual if isinstance(usual, tuple) else ("a.csv", b"")
        for hostile in sorted(HOSTILE):
            cell = hostile.replace("\n", " ").replace('"', "")
            yield f"{hostile}.csv", hostile.encode()
            yield name, re.sub(rb"(?<=\n)[^,\n;]+", f'"{cell}"'.encode(), data)
            yield name, re.sub(rb"(?<=,)\d+", f'"{cell}"'.encode(), data, count=3)


@pytest.mark.usefixtures("fixed_dice")
@pytest.mark.parametrize("group", sorted(COMMANDS))
async def test_no_command_shows_hostile_text_as_markdown(table: Table, group: str) -> None:
    quoted: set[str] = set()
    for command in all_commands(table.bot).values():
        if command.qualified_name.split()[0] == group:
            quoted |= await try_all(table, command)
    assert quoted or group in {"about", "battle", "help", "ladder", "luck", "privacy", "profile"}


async def try_all(table: Table, command: AnyCommand) -> set[str]:
    """Type each text and attach each file of a command in its hostile forms; return the options that were quoted."""
    usual: dict[str, Any] = pasted(table, command, example(command))
    quoted: set[str] = set()
    channel = await channel_with_a_battle(table, command)
    for option in command.parameters:
        if option.choices:
            continue
        for value in variants(option.type, usual.get(option.display_name), option.max_value):
            result = await table.ann.slash(channel, command.qualified_name, **usual | {option.display_name: value})
            text = shown(result)
            assert not markdown_in(text), (command.qualified_name, option.display_name, value, text)
            if "zq" in text:
                quoted.add(option.display_name)
    return quoted


@pytest.mark.parametrize("hostile", sorted(HOSTILE))
@pytest.mark.parametrize(
    "error",
    [
        lambda text: RuleError(f"There is no {text} here."),
        RuleError,
        lambda text: TextError(text, (Problem(Span(0, 3), f"What is {text}?", text),)),
    ],
)
def test_an_error_is_escaped_in_whatever_way_it_quotes(hostile: str, error: Callable[[str], RuleError]) -> None:
    text = error_text(error(hostile))
    assert "zq" in text
    assert not markdown_in(text)


@pytest.mark.parametrize(("text", "escaped"), kept_table(__file__, "escaped"))
def test_a_sentence_is_escaped_where_it_would_mean_something(text: str, escaped: str) -> None:
    assert plain_sentence(text, 100) == escaped
