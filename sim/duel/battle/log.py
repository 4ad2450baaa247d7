"""The log of a duel: its events in the words that came with them."""

from collections.abc import Iterable, Sequence

from sim.core.dice import SeededDice
from sim.core.outcomes import Ending
from sim.duel.battle.values import (
    Cast,
    Closed,
    Ended,
    Event,
    Opened,
    Passed,
    Paused,
    RoundBegan,
    Struck,
)
from sim.duel.critter import Figure
from sim.duel.words import DEFAULT_WORDS, SHAPES, Message, compile_template
from sim.duel.words.phrases import QUICK, THE_END

_VOICE_BYTES = 8


class Teller:
    """Tells fights in the words of the cast that it was given last."""

    def __init__(self) -> None:
        self._figures: Sequence[Figure] = ()
        self._take(DEFAULT_WORDS.model_dump(), 0)

    def cast(self, event: Cast) -> None:
        """Speak of these fighters, in these words, from now on."""
        self._figures = event.figures
        self._take({message.value: event.words.variants(message) for message in Message}, event.voice or 0)

    def round(self, event: RoundBegan) -> list[str]:
        """Return the lines of a round's beginning."""
        counts = [self._say(Message.INITIATIVE, (who,), count) for who, count in event.order]
        return [f"Round {event.number}!", "", *counts]

    def blow(self, event: Struck) -> list[str]:
        """Return the lines of an attack; a blank one goes before each turn and before a death."""
        actors = (event.who, event.target)
        lines = [] if event.again else [""]
        lines.append(self._say(Message.ATTACK, actors))
        if not event.damage:
            return [*lines, self._say(Message.MISS, actors)]
        lines.append(self._say(Message.HIT, actors, event.damage))
        return lines if event.left else [*lines, "", self._say(Message.DEATH, actors)]

    def _take(self, words: dict[str, tuple[str, ...]], voice: int) -> None:
        self._texts = {
            message: [compile_template(text, SHAPES[message]) for text in words[message.value]] for message in Message
        }
        self._dice = SeededDice(voice.to_bytes(_VOICE_BYTES, "big"))

    def _say(self, message: Message, actors: tuple[int, ...], number: int | None = None) -> str:
        texts = self._texts[message]
        text = texts[self._dice.roll(len(texts)) - 1] if len(texts) > 1 else texts[0]
        return text.render([self._figures[actor] for actor in actors], number)


def log(events: Iterable[Event]) -> list[str]:
    """Return the story of `events`, which begin with their cast, line by line."""
    teller = Teller()
    lines: list[str] = []
    for event in events:
        match event:
            case Cast():
                teller.cast(event)
            case Opened():
                lines += [*event.text.split("\n"), ""]
            case RoundBegan():
                lines += teller.round(event)
            case Passed():
                lines.append("")
            case Struck():
                lines += teller.blow(event)
            case Paused():
                lines += ["", f"{event.rounds} rounds were fought, and the fight goes on."]
            case Ended():
                # Who won needs no line: the last enemy's death was told.
                if event.ending is Ending.STALEMATE:
                    lines += ["", "Nobody who is left can hit the other side: the fight would never end."]
            case Closed():
                lines += ["", *([QUICK, ""] if event.quick else []), *event.text.split("\n"), "", THE_END]
    return lines
