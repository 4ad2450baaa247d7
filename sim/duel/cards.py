"""Cards of characters, duels and dungeons.

A fight's card has hit points, what the last page cost and the chances from here, at the end what decided it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from typing import Any, Literal

from typing_extensions import override

from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, FightCard, Scene, SheetCard
from sim.core.cards.theme import COLORS
from sim.core.dice import SeededDice
from sim.core.numbers import percent, quantity
from sim.core.values import Ending
from sim.duel import pictures as p
from sim.duel.battle import GROUP_1, GROUP_2, GROUPS, Cast, RoundBegan, Run, Struck
from sim.duel.battle import Event as DuelEvent
from sim.duel.battle import State as DuelState
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.log import log
from sim.duel.battle.rules import Duel
from sim.duel.critter import MODIFIERS, Critter, Figure, Gender
from sim.duel.requests import MIN_BATTLES, DuelOddsRequest
from sim.duel.words import DEFAULT_WORDS

_SECONDS = 0.5

ODDS_SECONDS = 0.15
"""The most that the odds on a card may take, by their own estimate."""

_LONG_NAME = 13  # letters: with "fell to" before a longer one, it would be cut
_PAIR = 2

_TRIES = 100
"""Fights played out for a chance, to some points."""

_MOST_TURNS = 8_000
"""Turns in these fights; measured: some hundredths of a second."""

_NAME_ROOM = 26
"""Characters of a side's name, in a title and on the bar."""


class StoryCardRequest(CardRequest):
    """Draws the card of a duel or a dungeon from its stored state and the events of its last pages, as JSON.

    What was lost is that of the last page. At the end all pages are needed, to tell what decided it.
    """

    max_seconds = _SECONDS
    character_seconds = 1e-7  # measured, rounded up
    system: Literal["duel", "dungeon"]
    state_json: str
    events_json: tuple[str, ...] = ()

    @override
    def draw(self) -> Card:
        rules: Any = Duel() if self.system == Duel.name else Dungeon()
        state = rules.states.read_json(self.state_json)
        pages = [rules.events.read_lists([text]) for text in self.events_json]
        if self.system == Duel.name:
            scene = snow(state)
            colors = COLORS if scene is None else p.SNOW_COLORS
            return duel_card(state, pages, engines=self.engines).with_scene(scene, colors)
        return dungeon_card(state, pages).with_scene(corridor(state))


def panel_card(
    state: DuelState | dungeon.State, state_json: str, events_json: Sequence[str]
) -> StoryCardRequest | None:
    """Return the card of a duel or a dungeon, see `sim.jobs.replay_page`; None of a dungeon without heroes.

    Of a duel, the events of the last page are enough before the end; of a dungeon, as long as no hero fell.
    """
    if isinstance(state, dungeon.State) and not state.heroes:
        return None
    whole = state.ending is not None or isinstance(state, dungeon.State)
    pages = tuple(events_json if whole else events_json[-1:])
    system: Literal["duel", "dungeon"] = "duel" if isinstance(state, DuelState) else "dungeon"
    return StoryCardRequest(system=system, state_json=state_json, events_json=pages)


def snow(state: DuelState) -> Scene | None:
    """Return the snow field with both sides, of whom the slain lie and the fled are gone; None if they are too many."""
    if max(map(len, state.setup.members)) > p.MOST_SHOWN:
        return None
    critters = state.setup.critters
    sides = [
        [(critters[at], state.hp[at] / critters[at].hp) for at in group if at not in state.fled]
        for group in state.setup.members
    ]
    return partial(p.draw_snow, sides=sides, rounds=state.round)


def corridor(state: dungeon.State) -> Scene:
    """Return the map of the rooms, with the party's torch: at the gate before it enters and when it has left."""
    rooms = state.setup.rooms
    gone = state.alive and (state.fled or state.ending is Ending.RETREAT)
    room = 0 if gone else state.room
    return partial(p.draw_map, rooms=rooms, room=room, won=state.rooms_won, lost=not state.alive)


_MOST_CAPTION = 60
"""Characters of a line of prose on a card."""


def duel_card(state: DuelState, pages: Sequence[Sequence[DuelEvent]], *, engines: bool = True) -> FightCard:
    """Return the card of a duel; `pages`: the events of the last pages, of all of them at the end."""
    critters, chances = state.setup.critters, _chances(state, engines=engines)
    rows = _Blows.of(*pages[-1:]).rows("Fighter", critters, state.hp)
    for number in state.fled:
        rows[number] = rows[number].model_copy(update={"figures": "fled", "gone": True})
    left, right = (
        _side(state.setup.side_name(seat, _NAME_ROOM), rows[part.start : part.stop], chance)
        for seat, part, chance in zip(GROUPS, state.setup.members, chances or (None, None), strict=True)
    )
    title = f"Round {state.round}" if state.round else "Before the fight"
    aside = "" if chances is None else "chances from here"
    prose = log(pages[-1]) if pages and state.round else []
    short = [text for text in prose if text and len(text) <= _MOST_CAPTION and text != "The End"]
    notes: tuple[str, ...] = (short[-1].rstrip("."),) if len(short) > 1 else ()
    if state.ending is not None:
        title = _duel_end(state, left, right)
        aside = f"after {state.round} {'round' if state.round == 1 else 'rounds'}"
        notes = tuple(_duel_notes(state, _Blows.of(*pages), engines=engines))
    rough = _has_morale(state) or max(map(len, state.living)) > 1  # what isn't simulated or played out is exact
    return FightCard(title=title, aside=aside, left=left, right=right, rough=rough, notes=notes)


def _duel_end(state: DuelState, left: v.FightSide, right: v.FightSide) -> str:
    if state.winner is None:
        return "Nobody wins"
    if state.setup.sides:
        return f"Victory for {state.setup.side_name(state.winner, _NAME_ROOM)}"
    won = left if state.winner == GROUP_1 else right
    return f"{_capitalized(won.name)} {'wins' if len(state.setup.groups[state.winner]) == 1 else 'win'}"


def _capitalized(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def dungeon_card(state: dungeon.State, pages: Sequence[Sequence[dungeon.Event]]) -> FightCard:
    """Return the card of a dungeon; `pages` as of a duel."""
    blows, story, size = _Blows.of(*pages[-1:]), _Blows.of(*pages), len(state.heroes)
    blows.killer = story.killer
    chances = None
    if state.phase is dungeon.Phase.FIGHT:
        chances = _played_out(Dungeon(), state, lambda after: GROUP_1 if after.alive else GROUP_2)
    heroes_chance, monsters_chance = chances or (None, None)
    rows = blows.rows("Hero", state.critters, [hero.hp for hero in state.heroes])
    for number, hero in enumerate(state.heroes):
        if hero.experience and not rows[number].gone:
            figures = f"{rows[number].figures} · {hero.experience:,} XP"
            rows[number] = rows[number].model_copy(update={"figures": figures})
    left = _side("Heroes", rows, heroes_chance)
    right = None
    if state.foes is not None and state.phase is dungeon.Phase.FIGHT:
        monsters = blows.rows("Monster", state.critters, state.foes.hp, first=size)
        right = _side("Monsters", monsters, monsters_chance)
    title, aside = _dungeon_title(state)
    notes = tuple(story.deeds(size)) if state.ending is not None else ()
    return FightCard(title=title, aside=aside, left=left, right=right, rough=True, notes=notes)


def _dungeon_title(state: dungeon.State) -> tuple[str, str]:
    """Return the title and what stands beside it."""
    rooms, level = state.setup.rooms, f"level {state.setup.level}"
    if state.fled and state.alive:
        return f"Fled from room {state.room} of {rooms}", level
    if state.ending is Ending.RETREAT:
        return f"Home after room {state.room} of {rooms}", level
    if state.ending is not None:
        won = f"All {rooms} rooms won" if rooms > 1 else "The dungeon is won"
        return won if state.alive else f"Lost in room {state.room} of {rooms}", level
    if not state.room:
        return "At the gate", f"{quantity(rooms, 'room')}, {level}"
    aside = f"round {state.round}" if state.round else ""
    return f"Room {state.room} of {rooms}", "won" if state.phase is dungeon.Phase.CLEARED else aside


def _side(name: str, rows: Sequence[v.HealthRow], chance: float | None) -> v.FightSide:
    # Those who still fight come first if there are too many to show.
    order = sorted(range(len(rows)), key=lambda at: rows[at].gone)
    shown = tuple(rows[at] for at in sorted(order[: v.MAX_ROWS]))
    return v.FightSide(name=name, rows=shown, chance=chance, more=len(rows) - len(shown))


@dataclass(frozen=True, slots=True)
class _Blow:
    round: int
    event: Struck
    striker: str
    target: str


@dataclass
class _Blows:
    """The blows that hit, with the names of those who dealt and took them; damage taken, and who killed whom."""

    hits: list[_Blow] = field(default_factory=list)
    damage: Counter[int] = field(default_factory=Counter)
    killer: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, *pages: Iterable[object]) -> "_Blows":
        blows, number = cls(), 0
        figures: Sequence[Figure] = ()
        for event in chain.from_iterable(pages):
            match event:
                case Cast():
                    figures = event.figures
                case RoundBegan():
                    number = event.number
                case Struck() if event.damage:
                    blows.hits.append(_Blow(number, event, figures[event.who].called, figures[event.target].called))
                    blows.damage[event.target] += event.damage
                    if not event.left:
                        blows.killer[event.target] = figures[event.who].name
        return blows

    def rows(self, kind: str, everybody: Sequence[Critter], hp: Sequence[int], first: int = 0) -> list[v.HealthRow]:
        """Return the rows of fighters with these hit points; `first`: the number of the first one."""
        found = []
        for at, left in enumerate(hp):
            critter, killer = everybody[first + at], self.killer.get(first + at)
            note = "dead" if killer is None else (f"fell to {killer}" if len(killer) <= _LONG_NAME else f"by {killer}")
            lost = min(self.damage[first + at], critter.hp - left)
            found.append(v.HealthRow.of(critter.name, left, critter.hp, lost, note, f"{kind} {at + 1}"))
        return found

    def deeds(self, fighters: int) -> Iterator[str]:
        """Yield who of the first fighters slew most, and the last blow that killed."""
        deadly = [blow for blow in self.hits if not blow.event.left]
        kills = Counter(blow.striker for blow in deadly if blow.event.who < fighters)
        for name, count in kills.most_common(1):
            if count > 1:
                yield f"Most kills: {name}, {count}"
        if deadly:
            yield f"Last blow: {deadly[-1].striker} hits {deadly[-1].target} for {deadly[-1].event.damage}"


def _duel_notes(state: DuelState, blows: _Blows, *, engines: bool) -> Iterator[str]:
    """Yield what decided a duel that somebody won: how likely that was, and the round that raised the chance most.

    Of groups: who did most.
    """
    if state.winner is None:
        return
    critters, winner = state.setup.critters, GROUPS.index(state.winner)
    chances = _chances_by_round(state, winner, blows) if engines and len(critters) == _PAIR else None
    if chances is None:
        if engines and len(critters) > _PAIR and (first := _chances(Duel().begin(state.setup))) is not None:
            yield f"{v.verdict(first[winner])}: they had {v.rough_percent(first[winner])} at the start"
        yield from blows.deeds(len(critters))
        return
    name = _capitalized(critters[winner].called)
    yield f"{v.verdict(chances[0], 'The favorite')}: {name} had {percent(chances[0])} at the start"
    steps = [after - before for before, after in pairwise((*chances, 1.0))]
    decisive = max(range(len(steps)), key=steps.__getitem__)
    hits = [blow for blow in blows.hits if blow.round == decisive + 1 and blow.event.who == winner]
    damage = max((blow.event.damage for blow in hits), default=0)
    what = f"{name} hits for {damage}, " if damage else ""
    if len(steps) == 1:
        yield f"It took one round: {what}and that was that"
    elif decisive == len(steps) - 1:
        yield f"Decided in the last round: {what}{percent(chances[-1])} before it"
    else:
        yield f"Turned in round {decisive + 1}: {what}{percent(chances[decisive])} → {percent(chances[decisive + 1])}"


def _chances_by_round(state: DuelState, winner: int, blows: _Blows) -> list[float] | None:
    """Return the winner's exact chance before each round of one against one; None if that takes long."""
    hp = [critter.hp for critter in state.setup.critters]
    known: dict[tuple[int, ...], float] = {}
    chances = []
    for number in range(1, state.round + 1):
        stand = tuple(hp)
        if stand not in known:
            odds = _quick_odds(state.model_copy(update={"hp": stand, "fled": ()}), ODDS_SECONDS / state.round)
            if odds is None:
                return None
            known[stand] = odds[winner]
        chances.append(known[stand])
        for blow in blows.hits:
            if blow.round == number:
                hp[blow.event.target] = blow.event.left
    return chances


def _quick_odds(state: DuelState, seconds: float) -> v.Chances | None:
    """Return the chances of those who still fight; None if they take longer, or if it can never end."""
    first, second = (
        tuple(state.setup.critters[number].model_copy(update={"hp": state.hp[number]}) for number in group)
        for group in state.living
    )
    try:
        request = DuelOddsRequest(group1=first, group2=second, battles=MIN_BATTLES)
        odds = request.run() if request.cost() <= seconds else None
    except RuleError:
        return None
    return None if odds is None else (odds.p_win_first, odds.p_win_second)


def _chances(state: DuelState, *, engines: bool = True) -> v.Chances | None:
    """Return the chances from here; None if the duel is over, if it can never end, or if they take long."""
    if state.ending is not None:
        return None
    if _has_morale(state):
        return _played_out(Duel(), state, lambda after: after.winner, narrated=False)
    return _quick_odds(state, ODDS_SECONDS) if engines else None


def _has_morale(state: DuelState) -> bool:
    return state.setup.morale and len(state.setup.critters) > _PAIR  # one alone has nobody's fall to fear


def _played_out(
    rules: Any,  # noqa: ANN401  # of duels or dungeons, as the state is
    state: Any,  # noqa: ANN401  # as above
    winner: Callable[[Any], Seat | None],
    **terms: object,
) -> v.Chances | None:
    """Return the chances from fights played out by the rules; None if they take too many turns."""
    setup = state.setup.model_copy(update={"words": DEFAULT_WORDS, **terms})
    state = state.model_copy(update={"setup": setup, "telling": None})
    wins: Counter[Seat | None] = Counter()
    turns = 0
    for number in range(_TRIES):
        step = rules.step(state, Run(), "", SeededDice(b"chances from here", number))
        turns += sum(len(event.order) for event in step.events if isinstance(event, RoundBegan))
        if turns > _MOST_TURNS:
            return None
        wins[winner(step.state)] += 1
    return wins[GROUP_1] / _TRIES, wins[GROUP_2] / _TRIES


PRONOUNS = {Gender.HE: "he/him", Gender.SHE: "she/her", Gender.IT: "it/its"}


def character_card(critter: Critter) -> SheetCard:
    """Return the card of a character: what counts in a fight, and its abilities."""
    facts: dict[str, object] = {
        "Hit points": critter.hp,
        "Armor class": critter.armour_class,
        "To hit AC 0": critter.to_hit,
        "Damage": f"{critter.damage} × {critter.attacks}" if critter.attacks > 1 else critter.damage,
    }
    for short, ability in MODIFIERS.items():
        score = "" if critter.abilities is None else str(getattr(critter.abilities, ability))
        modifier = signed(getattr(critter, short)) if getattr(critter, short) or not score else ""
        facts[ability.capitalize()] = f"{score} {modifier}".strip()
    return SheetCard(
        title=critter.name,
        aside=f"{PRONOUNS[critter.gender]} · {critter.alignment.capitalize()}",
        facts=tuple(v.Fact(label=label, figure=str(figure)) for label, figure in facts.items()),
    )


class CharacterCardRequest(CardRequest):
    """Draws the card of a character."""

    max_seconds = _SECONDS

    critter: Critter

    @override
    def draw(self) -> Card:
        return p.draw_character(character_card(self.critter), self.critter)


def characters_card(critters: Sequence[Critter]) -> SheetCard:
    """Return the card of several characters."""
    shown = critters[: v.MAX_SHEET_ROWS]
    wide = len(shown) <= v.MAX_WIDE_ROWS
    rows = (
        v.HealthRow(
            name=critter.name,
            left=1.0,
            figures=f"{critter.hp} HP · AC {critter.armour_class}{f' · {critter.damage}' if wide else ''}",
            instead=f"Character {number}",
        )
        for number, critter in enumerate(shown, start=1)
    )
    return SheetCard(
        title=f"{len(critters)} characters",
        aside="hit points, armor class" + (", damage" if wide else ""),
        rows=tuple(rows),
        more=len(critters) - len(shown),
        faces=tuple(map(p.figure, shown)),
    )


def signed(value: int) -> str:
    """Return a modifier for readers, with a sign unless it is 0."""
    return f"{value:+d}".replace("-", "\N{MINUS SIGN}") if value else "0"
