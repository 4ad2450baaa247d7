"""Error replies: explain privately to a player what went wrong. All that they quote is escaped here."""

import logging
import secrets
from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands

from bot.client import TOO_LATE, UNKNOWN_MESSAGE, UNREACHABLE, Interaction, UnreachableError
from bot.logging_setup import event
from bot.metrics import Result
from bot.store import DamagedBattleError, DiskFullError, UnavailableError
from bot.ui import code_block, fitting, plain_sentence, plain_view
from sim.core import FaultsError, Problem, RuleError, TextError, point_at
from sim.core.numbers import quantity

_log = logging.getLogger("fracas.app")

OUTDATED_BUTTON = "This button is from an older version; please run the command again."

_MAX_PROBLEMS = 8
"""More would push the first ones off a phone's screen."""

_MAX_TEXT = 3800
"""Units of all sentences together."""

_MAX_SENTENCE = 300
"""Units of one of several sentences; escaped, each unit may become two."""

_MAX_LONE = 1800

_MAX_PROBLEM = 180
"""Units of the sentence below a marked place, where there are several; a lone one may have a whole text to paste."""


class MarkdownError(RuleError):
    """A RuleError whose text is Discord markdown, such as a mention; it quotes nothing that a player wrote."""


class RefusedError(Exception):
    """A RuleError with buttons for the reply, such as the one that opens a form to fix the input."""

    def __init__(self, error: RuleError, buttons: Sequence[discord.ui.Button[Any]]) -> None:
        super().__init__(error)
        self.error = error
        self.buttons = buttons


async def refuse(interaction: Interaction, error: Exception) -> Result:
    """Explain privately what went wrong; return whether the request was refused or failed.

    A RuleError has a sentence for the player, and there is one for a broken connection and for a database that can't
    be used. Any other error is logged with its traceback, and the player gets a short reference.
    """
    if isinstance(error, discord.HTTPException) and error.code in TOO_LATE:
        event(_log, "undelivered", level=logging.WARNING, code=error.code)
        return "failed"
    buttons: Sequence[discord.ui.Button[Any]] = ()
    if isinstance(error, RefusedError):
        buttons, error = error.buttons, error.error
    if isinstance(error, DamagedBattleError):
        event(_log, "battle_damaged", level=logging.ERROR, battle=error.battle_id, reason=error.reason)
    result: Result = "failed"
    if isinstance(error, RuleError):
        text, result = error_text(error), "refused"
    elif isinstance(error, UnavailableError):
        text, result = f"⚠️ {_unavailable(interaction, error)}", "refused"
    else:
        text = f"⚠️ {_logged(interaction, error)}"
    try:
        await _reply_privately(interaction, plain_view(text, buttons))
    except UNREACHABLE as unreachable:
        event(_log, "undelivered", level=logging.WARNING, error=str(unreachable))
    except discord.HTTPException as undelivered:
        if undelivered.code in {*TOO_LATE, UNKNOWN_MESSAGE}:
            event(_log, "undelivered", level=logging.WARNING, code=undelivered.code)
        else:
            event(_log, "undelivered", level=logging.ERROR, code=undelivered.code, exc_info=undelivered)
    return result


def _logged(interaction: Interaction, error: Exception) -> str:
    """Log an error that is none of the player's, and return what the player reads."""
    if isinstance(error, UNREACHABLE):
        event(_log, "unreachable", level=logging.WARNING, error=str(error))
        if interaction.extras.get("done"):
            return "It is done, but Discord couldn't be reached to show it."
        return "Discord couldn't be reached, so this was not done. Please try again."
    if isinstance(error, discord.HTTPException) and error.code == UNKNOWN_MESSAGE:
        event(_log, "undelivered", level=logging.WARNING, code=error.code)
        return "The message to show this in was deleted."
    if isinstance(error, app_commands.CommandSignatureMismatch | app_commands.CommandNotFound):
        event(_log, "commands_out_of_date", level=logging.WARNING, error=str(error))
        return "This command has just changed; please try again in a minute."
    reference = secrets.token_hex(3)
    event(_log, "failed", level=logging.ERROR, exc_info=error, reference=reference)
    return f"Something went wrong on our side. If it happens again, tell the people who run this bot: `{reference}`"


def _unavailable(interaction: Interaction, error: UnavailableError) -> str:
    if isinstance(error, DiskFullError):
        return "This bot's disk is full; its operator must make room. Nothing was lost."
    if interaction.extras.get("done"):
        return "It is done, but the database can't be reached to show it."
    if error.may_be_done:
        return "The database went away halfway; check whether this went through before you try again."
    press = interaction.type is discord.InteractionType.component
    return f"The database can't be reached; {'press' if press else 'try'} again."


async def _reply_privately(interaction: Interaction, view: discord.ui.LayoutView) -> None:
    """Reply so that only the user sees it, whether or not the interaction has been answered or deferred."""
    if not interaction.response.is_done():
        await interaction.response.send_message(view=view, ephemeral=True)
    elif interaction.response.type is not discord.InteractionResponseType.deferred_channel_message:
        await _follow_up(interaction, view)
    elif interaction.extras.get("private"):
        await interaction.edit_original_response(view=view)
    else:
        # A public "thinking" message can't turn private, and the first followup would replace it: edit it, send the
        # error, then delete it.
        await interaction.edit_original_response(view=plain_view("-# This one can't be answered."))
        await _follow_up(interaction, view)
        await interaction.delete_original_response()


async def _follow_up(interaction: Interaction, view: discord.ui.LayoutView) -> None:
    try:
        await interaction.followup.send(view=view, ephemeral=True)
    except UnreachableError:  # perhaps it arrived: a private sentence twice is better than none
        await interaction.followup.send(view=view, ephemeral=True)


def error_text(error: RuleError) -> str:
    """Return an error as a message that fits Discord's limits."""
    if isinstance(error, TextError):
        head = f"⚠️ **{error.head}**"
        limit = _MAX_LONE if len(error.problems) == 1 else _MAX_PROBLEM
        lines = [_problem_text(error.text, problem, limit) for problem in error.problems[:_MAX_PROBLEMS]]
        more = len(error.problems) - len(lines) + error.more
    elif isinstance(error, FaultsError):
        sentences = error.sentences
        head = f"⚠️ **{quantity(len(sentences) + error.more, 'problem')} to fix**"
        lines = fitting([f"- {plain_sentence(sentence, _MAX_SENTENCE)}" for sentence in sentences], _MAX_TEXT)
        more = len(sentences) - len(lines) + error.more
    else:
        return f"⚠️ {error if isinstance(error, MarkdownError) else plain_sentence(str(error), _MAX_LONE)}"
    return "\n".join([head, *lines, *([f"-# … and {more:,} more."] if more else [])])


def _problem_text(text: str, problem: Problem, limit: int) -> str:
    line, caret = point_at(text, problem.span)
    # There is nothing to point at in an empty text.
    place = code_block(f"{line}\n{caret}") + "\n" if line.strip() else ""
    return f"{place}{plain_sentence(problem.sentence(), limit)}"
