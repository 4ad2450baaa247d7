"""Tells the steps of a duel or a dungeon: the cast, and the log in its words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Generic, TypeVar

from sim.core.battle import Step
from sim.core.dice import Dice, SeededDice, seed_bytes
from sim.core.names import listed
from sim.core.numbers import quantity
from sim.core.values import Ending, Paused
from sim.duel import words as w
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.values import Cast, Closed, Ended, FightEvent, Opened, Passed, RoundBegan, State, Struck, Wavered
from sim.duel.battle.values import Event as DuelEvent
from sim.duel.critter import Figure
from sim.duel.monsters import MONSTERS_BY_NAME, count_text

_FLIGHT = "The heroes turn and run, and every monster strikes at their backs!"
_HOPELESS = "Stalemate: neither side can hit the other."


_OWNED = "guard", "helmet", "name", "nose", "pockets"
"""What the stories of earlier versions tell "of" somebody."""

_ALL_WELL = "Everyone is at full health."


def log(events: Iterable[DuelEvent | dungeon.Event], *, indoors: bool = False) -> list[str]:
    """Return the story of `events`, the cast first, line by line; `indoors`: without snow and wind."""
    narrator = _Narrator(indoors=indoors)
    events = list(events)
    rests = [event for event in events if isinstance(event, dungeon.Rested)]
    idle = len(rests) > 1 and not any(rest.healed for rest in rests)
    lines = [_ALL_WELL] if idle else []
    return lines + [line for event in events if not (idle and event in rests) for line in narrator.lines(event)]


_MOMENTS = 3


def moments(events: Sequence[DuelEvent]) -> list[str]:
    """Return the three blows that a long fight is remembered by, the last one among them, and how the story closed.

    Empty of a fight of so few rounds that it can be read whole.
    """
    if sum(isinstance(event, RoundBegan) for event in events) <= _MOMENTS:
        return []
    narrator, number = _Narrator(indoors=False), 0
    blows: list[tuple[tuple[bool, int, int], int, list[str]]] = []
    closing: list[str] = []
    for at, event in enumerate(events):
        lines = narrator.lines(event)
        if isinstance(event, RoundBegan):
            number = event.number
        elif isinstance(event, Struck) and event.damage:
            blows.append(((not event.left, event.damage, at), number, [line for line in lines if line]))
        elif isinstance(event, Ended | Closed):
            closing += lines
    best = sorted(blows[:-1], reverse=True)[: _MOMENTS - 1] + blows[-1:]
    chosen = sorted(best, key=lambda blow: blow[0][2])
    return [line for _, told, lines in chosen for line in (f"Round {told}!", *lines, "")] + closing


class _Narrator:
    """Writes the events of fights in the words of the last cast."""

    def __init__(self, *, indoors: bool) -> None:
        self.figures: Sequence[Figure] = ()
        self._indoors = indoors
        self._set_words(w.DEFAULT_WORDS, None)

    def lines(self, event: DuelEvent | dungeon.Event) -> list[str]:
        """Return the lines of an event; a cast has none, but sets the figures and words of the events that follow."""
        match event:
            case Cast():
                self.figures = event.figures
                self._set_words(event.words, event.voice)
                return []
            case RoundBegan() | Passed() | Struck() | Paused():
                return self._fight_lines(event)
            case Wavered() | Opened() | Ended() | Closed():
                return self._duel_lines(event)
            case _:
                return self._dungeon_lines(event)

    def _fight_lines(self, event: FightEvent | Paused) -> list[str]:
        match event:
            case RoundBegan():
                counts = [self._sentence(w.Message.INITIATIVE, (who,), count) for who, count in event.order]
                return [f"Round {event.number}!", "", *counts]
            case Passed():
                return [""]
            case Struck():
                return self._attack_lines(event)
            case Paused():
                return ["", f"After {event.rounds} rounds the fight goes on."]

    def _duel_lines(self, event: Wavered | Opened | Ended | Closed) -> list[str]:
        match event:
            case Wavered():
                return ["", self._morale_line(event)]
            case Opened():
                return [*self._owned(event.text).split("\n"), ""]
            case Ended():
                # The winner needs no line: the last enemy's death has one.
                return ["", _HOPELESS] if event.ending is Ending.STALEMATE else []
            case Closed():
                quick = ["That didn't take long!", ""] if event.quick else []
                return ["", *quick, *self._owned(event.text).split("\n"), "", "The End"]

    def _owned(self, text: str) -> str:
        for thing, figure in product(_OWNED, self.figures):
            text = text.replace(f"the {thing} of {figure.called}", f"{figure.called}'s {thing}")
        return text

    def _morale_line(self, event: Wavered) -> str:
        test = f"Group {event.group} tests its morale: 2d6 show {event.roll}"
        names = [self.figures[who].called for who in event.fled]
        if not names:
            return f"{test}. Nobody runs!"
        told = listed(names)
        return f"{test}. {told[:1].upper()}{told[1:]} {'turns and runs' if len(names) == 1 else 'turn and run'}!"

    def _dungeon_lines(self, event: dungeon.OwnEvent) -> list[str]:
        match event:
            case dungeon.Joined():
                lines = [f"{event.name} joins the party."]
            case dungeon.SteppedOut():
                lines = [f"{event.name} steps out."]
            case dungeon.Rested():
                healed = f"rests and heals {event.healed}: {event.hp} hit points now"
                rested = healed if event.healed else "is at full health"
                lines = [f"{self.figures[event.who].name} {rested}."]
            case dungeon.Entered():
                monsters = count_text(MONSTERS_BY_NAME[event.kind], event.count)
                lines = [f"Room {event.room} of {event.rooms}", event.text, f"{monsters[0].upper()}{monsters[1:]}!", ""]
            case dungeon.Morale():
                lines = ["", _flight_line(event)]
            case dungeon.Fled():
                lines = ["", _FLIGHT]
            case dungeon.Parted():
                lines = ["", _HOPELESS]
            case dungeon.Cleared():
                lines = ["", _cleared_line(event)]
            case dungeon.Ended():
                lines = _end_lines(event)
        return lines

    def _attack_lines(self, event: Struck) -> list[str]:
        """Return the lines of an attack, with a blank one before each turn and before a death."""
        actors = (event.who, event.target)
        lines = [] if event.again else [""]
        lines.append(self._sentence(w.Message.ATTACK, actors))
        if not event.damage:
            return [*lines, self._sentence(w.Message.MISS, actors)]
        grave = not event.left or event.damage > event.left  # more than half of what it had
        lines.append(self._sentence(w.Message.HIT, actors, event.damage, grave=grave))
        return lines if event.left else [*lines, "", self._sentence(w.Message.DEATH, actors)]

    def _set_words(self, words: w.Words, voice: int | None) -> None:
        self._texts = {message: words.variants(message) for message in w.Message}
        self._used: Counter[w.Message] = Counter()
        self._dice = None if voice is None else SeededDice(seed_bytes(voice))

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
        return w.compile_template(text, w.SHAPES[message]).render([self.figures[actor] for actor in actors], number)


def _cleared_line(event: dungeon.Cleared) -> str:
    if not event.total:
        return f"Room {event.room} won."
    share = "" if event.each == event.total else f", {event.each} for each survivor"
    return f"Room {event.room} won: {event.total} XP{share}."


def _flight_line(event: dungeon.Morale) -> str:
    monster = MONSTERS_BY_NAME[event.kind]
    test = f"The {monster.plural} test their morale of {event.morale}: 2d6 show {event.roll}"
    if not event.fled:
        return f"{test}. They fight on."
    return f"{test}. {'The last one turns and runs' if event.fled == 1 else 'They turn and run'}!"


def _end_lines(event: dungeon.Ended) -> list[str]:
    won = f": {quantity(event.rooms, 'room')} won" if event.rooms else ""
    if event.ending is Ending.RETREAT:
        first = f"The heroes go home{won}."
    elif any(score.alive for score in event.scores):
        first = f"The dungeon is empty{won}!"
    else:
        first = f"Nobody comes back{won}."
    return ["", first, *map(_score_line, event.scores)]


def _score_line(score: dungeon.Score) -> str:
    experience = f"{score.experience:,} XP" if score.experience else ""
    fate = "" if score.alive else "dead"
    return f"{score.name}: {', '.join(filter(None, [experience, fate])) or 'no XP'}."


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


class Telling(Generic[S]):
    """Advances a duel or a dungeon by one step: `state` as it stands, and what happened so far."""

    def __init__(self, state: S, dice: Dice) -> None:
        self.state: S = state
        self._dice = dice
        self._events: list[Any] = []
        self._rounds: list[S] = []

    def step(self) -> Step[S, Any]:
        """Return the step: first of its events the cast, with the texts that the others need.

        In the first version of the rules the cast has all texts, and the seed of a choice among them.
        """
        setup, rotation = self.state.setup, self.state.telling
        words, voice = setup.words, None
        if setup.edition == 1:
            voice = w.draw_voice(self._dice) if words.has_variants else None
        else:
            if rotation is None and words.has_variants:
                rotation = w.TextRotation.begin(self._dice)
            if rotation is not None:
                words, rotation = rotation.deal(words, sentences(self._events))
            self._set(telling=rotation)
        figures = tuple(critter.figure for critter in self.state.critters)
        first = Cast(figures=figures, words=words, voice=voice)
        return Step(self.state, (first, *self._events), tuple(self._rounds))

    def _set(self, **values: object) -> None:
        self.state = self.state.model_copy(update=values)
