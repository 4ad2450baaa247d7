"""Rounds of a battle, worked out with dice (rules: A round)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sim.core.dice import Dice
from sim.core.outcomes import Ending
from sim.marked_for_death.battle.values import (
    Attack,
    Combatant,
    Ended,
    Event,
    Fell,
    FighterHp,
    Fought,
    Mustered,
    Paused,
    State,
)
from sim.marked_for_death.roster import Camp, Fighter, Roster
from sim.marked_for_death.stats import Bonds, Card, cards

ROUNDS_AT_ONCE = 100
"""Rounds after which a run pauses."""

RECORDS_AT_ONCE = 10_000
"""Attacks and fighters in the rounds of a run after which it pauses: what happened has to be kept and shown."""

DICE_AT_ONCE = 500_000
"""Dice after which a run pauses."""

_PERCENT = 2  # decimals that the seed's dice know


def combatants(roster: Roster) -> tuple[Combatant, ...]:
    """Return a roster's fighters as they enter a battle."""
    return tuple(Combatant(fighter=fighter, hp=fighter.hp) for fighter in roster.fighters)


def with_ending(state: State) -> State:
    """Return the state with its ending, if it is over: a side is gone, or the round limit is reached."""
    stands = {camp: any(combatant.stands for combatant in state.force(camp)) for camp in Camp}
    ending, winner = None, None
    if not any(stands.values()):
        ending = Ending.MUTUAL
    elif not all(stands.values()):
        ending, winner = Ending.ANNIHILATION, next(camp for camp in Camp if stands[camp])
    elif state.max_rounds is not None and state.round >= state.max_rounds:
        ending = Ending.ROUND_LIMIT
    return state.model_copy(update={"ending": ending, "winner": winner})


def side_cards(state: State, camp: Camp) -> tuple[Card, ...]:
    """Return every fighter of a side as it stands now."""
    force = state.force(camp)
    fighters, hp, fought = [], [], []
    for combatant in force:
        fighters.append(combatant.fighter)
        hp.append(combatant.hp)
        fought.append(combatant.fought)
    return cards(fighters, hp, fought)


def muster_event(state: State) -> Mustered:
    """Return how both sides stand."""
    return Mustered(heroes=side_cards(state, Camp.HEROES), villains=side_cards(state, Camp.VILLAINS))


def ended_event(state: State) -> Ended | None:
    """Return how the battle ended; None while it goes on."""
    if state.ending is None:
        return None
    left = {
        camp.value: tuple((combatant.fighter.name, combatant.hp) for combatant in state.force(camp) if combatant.stands)
        for camp in Camp
    }
    return Ended(ending=state.ending, winner=state.winner, rounds=state.round, **left)


@dataclass(slots=True)
class _Force:
    """A side under way; lists by place in the file."""

    fighters: tuple[Fighter, ...]
    hp: list[int]
    fought: list[int]
    bonds: Bonds

    @classmethod
    def of(cls, force: Sequence[Combatant]) -> "_Force":
        fighters = tuple(combatant.fighter for combatant in force)
        return cls(
            fighters,
            [combatant.hp for combatant in force],
            [combatant.fought for combatant in force],
            Bonds.of(fighters),
        )

    def combatants(self) -> tuple[Combatant, ...]:
        return tuple(
            Combatant.model_construct(fighter=fighter, hp=hp, fought=fought)
            for fighter, hp, fought in zip(self.fighters, self.hp, self.fought, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Throws:
    """What a fighter throws: so many dice with so many sides, of which the lowest `…_target` succeed."""

    offense: int
    hit_sides: int
    hit_target: int
    defense: int
    block_sides: int
    block_target: int


def percentile(chance: Decimal) -> tuple[int, int]:
    """Return the sides of a die, and up to which it succeeds, so that it does with exactly this chance."""
    places = chance.normalize().as_tuple().exponent
    sides = 10 ** max(_PERCENT, -places if isinstance(places, int) else 0)
    return sides, int(chance * sides)


class StepRunner:
    """A battle under way: `state` changes with every round, `events` tell of it."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.events: list[Event] = []
        # How much has happened: dice; attacks and fighters of all rounds.
        self.dice_thrown = 0
        self.records = 0
        self._dice = dice
        self._forces = {camp: _Force.of(state.force(camp)) for camp in Camp}

    def run(self, rounds: int | None) -> None:
        """Fight so many rounds, or to the end, or until it becomes too much at once."""
        start = self.state.round
        most = min(rounds or ROUNDS_AT_ONCE, ROUNDS_AT_ONCE)
        while self.state.ending is None and self.state.round < start + most and not self._weary:
            self.fight()
        if self.state.ending is None:
            self.events.append(Paused(rounds=self.state.round - start))

    @property
    def _weary(self) -> bool:
        return self.records >= RECORDS_AT_ONCE or self.dice_thrown >= DICE_AT_ONCE

    def call_off(self) -> None:
        """End a battle that goes on, undecided, as if the round limit were reached."""
        self.state = self.state.model_copy(update={"ending": Ending.ROUND_LIMIT})
        self._tell_end()

    def fight(self) -> None:
        """Fight a round, and end the battle if that decides it."""
        if not self.state.round:
            self.events.append(muster_event(self.state))
        alive = {camp: [at for at, hp in enumerate(force.hp) if hp > 0] for camp, force in self._forces.items()}
        throws = {camp: self._throws(camp, alive[camp]) for camp in Camp}
        # All match-ups come before all dice, as the rules have it.
        matched = {camp: list(self._matches(camp, alive)) for camp in Camp}
        attacks = {
            camp: [self._attack(match, throws[camp], throws[camp.other]) for match in matched[camp]] for camp in Camp
        }
        self._tell(alive, attacks)
        for camp in Camp:
            self._wound(camp, alive[camp], attacks[camp.other])
        self._settle()

    def _throws(self, camp: Camp, alive: Sequence[int]) -> dict[int, _Throws]:
        force = self._forces[camp]
        living = [hp > 0 for hp in force.hp]
        found = {}
        for at in alive:
            numbers = force.bonds.numbers(force.fighters, living, at, force.fought[at])
            hit, block = percentile(numbers.to_hit), percentile(numbers.to_defend)
            found[at] = _Throws(numbers.offense_dice, *hit, numbers.defense_dice, *block)
        return found

    def _matches(self, camp: Camp, alive: dict[Camp, list[int]]) -> Iterator[tuple[int, int, int]]:
        """Give who attacks, who was drawn, and who is struck, for every attack of a side."""
        enemy = self._forces[camp.other]
        guards = {at: [guard for guard in enemy.bonds.guards[at] if enemy.hp[guard] > 0] for at in alive[camp.other]}
        for attacker in alive[camp]:
            pool: list[int] = []
            for _ in range(self._forces[camp].fighters[attacker].aoe):
                pool = pool or alive[camp.other].copy()
                drawn = pool.pop(self._pick(len(pool)))
                stepping_in = guards[drawn]
                yield attacker, drawn, stepping_in[self._pick(len(stepping_in))] if stepping_in else drawn

    def _attack(self, match: tuple[int, int, int], own: dict[int, _Throws], other: dict[int, _Throws]) -> Attack:
        attack, defence = own[match[0]], other[match[2]]
        hits = self._throw(attack.offense, attack.hit_sides, attack.hit_target)
        return *match, hits, self._throw(defence.defense, defence.block_sides, defence.block_target)

    def _throw(self, dice: int, sides: int, target: int) -> int:
        if not target:
            return 0
        self.dice_thrown += dice
        roll = self._dice.roll
        return sum(roll(sides) <= target for _ in range(dice))

    def _pick(self, choices: int) -> int:
        return self._dice.roll(choices) - 1 if choices > 1 else 0

    def _tell(self, alive: dict[Camp, list[int]], attacks: dict[Camp, list[Attack]]) -> None:
        fighter_rows: dict[Camp, tuple[FighterHp, ...]] = {}
        by_place: dict[Camp, tuple[Attack, ...]] = {}
        for camp in Camp:
            force = self._forces[camp]
            fighter_rows[camp] = tuple((force.fighters[at].name, force.hp[at]) for at in alive[camp])
            own = {at: place for place, at in enumerate(alive[camp])}
            other = {at: place for place, at in enumerate(alive[camp.other])}
            by_place[camp] = tuple(
                (own[attacker], other[drawn], other[struck], hits, blocks)
                for attacker, drawn, struck, hits, blocks in attacks[camp]
            )
            self.records += len(fighter_rows[camp]) + len(by_place[camp])
        self.events.append(
            Fought.model_construct(  # all numbers are our own: checking thousands of them only takes time
                number=self.state.round + 1,
                heroes=fighter_rows[Camp.HEROES],
                villains=fighter_rows[Camp.VILLAINS],
                by_heroes=by_place[Camp.HEROES],
                by_villains=by_place[Camp.VILLAINS],
            )
        )

    def _wound(self, camp: Camp, alive: Sequence[int], attacks: Sequence[Attack]) -> None:
        """Take the damage of a round off a side's HP and tell who falls, by whose hands, and who with them."""
        force, enemy = self._forces[camp], self._forces[camp.other]
        hands: dict[int, dict[str, None]] = {}
        for attacker, _, struck, hits, blocks in attacks:
            if hits > blocks:
                force.hp[struck] -= hits - blocks
                hands.setdefault(struck, {})[enemy.fighters[attacker].name] = None
        for at in alive:
            force.fought[at] += 1
        fallen = [at for at in alive if force.hp[at] <= 0]
        for at in fallen:
            self._fell(camp, at, by=tuple(hands[at]))
        for at in fallen:  # grows while the links pull more down
            for follower in force.bonds.followers[at]:
                if force.hp[follower] > 0:
                    force.hp[follower] = 0
                    self._fell(camp, follower, linked_to=force.fighters[at].name)
                    fallen.append(follower)

    def _fell(self, camp: Camp, at: int, *, by: tuple[str, ...] = (), linked_to: str | None = None) -> None:
        force = self._forces[camp]
        fighter = force.fighters[at]
        self.events.append(Fell(camp=camp, name=fighter.name, hp=force.hp[at], by=by, linked_to=linked_to))

    def _settle(self) -> None:
        update: dict[str, object] = {camp.value: force.combatants() for camp, force in self._forces.items()}
        self.state = with_ending(self.state.model_copy(update={**update, "round": self.state.round + 1}))
        self._tell_end()

    def _tell_end(self) -> None:
        end = ended_event(self.state)
        if end is not None:
            self.events.append(end)
