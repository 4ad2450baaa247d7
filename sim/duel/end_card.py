"""What the card of a finished fight says: how likely the end was, what decided it, who did most."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sim.core.cards.values import verdict, winners_luck
from sim.core.errors import RuleError
from sim.core.numbers import percent
from sim.duel.battle.values import GROUP_1, Cast, RoundBegan, State, Struck
from sim.duel.critter import Critter, Figure
from sim.duel.dungeon.values import State as DungeonState
from sim.duel.reports import DuelOdds
from sim.duel.requests import DuelOddsRequest

ODDS_SECONDS = 0.15
"""The most that the odds on a card may take, by their own estimate."""

_MANY = 2  # kills worth a word


@dataclass(frozen=True, slots=True)
class _Blow:
    round: int
    event: Struck
    striker: str
    target: str


@dataclass
class _Blows:
    """The blows that hit, with the names of those who dealt and took them."""

    hits: list[_Blow] = field(default_factory=list)
    rounds: int = 0

    @classmethod
    def of(cls, events: Iterable[object]) -> "_Blows":
        blows = cls()
        figures: Sequence[Figure] = ()
        for event in events:
            match event:
                case Cast():
                    figures = event.figures
                case RoundBegan():
                    blows.rounds = event.number
                case Struck() if event.damage:
                    names = figures[event.who].called, figures[event.target].called
                    blows.hits.append(_Blow(blows.rounds, event, *names))
        return blows

    @property
    def kills(self) -> list[_Blow]:
        return [blow for blow in self.hits if not blow.event.left]


def duel_notes(
    state: State, events: Iterable[object], chance: float | None = None, *, engines: bool = True
) -> tuple[str, ...]:
    """Return the notes of a duel that somebody won; `events`: all that happened in it.

    `chance`: that the winning group had before the fight, where that is known. `engines`: whether there is NumPy, for
    exact odds.
    """
    if state.winner is None:
        return ()
    blows = _Blows.of(events)
    critters = state.setup.critters
    if engines and len(critters) == 2:  # noqa: PLR2004 - one against one
        return tuple(_exact_notes(critters, 0 if state.winner == GROUP_1 else 1, blows))
    luck: tuple[str, ...] = ()
    if chance is not None:
        luck = (winners_luck(chance),)
    return (*luck, *_deeds(blows, range(len(critters))))


def dungeon_notes(state: DungeonState, events: Iterable[object]) -> tuple[str, ...]:
    """Return the notes of a finished dungeon; `events`: all that happened in it."""
    return tuple(_deeds(_Blows.of(events), range(len(state.heroes))))


def exact_odds(first: Critter, second: Critter, seconds: float = ODDS_SECONDS) -> DuelOdds | None:
    """Return the exact odds of one against one; None if they take longer, or if the fight can never end."""
    try:
        request = DuelOddsRequest(group1=(first,), group2=(second,))
        return request.run() if request.cost() <= seconds else None
    except RuleError:
        return None


def _exact_notes(critters: Sequence[Critter], winner: int, blows: _Blows) -> Iterator[str]:
    """Yield how likely the winner was, and the round that raised its chance most."""
    hp = [critter.hp for critter in critters]
    stands = [tuple(hp)]
    for number in range(1, blows.rounds + 1):
        for blow in blows.hits:
            if blow.round == number:
                hp[blow.event.target] = blow.event.left
        stands.append((hp[0], hp[1]))
    chances = _chances(critters, winner, stands[:-1])
    name = critters[winner].called
    if chances is None:
        yield from _deeds(blows, range(len(critters)))
        return
    start = chances[0]
    name = f"{name[:1].upper()}{name[1:]}"
    yield f"{verdict(start, 'The favorite')}: {name} had {percent(start)} at the start"
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


def _chances(critters: Sequence[Critter], winner: int, stands: Sequence[tuple[int, ...]]) -> list[float] | None:
    """Return the winner's chance at each stand, the hit points of both; None if that takes long."""
    known: dict[tuple[int, ...], float] = {}
    for stand in stands:
        if stand not in known:
            first, second = (
                critter.model_copy(update={"hp": left}) for critter, left in zip(critters, stand, strict=True)
            )
            odds = exact_odds(first, second, ODDS_SECONDS / len(stands))
            if odds is None:
                return None
            known[stand] = (odds.p_win_first, odds.p_win_second)[winner]
    return [known[stand] for stand in stands]


def _deeds(blows: _Blows, who: Iterable[int]) -> Iterator[str]:
    """Yield who of those slew most, the hardest blow, and the last one that killed."""
    counted = set(who)
    kills = Counter(blow.striker for blow in blows.kills if blow.event.who in counted)
    if kills and kills.most_common(1)[0][1] >= _MANY:
        name, count = kills.most_common(1)[0]
        yield f"Most kills: {name}, {count}"
    if blows.kills:
        last = blows.kills[-1]
        yield f"Last blow: {last.striker} hits {last.target} for {last.event.damage}"
