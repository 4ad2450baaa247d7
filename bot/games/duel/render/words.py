"""The messages of duels: as they are written, and as they would be said."""

from collections.abc import Iterator
from functools import partial

from bot.answers.document import EDIT_ACTION, Action, Document, Page
from bot.ui.text import code_block, plain
from sim.core.caret import visible
from sim.duel.words import Message, Words, preview

KEEP = Action("keep", "Use these", "✅")
CHANGE = Action(EDIT_ACTION, "Change", "✏️")
RESET = Action("reset", "Reset all", "↩️")

_COLOUR, _DRAFT = 0x4DABF7, 0xF08C00
_MOST_SAID = 400


def words_book(words: Words, replaced: frozenset[Message], where: str, *, draft: bool) -> Document:
    """Return the messages with what each would sound like; `draft`: they aren't in use yet."""
    head = f"### 💬 {'These would be said' if draft else 'What duels say'} {where}"
    key = "-# As said of Brenna, who acts, and a goblin; the number is 4"
    pages = [Page("How they sound", lambda: "\n".join(_sounds(words, replaced)))]
    pages += [Page(f"{message.capitalize()} as written", partial(_written, words, message)) for message in Message]
    actions = (KEEP, CHANGE) if draft else (CHANGE, *((RESET,) if replaced else ()))
    return Document(f"{head}\n{key}", _DRAFT if draft else _COLOUR, pages, actions)


def _sounds(words: Words, replaced: frozenset[Message]) -> Iterator[str]:
    for at, message in enumerate(Message):
        if at:
            yield ""
        yield f"**{message.capitalize()}**{' (your own)' if message in replaced else ''}"
        yield from (f"- {plain(preview(message, text), _MOST_SAID)}" for text in words.variants(message))


def _written(words: Words, message: Message) -> str:
    # Not in 28 columns: what is copied from here must be whole lines.
    return "\n".join([f"**{message.capitalize()}**", *(code_block(visible(text)) for text in words.variants(message))])
