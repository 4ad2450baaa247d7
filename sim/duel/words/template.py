"""The language of messages: `$Name$0 hits $name$1 for %d points!`, compiled once (rules: Words).

`$name$0` names an actor by number; `$heSheIt$0`, `$himHerIt$0`, `$hisHerIts$0` are its pronouns; a capital first letter
of the word makes a capital. `%d` is the message's number. `$site$` is the place of a story, in openings and closings.
`$$` stands for a dollar sign, `%%` for a percent sign.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sim.core.errors import Problem, RuleError, Span, TextError
from sim.core.names import hidden
from sim.core.suggestions import nearest
from sim.duel.critter import Figure
from sim.duel.names import Gender

MAX_TEMPLATE = 300
"""Characters of a message that a player writes."""

_PRONOUNS = {
    "heSheIt": {Gender.HE: "he", Gender.SHE: "she", Gender.IT: "it"},
    "himHerIt": {Gender.HE: "him", Gender.SHE: "her", Gender.IT: "it"},
    "hisHerIts": {Gender.HE: "his", Gender.SHE: "her", Gender.IT: "its"},
}
_TOKEN = re.compile(r"\$\$|\$(?P<word>[A-Za-z]+)(?P<close>\$?)(?P<actor>[0-9]*)|\$|%%|%d|%", re.ASCII)
_LIKE_ENOUGH = 55.0
"""Likeness of 0 to 100 under which a suggestion would only puzzle."""


def _named(figure: Figure) -> str:
    return figure.name if figure.proper else f"the {figure.name}"


def _pronoun(word: str) -> Callable[[Figure], str]:
    return lambda figure: _PRONOUNS[word][figure.gender]


def _capital(text: str) -> str:
    return text[:1].title() + text[1:]


def _capitalised(say: Callable[[Figure], str]) -> Callable[[Figure], str]:
    return lambda figure: _capital(say(figure))


_PLAIN: dict[str, Callable[[Figure], str]] = {"name": _named, **{word: _pronoun(word) for word in _PRONOUNS}}
_ACTOR_WORDS = _PLAIN | {_capital(word[:1]) + word[1:]: _capitalised(say) for word, say in _PLAIN.items()}
_SITE_WORDS = {"site": False, "Site": True}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a template may speak of: actors 0 to `actors` - 1, `%d` where there is a `number`, a `site`."""

    actors: int = 2
    number: bool = False
    site: bool = False


@dataclass(frozen=True, slots=True)
class _Actor:
    number: int
    say: Callable[[Figure], str]


@dataclass(frozen=True, slots=True)
class _Site:
    capital: bool


class _Number:
    pass


_Piece = str | _Actor | _Site | _Number


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled message."""

    pieces: tuple[_Piece, ...]

    def render(self, actors: Sequence[Figure], number: int | None = None, site: str = "") -> str:
        """Say it of these actors; `number` and `site` are for templates whose shape has them."""
        return "".join(self._said(piece, actors, number, site) for piece in self.pieces)

    @staticmethod
    def _said(piece: _Piece, actors: Sequence[Figure], number: int | None, site: str) -> str:
        match piece:
            case str():
                return piece
            case _Actor():
                return piece.say(actors[piece.number])
            case _Site():
                return _capital(site) if piece.capital else site
            case _Number():
                return str(number)


@lru_cache(maxsize=1024)
def compile_template(text: str, shape: Shape) -> Template:
    """Compile a message; TextError with every mistake and its place."""
    pieces: list[_Piece] = []
    problems: list[Problem] = []
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[end : token.start()])
        end = token.end()
        piece = _piece(token, shape)
        if isinstance(piece, Problem):
            problems.append(piece)
        else:
            pieces.append(piece)
    pieces.append(text[end:])
    if problems:
        raise TextError(text, tuple(problems))
    return Template(tuple(piece for piece in pieces if piece))


def checked_template(text: str, shape: Shape) -> str:
    """Return a message that a player wrote; TextError or RuleError for one that can't be used."""
    if len(text) > MAX_TEMPLATE:
        raise RuleError(f"A message has at most {MAX_TEMPLATE} characters, not {len(text):,}.")
    if not text.strip():
        raise RuleError("A message can't be empty.")
    for at, char in enumerate(text):
        if hidden(char) is not None and char != "\N{NO-BREAK SPACE}":
            raise TextError(text, (Problem(Span(at, at + 1), "A message is one line of characters that can be seen."),))
    compile_template(text, shape)
    return text


def _piece(token: "re.Match[str]", shape: Shape) -> _Piece | Problem:
    text, span = token[0], Span(token.start(), token.end())
    if text in {"$$", "%%"}:
        return text[0]
    if text == "%d":
        return _Number() if shape.number else Problem(span, "There is no number in this message: leave %d out.")
    if text == "%":
        return Problem(span, "Write %% for a percent sign.")
    if text == "$":
        return Problem(span, "Write $$ for a dollar sign, or a whole word such as $name$0.")
    return _word(token, span, shape)


def _word(token: "re.Match[str]", span: Span, shape: Shape) -> _Piece | Problem:
    word, closed, actor = token["word"], token["close"], token["actor"]
    if shape.site and closed and word in _SITE_WORDS and not actor:
        return _Site(_SITE_WORDS[word])
    if word not in _ACTOR_WORDS:
        near = nearest(word, {known: known for known in _ACTOR_WORDS}, least=_LIKE_ENOUGH)
        suggestion = f"${near}${actor[:1] or '0'}" if near else None
        return Problem(Span(span.start, token.end("close")), f"${word}$ is no word of messages.", suggestion)
    if not closed:
        return Problem(span, f"After ${word} a $ and an actor's number are missing.", f"${word}$0")
    if actor == "":
        return Problem(span, f"${word}$ needs the number of an actor behind it.", f"${word}$0")
    # One digit is the number; any more belong to the sentence, which nobody means.
    if len(actor) > 1 or int(actor) >= shape.actors:
        who = "0, who acts" if shape.actors == 1 else "0, who acts, and 1, the other one"
        return Problem(Span(*token.span("actor")), f"There is no such actor here: there is only {who}.")
    return _Actor(int(actor), _ACTOR_WORDS[word])
