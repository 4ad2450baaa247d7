"""The log of a duel, in the words of its events' cast."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sim.core.dice import Dice, SeededDice, seed_bytes
from sim.core.values import Ending, Paused
from sim.duel.battle.values import Cast, Closed, Ended, Event, FightEvent, Opened, Passed, RoundBegan, Struck, Wavered
from sim.duel.critter import Critter, Figure
from sim.duel.phrases import QUICK, THE_END
from sim.duel.words import DEFAULT_WORDS, SHAPES, Message, TextRotation, Words, compile_template, draw_voice

HOPELESS = "Stalemate: neither side can hit the other."


class Narrator:
    """Writes the events of fights in the words of the last cast."""

    def __init__(self) -> None:
        self.figures: Sequence[Figure] = ()
        self._set_words(DEFAULT_WORDS, None)

    def lines(self, event: Cast | FightEvent | Paused) -> list[str]:
        """Return the lines of an event; a cast has none, but sets the figures and words of the events that follow."""
        match event:
            case Cast():
                self.figures = event.figures
                self._set_words(event.words, event.voice)
                return []
            case Passed():
                return [""]
            case RoundBegan():
                counts = [self._sentence(Message.INITIATIVE, (who,), count) for who, count in event.order]
                return [f"Round {event.number}!", "", *counts]
            case Struck():
                return self._attack_lines(event)
            case Paused():
                return ["", f"After {event.rounds} rounds the fight goes on."]

    def morale_line(self, event: Wavered) -> str:
        """Return the line of a morale test of a group."""
        test = f"Group {event.group} tests its morale: 2d6 show {event.roll}"
        names = [self.figures[who].called for who in event.fled]
        if not names:
            return f"{test}. Nobody runs!"
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        return f"{test}. {listed[:1].upper()}{listed[1:]} {'turns and runs' if len(names) == 1 else 'turn and run'}!"

    def _attack_lines(self, event: Struck) -> list[str]:
        """Return the lines of an attack, with a blank one before each turn and before a death."""
        actors = (event.who, event.target)
        lines = [] if event.again else [""]
        lines.append(self._sentence(Message.ATTACK, actors))
        if not event.damage:
            return [*lines, self._sentence(Message.MISS, actors)]
        lines.append(self._sentence(Message.HIT, actors, event.damage))
        return lines if event.left else [*lines, "", self._sentence(Message.DEATH, actors)]

    def _set_words(self, words: Words, voice: int | None) -> None:
        self._templates = {
            message: [compile_template(text, SHAPES[message]) for text in words.variants(message)]
            for message in Message
        }
        self._used: Counter[Message] = Counter()
        self._dice = None if voice is None else SeededDice(seed_bytes(voice))

    def _sentence(self, message: Message, actors: tuple[int, ...], number: int | None = None) -> str:
        templates = self._templates[message]
        if self._dice is None or len(templates) == 1:
            at = self._used[message] % len(templates)
        else:
            at = self._dice.roll(len(templates)) - 1
        self._used[message] += 1
        return templates[at].render([self.figures[actor] for actor in actors], number)


def log(events: Iterable[Event]) -> list[str]:
    """Return the story of `events`, the cast first, line by line."""
    narrator = Narrator()
    return [line for event in events for line in _lines(narrator, event)]


def sentences(events: Iterable[object]) -> Counter[Message]:
    """Count the sentences that the narrator needs for the events of a fight, by message."""
    needed: Counter[Message] = Counter()
    for event in events:
        match event:
            case RoundBegan():
                needed[Message.INITIATIVE] += len(event.order)
            case Struck():
                needed[Message.ATTACK] += 1
                needed[Message.HIT if event.damage else Message.MISS] += 1
                needed[Message.DEATH] += not event.left
    return needed


def cast(
    words: Words,
    version: int,
    rotation: TextRotation | None,
    critters: Iterable[Critter],
    events: Iterable[object],
    dice: Dice,
) -> tuple[Cast, TextRotation | None]:
    """Return the cast with the texts that a step's events need, and the rotation after them.

    In the first version of the rules: with all texts, and the seed of a choice among them.
    """
    figures = tuple(critter.figure for critter in critters)
    if version == 1:
        voice = draw_voice(dice) if words.has_variants else None
        return Cast(figures=figures, words=words, voice=voice), None
    if rotation is None and words.has_variants:
        rotation = TextRotation.begin(dice)
    if rotation is not None:
        words, rotation = rotation.deal(words, sentences(events))
    return Cast(figures=figures, words=words), rotation


def _lines(narrator: Narrator, event: Event) -> list[str]:
    match event:
        case Wavered():
            return ["", narrator.morale_line(event)]
        case Opened():
            return [*event.text.split("\n"), ""]
        case Ended():
            # The winner needs no line: the last enemy's death has one.
            return ["", HOPELESS] if event.ending is Ending.STALEMATE else []
        case Closed():
            return ["", *([QUICK, ""] if event.quick else []), *event.text.split("\n"), "", THE_END]
        case _:
            return narrator.lines(event)
