"""The messages and stories of fights (`texts.toml`), their template language, and how a fight uses its texts up.

A template: `$Name$0 hits $name$1 for %d points!`.

Source: .docs/rules/duel.md, "Words".

`$name$0` names an actor by number; `$heSheIt$0`, `$himHerIt$0`, `$hisHerIts$0` are its pronouns; a capitalized word
gives capitalized text. `%d` is the message's number. `$site$` is the site of a story, in openings and closings. `$$` is
a dollar sign, `%%` a percent sign.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Self, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from sim.core import Faults, Problem, RuleError, Span, TextError, check_text
from sim.core.dice import Dice, Seed, SeededDice, seed_bytes, shuffled
from sim.core.names import describe_hidden, nearest
from sim.core.values import Frozen, Number
from sim.duel.critter import TEXTS, Alignment, Figure, Gender

T = TypeVar("T")

MAX_TEMPLATE = 300
"""Maximum length of a message that a player writes."""

MAX_VARIANTS = 20

_PRONOUNS = {
    "heSheIt": {Gender.HE: "he", Gender.SHE: "she", Gender.IT: "it"},
    "himHerIt": {Gender.HE: "him", Gender.SHE: "her", Gender.IT: "it"},
    "hisHerIts": {Gender.HE: "his", Gender.SHE: "her", Gender.IT: "its"},
}
_TOKEN = re.compile(r"\$\$|\$(?P<word>[A-Za-z]+)(?P<close>\$?)(?P<actor>[0-9]*)|\$|%%|%d|%", re.ASCII)
_LIKE_ENOUGH = 55.0
"""Similarity, 0 to 100, below which a suggestion would only confuse."""


def _capitalize(text: str) -> str:
    return text[:1].title() + text[1:]


_ACTOR_WORDS = ("name", *_PRONOUNS, "Name", *map(_capitalize, _PRONOUNS))


class Message(StrEnum):
    """The kinds of messages. Actor 0 acts, actor 1 is the target; the number is initiative or damage."""

    INITIATIVE = "initiative"
    ATTACK = "attack"
    HIT = "hit"
    MISS = "miss"
    DEATH = "death"


@lru_cache(maxsize=1024)
def check_message(text: str, message: Message) -> None:
    """Raise TextError, with every mistake, or RuleError if a message that a player wrote can't be used."""
    if len(text) > MAX_TEMPLATE:
        raise RuleError(f"A message has at most {MAX_TEMPLATE} characters, not {len(text):,}.")
    if not text.strip():
        raise RuleError("A message can't be empty.")
    for at, char in enumerate(text):
        if describe_hidden(char) is not None and char != "\N{NO-BREAK SPACE}":
            raise TextError(text, (Problem(Span(at, at + 1), "A message is one line of visible characters."),))
    found = (_problem(token, message) for token in _TOKEN.finditer(text))
    check_text(text, Faults(problem for problem in found if problem is not None))


def render(text: str, actors: Sequence[Figure], number: int | None = None, site: str = "") -> str:
    """Return what a valid template says; `number` and `site` are for those that have them."""

    def said(token: re.Match[str]) -> str:
        word = token["word"]
        if word is None:
            return str(number) if token[0] == "%d" else token[0][0]
        lower = f"{word[0].lower()}{word[1:]}"
        if lower == "site":
            told = site
        else:
            actor = actors[int(token["actor"])]
            told = actor.called if lower == "name" else _PRONOUNS[lower][actor.gender]
        return told if word == lower else _capitalize(told)

    return _TOKEN.sub(said, text)


_BARE = {
    "%d": "This message has no number: leave %d out.",
    "%": "Write %% for a percent sign.",
    "$": "Write $$ for a dollar sign, or a whole word such as $name$0.",
}


def _problem(token: re.Match[str], message: Message) -> Problem | None:
    """Return what is wrong with a word or sign of a message."""
    text, span = token[0], Span(*token.span())
    word, closed, actor = token["word"], token["close"], token["actor"]
    if text in {"$$", "%%"} or (text == "%d" and message in {Message.INITIATIVE, Message.HIT}):
        return None
    if text in _BARE:
        return Problem(span, _BARE[text])
    if word not in _ACTOR_WORDS:
        near = nearest(word, {known: known for known in _ACTOR_WORDS}, least=_LIKE_ENOUGH)
        suggestion = f"${near}${actor[:1] or '0'}" if near else None
        return Problem(Span(span.start, token.end("close")), f"${word}$ isn't a word of messages.", suggestion)
    if not (closed and actor):
        missing = "an actor's number" if closed else "a $ and an actor's number"
        return Problem(span, f"${word}{closed} needs {missing} after it.", f"${word}$0")
    # More than one digit: the text goes on with a digit, which nobody means.
    known = {"0": "0, who acts"} if message is Message.INITIATIVE else {"0": "0, who acts", "1": "or 1, the target"}
    if actor not in known:
        who = ", ".join(known.values())
        return Problem(Span(*token.span("actor")), f"There is no such actor: use {who}.")
    return None


Variants = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Field(min_length=1, max_length=MAX_VARIANTS),
]
"""One text, or several from which each use draws one."""


class Words(Frozen):
    """The messages of a fight; TextError for an invalid one."""

    initiative: Variants = ("$Name$0 rolls %d for initiative.",)
    attack: Variants = ("$Name$0 attacks $name$1!",)
    hit: Variants = ("$Name$0 hits $name$1 for %d points!",)
    miss: Variants = ("$Name$0 misses!",)
    death: Variants = ("$Name$1 is dead!",)

    @model_validator(mode="after")
    def _check_texts(self) -> Self:
        for message in Message:
            for text in self.variants(message):
                check_message(text, message)
        return self

    def variants(self, message: Message) -> tuple[str, ...]:
        """Return the texts of a message."""
        texts: tuple[str, ...] = getattr(self, message.value)
        return texts

    @property
    def has_variants(self) -> bool:
        """Whether any message has more than one text."""
        return any(len(self.variants(message)) > 1 for message in Message)

    def replace(self, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return these words with some messages replaced, by their names; TextError or RuleError for an invalid one."""
        return self.model_validate(self.model_dump() | {name: tuple(variants) for name, variants in texts.items()})


DEFAULT_WORDS = Words()
"""The words of a fight that is not narrated."""

NARRATED_WORDS = Words.model_validate(TEXTS["words"])
"""The words of a narrated duel."""

INDOORS, GRAVE, NONE = (dict[str, str](TEXTS[part]) for part in ("indoors", "grave", "none"))
"""What stands for some of these words: between walls, for a blow that kills or halves, for a number below 1.

It is chosen when a story is told, so that battles throw no dice for it.
"""

FIRST_STORIES = 3
"""Openings, and closings, of each alignment in the first edition: it threw a die for one of these."""

OPENINGS, CLOSINGS = (
    {alignment: tuple(TEXTS[part][alignment]) for alignment in Alignment} for part in ("openings", "closings")
)


SITES: Sequence[Sequence[str]] = tuple(TEXTS["sites"].values())
"""The three parts of a site."""


def random_site(dice: Dice) -> str:
    """Return a site such as "the Sunken Abbey of Black Ice": one die for each part."""
    return "the {} {} of {}".format(*(part[dice.roll(len(part)) - 1] for part in SITES))


ROOMS, ROOM_DETAILS = map(tuple, TEXTS["rooms"].values())


def random_room(dice: Dice) -> str:
    """Return a room's description in the first edition: one die for the room, one for a detail."""
    tables = (ROOMS[:20], ROOM_DETAILS[:16])  # the first edition had no more
    return room_text(*(table[dice.roll(len(table)) - 1] for table in tables))


def room_text(room: str, detail: str) -> str:
    """Return a room's description."""
    return f"{room[0].upper()}{room[1:]}. {detail}"


def preview(message: Message, text: str) -> str:
    """Return a message about Brenna and a goblin, with the number 4; TextError or RuleError for an invalid one."""
    check_message(text, message)
    return render(text, (Figure(name="Brenna", gender=Gender.SHE), Figure(name="goblin", proper=False)), number=4)


def draw_voice(dice: Dice) -> int:
    """Draw what seeds the choice of texts, with one die."""
    return dice.roll(1 << 32) - 1


class TextRotation(Frozen):
    """The progress of a fight in its texts: `voice` seeds their order, `used` counts the sentences of each message.

    Each text of a message is used once before the first one comes again.
    """

    voice: Seed
    used: Annotated[tuple[Number, ...], Field(min_length=len(Message), max_length=len(Message))] = (0,) * len(Message)

    @classmethod
    def begin(cls, dice: Dice) -> Self:
        """Draw the order."""
        return cls(voice=draw_voice(dice))

    def deal(self, words: Words, counts: Mapping[Message, int]) -> tuple[Words, Self]:
        """Return the next texts of each message, in the order in which to use them, and the telling after them.

        `counts`: how many sentences are needed. Once all texts were used, they come again in the same order.
        """
        dealt, used = {}, list(self.used)
        for at, message in enumerate(Message):
            texts = self.shuffled(words.variants(message), at)
            count = counts.get(message, 0)
            dealt[message.value] = tuple(
                texts[(used[at] + number) % len(texts)] for number in range(min(len(texts), max(1, count)))
            )
            used[at] += count
        return words.model_copy(update=dealt), self.model_copy(update={"used": tuple(used)})

    def shuffled(self, texts: Sequence[T], pack: int) -> list[T]:
        """Return the texts in this fight's order; `pack` numbers the lists, so that each has an order of its own."""
        return shuffled(texts, SeededDice(seed_bytes(self.voice), pack))
