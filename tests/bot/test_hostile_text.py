"""Whatever players type or attach, no answer carries it as markdown: no mention, link, fence or hidden mark."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import discord
import pytest
from simcord import InteractionResult

from bot.cogs.pages import AnyCommand
from bot.ui.error_replies import error_text
from bot.ui.text import plain_sentence
from sim.core.errors import Problem, RuleError, Span, TextError
from tests.bot.cogs.test_help import all_commands, channel_with_a_battle, pasted
from tests.bot.conftest import Table, text_of
from tests.bot.test_schema import COMMANDS

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


def shown(result: InteractionResult) -> str:
    messages = [*filter(None, [result.response]), *result.followups]
    return "\n".join(map(text_of, messages))


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
    for command in all_commands(table):
        if command.qualified_name.split()[0] == group:
            quoted |= await try_all(table, command)
    assert quoted or group in {"about", "battle", "help", "ladder", "luck", "privacy", "profile"}


async def try_all(table: Table, command: AnyCommand) -> set[str]:
    """Type each text and attach each file of a command in its hostile forms; return the options that were quoted."""
    usual: dict[str, Any] = pasted(table, command, command.extras["example"])
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


def test_a_sentence_keeps_the_punctuation_that_means_nothing() -> None:
    for sentence in ("#1 is at round 2.", "Give heroes or heroes_saved, not both.", "1.5 (or 2) of 3: -1, +2; a/b!"):
        assert plain_sentence(sentence, 100) == sentence


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# big", "\\# big"),
        ("-# small", "\\-# small"),
        ("- item", "\\- item"),
        ("_a_ a_b __c__", "\\_a\\_ a_b \\_\\_c\\_\\_"),
        ("see https://a.example/b", "see https\\://a\\.example/b"),
        ("a.csv 1.5", "a\\.csv 1.5"),
        ("a\nb\u202ec", "a b·c"),
        ("`a`", "'a'"),
    ],
)
def test_a_sentence_is_escaped_where_it_would_mean_something(text: str, escaped: str) -> None:
    assert plain_sentence(text, 100) == escaped
