"""Tells the steps of a duel or a dungeon: the cast, and the log in its words."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from typing_extensions import override

from sim.core.battle import Step, StepRunner
from sim.core.dice import SeededDice, seed_bytes
from sim.core.names import listed
from sim.core.numbers import quantity
from sim.core.values import Ending, Paused
from sim.duel import words as w
from sim.duel.battle import Cast, Closed, Ended, Opened, Passed, RoundBegan, State, Struck, Wavered
from sim.duel.battle import Event as DuelEvent
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.monsters import MONSTERS_BY_NAME, count_text

_HOPELESS = "Stalemate: neither side can hit the other."


_OWNED = "guard", "helmet", "name", "nose", "pockets"
"""What the stories of earlier versions tell "of" somebody."""


def log(events: Iterable[DuelEvent | dungeon.Event], *, indoors: bool = False) -> list[str]:
    """Return the story of `events`, the cast first, line by line; `indoors`: without snow and wind."""
    narrator = _Narrator(indoors=indoors)
    events = list(events)
    rests = [event for event in events if isinstance(event, dungeon.Rested)]
    idle = len(rests) > 1 and not any(rest.healed for rest in rests)
    lines = ["Everyone is at full health."] if idle else []
    return lines + [line for event in events if not (idle and event in rests) for line in narrator.lines(event)]


MOMENTS = 3
"""Blows that are told of a long fight; one of so few rounds is told whole."""


def moments(events: Sequence[Any]) -> list[str]:
    """Return the three blows that a long fight is remembered by, the last one among them, and what came of it.

    Empty of a fight of so few rounds that it can be read whole.
    """
    if sum(isinstance(event, RoundBegan) for event in events) <= MOMENTS:
        return []
    narrator, number = _Narrator(indoors=False), 0
    blows: list[tuple[tuple[bool, int, int], int, list[str]]] = []
    closing: list[str] = []
    for at, event in enumerate(events):
        lines = narrator.lines(event)
        if isinstance(event, RoundBegan):
            number = event.number
        elif isinstance(event, Struck):
            closing = []
            if event.damage:
                blows.append(((not event.left, event.damage, at), number, [line for line in lines if line]))
        elif not isinstance(event, Passed | Wavered | dungeon.Morale):
            closing += lines
    best = sorted(blows[:-1], reverse=True)[: MOMENTS - 1] + blows[-1:]
    chosen = sorted(best, key=lambda blow: blow[0][2])
    return [line for _, told, lines in chosen for line in (f"Round {told}!", *lines, "")] + closing


class _Narrator:
    """Writes the events of fights in the words of the last cast."""

    def __init__(self, *, indoors: bool) -> None:
        self._indoors = indoors
        self.cast(Cast(figures=(), words=w.DEFAULT_WORDS))

    def lines(self, event: DuelEvent | dungeon.Event) -> list[str]:
        """Return the lines of an event; a cast has none, but sets the figures and words of the events that follow."""
        return _LINES[type(event)](self, event)

    def cast(self, event: Cast) -> list[str]:
        self.figures = event.figures
        self._texts = {message: event.words.variants(message) for message in w.Message}
        self._used: Counter[w.Message] = Counter()
        self._dice = None if event.voice is None else SeededDice(seed_bytes(event.voice))
        return []

    def round_began(self, event: RoundBegan) -> list[str]:
        counts = [self._sentence(w.Message.INITIATIVE, (who,), count) for who, count in event.order]
        return [f"Round {event.number}!", "", *counts]

    def opened(self, event: Opened) -> list[str]:
        return [*self._owned(event.text).split("\n"), ""]

    def closed(self, event: Closed) -> list[str]:
        quick = ["That didn't take long!", ""] if event.quick else []
        return ["", *quick, *self._owned(event.text).split("\n"), "", "The End"]

    def _owned(self, text: str) -> str:
        for thing, figure in product(_OWNED, self.figures):
            text = text.replace(f"the {thing} of {figure.called}", f"{figure.called}'s {thing}")
        return text

    def wavered(self, event: Wavered) -> list[str]:
        test = f"Group {event.group} tests its morale: 2d6 show {event.roll}"
        names = [self.figures[who].called for who in event.fled]
        if not names:
            return ["", f"{test}. Nobody runs!"]
        told = listed(names)
        return ["", f"{test}. {told[:1].upper()}{told[1:]} {'turns and runs' if len(names) == 1 else 'turn and run'}!"]

    def rested(self, event: dungeon.Rested) -> list[str]:
        healed = f"rests and heals {event.healed}: {event.hp} hit points now"
        return [f"{self.figures[event.who].name} {healed if event.healed else 'is at full health'}."]

    def struck(self, event: Struck) -> list[str]:
        """Return the lines of an attack, with a blank one before each turn and before a death."""
        actors = (event.who, event.target)
        lines = [] if event.again else [""]
        lines.append(self._sentence(w.Message.ATTACK, actors))
        if not event.damage:
            return [*lines, self._sentence(w.Message.MISS, actors)]
        grave = not event.left or event.damage > event.left  # more than half of what it had
        lines.append(self._sentence(w.Message.HIT, actors, event.damage, grave=grave))
        return lines if event.left else [*lines, "", self._sentence(w.Message.DEATH, actors)]

    def _sentence(
        self, message: w.Message, actors: tuple[int, ...], number: int | None = None, *, grave: bool = False
    ) -> str:
        texts = self._texts[message]
        if self._dice is None or len(texts) == 1:
            at = self._used[message] % len(texts)
        else:
            at = self._dice.roll(len(texts)) - 1
        self._used[message] += 1
        text = texts[at]
        for others, wanted in (
            (w.INDOORS, self._indoors),
            (w.GRAVE, grave),
            (w.NONE, number is not None and number < 1),
        ):
            text = others.get(text, text) if wanted else text
        return w.render(text, [self.figures[actor] for actor in actors], number)


def _entered(_: _Narrator, event: dungeon.Entered) -> list[str]:
    monsters = count_text(MONSTERS_BY_NAME[event.kind], event.count)
    return [f"Room {event.room} of {event.rooms}", event.text, f"{monsters[0].upper()}{monsters[1:]}!", ""]


def _cleared(_: _Narrator, event: dungeon.Cleared) -> list[str]:
    share = "" if event.each == event.total else f", {event.each} for each survivor"
    return ["", f"Room {event.room} won{f': {event.total} XP{share}' if event.total else ''}."]


def _tested(_: _Narrator, event: dungeon.Morale) -> list[str]:
    test = f"The {MONSTERS_BY_NAME[event.kind].plural} test their morale of {event.morale}: 2d6 show {event.roll}"
    if not event.fled:
        return ["", f"{test}. They fight on."]
    return ["", f"{test}. {'The last one turns and runs' if event.fled == 1 else 'They turn and run'}!"]


def _ended(_: _Narrator, event: dungeon.Ended) -> list[str]:
    won = f": {quantity(event.rooms, 'room')} won" if event.rooms else ""
    if event.ending is Ending.RETREAT:
        home = [score.name for score in event.scores if score.alive]
        lines = ["", f"{f'{home[0]} goes' if len(home) == 1 else 'The heroes go'} home{won}."]
    elif any(score.alive for score in event.scores):
        lines = ["", f"The dungeon is empty{won}!"]
    else:
        lines = ["", f"Nobody comes back{won}."]
    for score in event.scores:
        fate = [f"{score.experience:,} XP"] * bool(score.experience) + ["dead"] * (not score.alive)
        lines.append(f"{score.name}: {', '.join(fate) or 'no XP'}.")
    return lines


_LINES: Mapping[type, Callable[[_Narrator, Any], list[str]]] = {
    Cast: _Narrator.cast,
    RoundBegan: _Narrator.round_began,
    Passed: lambda *_: [""],
    Struck: _Narrator.struck,
    Paused: lambda _, event: ["", f"After {event.rounds} rounds the fight goes on."],
    Wavered: _Narrator.wavered,
    Opened: _Narrator.opened,
    # The winner needs no line: the last enemy's death has one.
    Ended: lambda _, event: ["", _HOPELESS] if event.ending is Ending.STALEMATE else [],
    Closed: _Narrator.closed,
    dungeon.Joined: lambda _, event: [f"{event.name} joins the party."],
    dungeon.SteppedOut: lambda _, event: [f"{event.name} steps out."],
    dungeon.Rested: _Narrator.rested,
    dungeon.Entered: _entered,
    dungeon.Morale: _tested,
    dungeon.Fled: lambda *_: ["", "The heroes turn and run, and every monster strikes at their backs!"],
    dungeon.Parted: lambda *_: ["", _HOPELESS],
    dungeon.Cleared: _cleared,
    dungeon.Ended: _ended,
}


def sentences(events: Iterable[object]) -> Counter[w.Message]:
    """Count the sentences that the narrator needs for the events of a fight, by message."""
    needed: Counter[w.Message] = Counter()
    for event in events:
        match event:
            case RoundBegan():
                needed[w.Message.INITIATIVE] += len(event.order)
            case Struck():
                needed[w.Message.ATTACK] += 1
                needed[w.Message.HIT if event.damage else w.Message.MISS] += 1
                needed[w.Message.DEATH] += not event.left
    return needed


S = TypeVar("S", State, dungeon.State)


class Telling(StepRunner[S, Any]):
    """Takes a step of a duel or a dungeon, and tells it."""

    @override
    def step(self) -> Step[S, Any]:
        """Return the step: first of its events the cast, with the texts that the others need.

        In the first version of the rules the cast has all texts, and the seed of a choice among them.
        """
        setup, rotation = self.state.setup, self.state.telling
        words, voice = setup.words, None
        if setup.edition == 1:
            voice = w.draw_voice(self.dice) if words.has_variants else None
        else:
            if rotation is None and words.has_variants:
                rotation = w.TextRotation.begin(self.dice)
            if rotation is not None:
                words, rotation = rotation.deal(words, sentences(self.events))
            self.change(telling=rotation)
        figures = tuple(critter.figure for critter in self.state.critters)
        first = Cast(figures=figures, words=words, voice=voice)
        return Step(self.state, (first, *self.events), tuple(self.rounds))
