"""The log of a duel: its events in the words that came with them."""

from collections.abc import Iterable, Sequence

from sim.core.dice import SeededDice, seed_bytes
from sim.core.outcomes import Ending
from sim.duel.battle.values import (
    Cast,
    Closed,
    Ended,
    Event,
    FightEvent,
    Opened,
    Passed,
    Paused,
    RoundBegan,
    Struck,
)
from sim.duel.critter import Figure
from sim.duel.words import DEFAULT_WORDS, SHAPES, Message, compile_template
from sim.duel.words.phrases import QUICK, THE_END

HOPELESS = "Nobody who is left can hit the other side: the fight would never end."


class Teller:
    """Tells fights in the words of the cast that it was given last."""

    def __init__(self) -> None:
        self._figures: Sequence[Figure] = ()
        self._take(DEFAULT_WORDS.model_dump(), 0)

    def _cast(self, event: Cast) -> None:
        self._figures = event.figures
        self._take({message.value: event.words.variants(message) for message in Message}, event.voice or 0)

    def lines(self, event: Cast | FightEvent) -> list[str]:
        """Return the lines of what happens in a fight; a cast has none, it is what follows that is told of it."""
        match event:
            case Cast():
                self._cast(event)
                return []
            case Passed():
                return [""]
            case RoundBegan():
                return self._round(event)
            case Struck():
                return self._blow(event)

    def _round(self, event: RoundBegan) -> list[str]:
        counts = [self._say(Message.INITIATIVE, (who,), count) for who, count in event.order]
        return [f"Round {event.number}!", "", *counts]

    def _blow(self, event: Struck) -> list[str]:
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
        self._dice = SeededDice(seed_bytes(voice))

    def _say(self, message: Message, actors: tuple[int, ...], number: int | None = None) -> str:
        texts = self._texts[message]
        text = texts[self._dice.roll(len(texts)) - 1] if len(texts) > 1 else texts[0]
        return text.render([self._figures[actor] for actor in actors], number)


def log(events: Iterable[Event]) -> list[str]:
    """Return the story of `events`, which begin with their cast, line by line."""
    teller = Teller()
    return [line for event in events for line in _lines(teller, event)]


def _lines(teller: Teller, event: Event) -> list[str]:
    match event:
        case Opened():
            return [*event.text.split("\n"), ""]
        case Paused():
            return ["", f"{event.rounds} rounds were fought, and the fight goes on."]
        case Ended():
            # Who won needs no line: the last enemy's death was told.
            return ["", HOPELESS] if event.ending is Ending.STALEMATE else []
        case Closed():
            return ["", *([QUICK, ""] if event.quick else []), *event.text.split("\n"), "", THE_END]
        case _:
            return teller.lines(event)
