"""Rounds of a battle: how large one may be, its dice (.docs/rules/marked_for_death.md, "A round"), and their luck.

Luck is that of the dice of attacks, which hit, and of those of defenses, which block.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from sim.core import RuleError
from sim.core.battle import StepRunner
from sim.core.luck import Die, Throw, bag_of, chance
from sim.core.values import Ending, Paused
from sim.marked_for_death.battle import Attack, Combatant, Ended, Event, Fell, FighterHp, Fought, Started, State
from sim.marked_for_death.roster import Camp, Fighter, Roster
from sim.marked_for_death.stats import Bonds, FighterCard, Numbers, Roll

MAX_ATTACKS = 20_000
"""The most attacks in a round, both sides together."""

MAX_DICE = 500_000
"""The most dice in a round, both sides together."""


ROUNDS_PER_STEP = 100
"""Rounds after which a run pauses."""

RECORDS_PER_STEP = 10_000
"""Attacks and fighters after which a run pauses, for the events have to be stored and shown."""

DICE_PER_STEP = 500_000
"""Dice after which a run pauses."""


@dataclass(frozen=True, slots=True)
class RoundSize:
    """Upper bounds of a round: living fighters, their attacks, the dice of both sides."""

    fighters: int
    attacks: int
    dice: int

    @property
    def seconds(self) -> float:
        """How long the round takes, the log included: measured, a rough upper figure."""
        return 1e-4 * self.fighters + 1e-5 * self.attacks + 1.5e-6 * self.dice


def max_round_size(state: State) -> RoundSize:
    """Return upper bounds of the next rounds."""
    survivors = {camp: [combatant.fighter for combatant in state.side(camp) if combatant.stands] for camp in Camp}
    dice = {camp: _max_dice(survivors[camp]) for camp in Camp}
    attacks = thrown = 0
    for camp in Camp:
        hardest = max((defense for _, defense in dice[camp.other]), default=0)
        for fighter, (offense, _) in zip(survivors[camp], dice[camp], strict=True):
            attacks += fighter.aoe
            thrown += fighter.aoe * (offense + hardest)
    return RoundSize(sum(map(len, survivors.values())), attacks, thrown)


def check_round_size(state: State) -> None:
    """Raise RuleError if the battle's rounds are too large to be fought and shown attack by attack."""
    found = max_round_size(state)
    if found.attacks > MAX_ATTACKS:
        raise RuleError(
            f"A round has {found.attacks:,} attacks, too many to show each one; at most {MAX_ATTACKS:,} are fought out."
        )
    if found.dice > MAX_DICE:
        raise RuleError(
            f"A round has up to {found.dice:,} dice, too many to throw each one; at most {MAX_DICE:,} are thrown."
        )


def _max_dice(fighters: Sequence[Fighter]) -> list[tuple[int, int]]:
    """Return the most dice of each fighter's attack and defense; harmful buffs may end when their giver falls."""
    bonds = Bonds.of(fighters)
    found = []
    for at, helpers in enumerate(bonds.helped):
        alone = bonds.numbers(at)
        hit = alone.raw_to_hit + sum(max(offense, Decimal(0)) for _, offense, _ in helpers)
        defend = alone.raw_to_defend + sum(max(defense, Decimal(0)) for _, _, defense in helpers)
        best = Numbers(hit, defend, alone.base_dice)
        found.append((best.offense.dice, best.defense.dice))
    return found


def combatants(roster: Roster) -> tuple[Combatant, ...]:
    """Return a roster's fighters as they enter a battle."""
    return tuple(Combatant(fighter=fighter, hp=fighter.hp) for fighter in roster.fighters)


def with_ending(state: State) -> State:
    """Return the state with its ending, if it is over: a side is gone, or the round limit is reached."""
    stands = {camp: any(combatant.stands for combatant in state.side(camp)) for camp in Camp}
    ending, winner = None, None
    if not any(stands.values()):
        ending = Ending.MUTUAL
    elif not all(stands.values()):
        ending, winner = Ending.ANNIHILATION, next(camp for camp in Camp if stands[camp])
    elif state.max_rounds is not None and state.round >= state.max_rounds:
        ending = Ending.ROUND_LIMIT
    return state.model_copy(update={"ending": ending, "winner": winner})


def side_cards(force: Sequence[Combatant]) -> tuple[FighterCard, ...]:
    """Return the current card of every fighter of a side."""
    bonds, alive = Bonds.of([one.fighter for one in force]), [one.stands for one in force]
    names: dict[int | None, str] = {at: one.name for at, one in enumerate(bonds.fighters)}
    found = []
    for at, one in enumerate(force):
        numbers = bonds.numbers(at, alive, one.fought)
        offense, defense = numbers.offense, numbers.defense
        found.append(
            FighterCard(
                name=one.fighter.name,
                hp=one.hp,
                to_hit=offense.chance,
                to_defend=defense.chance,
                aoe=one.fighter.aoe,
                total_xp=one.fighter.total_xp,
                offense_dice=offense.dice,
                defense_dice=defense.dice,
                guards=names.get(bonds.guarded[at]),
                linked_to=names.get(bonds.linked[at]),
            )
        )
    return tuple(found)


def started_event(state: State) -> Started:
    """Return the event that opens a battle."""
    return Started(heroes=side_cards(state.heroes), villains=side_cards(state.villains))


def ended_event(state: State) -> Ended | None:
    """Return the event that ends the battle, or None while it goes on."""
    if state.ending is None:
        return None
    survivors = {camp.value: state.survivors(camp) for camp in Camp}
    return Ended(ending=state.ending, winner=state.winner, rounds=state.round, **survivors)


@dataclass(slots=True)
class Force:
    """A side in the middle of a battle; lists by index in the file. `fought`: rounds."""

    bonds: Bonds
    hp: list[int]
    fought: list[int]

    @classmethod
    def of(cls, side: Sequence[Combatant]) -> "Force":
        """Return the force of a side."""
        bonds = Bonds.of([combatant.fighter for combatant in side])
        return cls(bonds, [combatant.hp for combatant in side], [combatant.fought for combatant in side])

    def rolls(self) -> dict[int, tuple[Roll, Roll]]:
        """Return the attack and the defense of everybody who stands."""
        alive = [hp > 0 for hp in self.hp]
        standing = {at: self.bonds.numbers(at, alive, self.fought[at]) for at, lives in enumerate(alive) if lives}
        return {at: (numbers.offense, numbers.defense) for at, numbers in standing.items()}

    def combatants(self) -> tuple[Combatant, ...]:
        """Return the side."""
        return tuple(
            Combatant.model_construct(fighter=fighter, hp=hp, fought=fought)
            for fighter, hp, fought in zip(self.bonds.fighters, self.hp, self.fought, strict=True)
        )


class RosterRunner(StepRunner[State, Event]):
    """Fights rounds of one step, or changes a side; counts dice, and as `records` the rounds' attacks and fighters."""

    dice_thrown = 0
    records = 0

    @cached_property
    def _forces(self) -> dict[Camp, Force]:
        return {camp: Force.of(self.state.side(camp)) for camp in Camp}

    def run(self, rounds: int | None) -> None:
        """Fight `rounds` rounds, or to the end if None; pause at the limits of a step."""
        most = min(rounds or ROUNDS_PER_STEP, ROUNDS_PER_STEP)
        while self.state.ending is None and len(self.rounds) < most:
            if self.records >= RECORDS_PER_STEP or self.dice_thrown >= DICE_PER_STEP:
                break
            self.fight()
            self.rounds.append(self.state)
        if self.state.ending is None:
            self.events.append(Paused(rounds=len(self.rounds)))

    def call_off(self) -> None:
        """End the battle undecided, as if the round limit were reached."""
        self.change(ending=Ending.ROUND_LIMIT)
        self._record_end()

    def put(self, camp: Camp, force: Sequence[Combatant], event: Event) -> None:
        """Put fighters in the place of a side's, as `event` says; RuleError if the rounds become too large."""
        self.change(**{camp: tuple(force)})
        check_round_size(self.state)
        self.state = with_ending(self.state)
        self.events.append(event)
        self._record_end()

    def fight(self) -> None:
        """Fight a round, and end the battle if the round decides it."""
        if not self.state.round:
            self.events.append(started_event(self.state))
        rolls = {camp: force.rolls() for camp, force in self._forces.items()}
        alive = {camp: list(rolls[camp]) for camp in Camp}
        # By the rules, all match-ups are drawn before any dice are rolled.
        matched = {camp: list(self._match_ups(camp, alive)) for camp in Camp}
        attacks = {
            camp: [
                (at, drawn, struck, self._roll(rolls[camp][at][0]), self._roll(rolls[camp.other][struck][1]))
                for at, drawn, struck in matched[camp]
            ]
            for camp in Camp
        }
        self._record_round(alive, attacks)
        for camp in Camp:
            self._apply_damage(camp, alive[camp], attacks[camp.other])
        update: dict[str, object] = {camp.value: force.combatants() for camp, force in self._forces.items()}
        self.state = with_ending(self.state.model_copy(update={**update, "round": self.state.round + 1}))
        self._record_end()

    def _match_ups(self, camp: Camp, alive: dict[Camp, list[int]]) -> Iterator[tuple[int, int, int]]:
        """Yield attacker, drawn target, and fighter struck for every attack of a side."""
        enemy = self._forces[camp.other]
        guards = {at: [guard for guard in enemy.bonds.guards[at] if enemy.hp[guard] > 0] for at in alive[camp.other]}
        for attacker in alive[camp]:
            pool: list[int] = []
            for _ in range(self._forces[camp].bonds.fighters[attacker].aoe):
                pool = pool or alive[camp.other].copy()
                drawn = pool.pop(self._pick(len(pool)))
                stepping_in = guards[drawn]
                yield attacker, drawn, stepping_in[self._pick(len(stepping_in))] if stepping_in else drawn

    def _roll(self, thrown: Roll) -> int:
        sides, target = thrown.die
        if not target:
            return 0
        self.dice_thrown += thrown.dice
        roll = self.dice.roll
        return sum(roll(sides) <= target for _ in range(thrown.dice))

    def _pick(self, choices: int) -> int:
        return self.dice.roll(choices) - 1 if choices > 1 else 0

    def _record_round(self, alive: dict[Camp, list[int]], attacks: dict[Camp, list[Attack]]) -> None:
        values: dict[str, tuple[FighterHp, ...] | tuple[Attack, ...]] = {}
        for camp, force in self._forces.items():
            own, other = ({at: index for index, at in enumerate(alive[side])} for side in (camp, camp.other))
            values[camp] = tuple((force.bonds.fighters[at].name, force.hp[at]) for at in alive[camp])
            values[f"by_{camp}"] = tuple(
                (own[attacker], other[drawn], other[struck], hits, blocks)
                for attacker, drawn, struck, hits, blocks in attacks[camp]
            )
        self.records += sum(map(len, values.values()))
        # Trusted numbers: validating thousands of them is slow.
        self.events.append(Fought.trusted({"event": "round", "number": self.state.round + 1, **values}))

    def _apply_damage(self, camp: Camp, alive: Sequence[int], attacks: Sequence[Attack]) -> None:
        """Subtract the damage of a round from a side's HP, and record who falls, by whom or linked to whom."""
        force, enemy = self._forces[camp], self._forces[camp.other]
        attackers: dict[int, dict[str, None]] = {}
        for attacker, _, struck, hits, blocks in attacks:
            if hits > blocks:
                force.hp[struck] -= hits - blocks
                attackers.setdefault(struck, {})[enemy.bonds.fighters[attacker].name] = None
        for at in alive:
            force.fought[at] += 1
        fallen = [at for at in alive if force.hp[at] <= 0]
        names = [fighter.name for fighter in force.bonds.fighters]
        self.events += (Fell(camp=camp, name=names[at], hp=force.hp[at], by=tuple(attackers[at])) for at in fallen)
        for at in fallen:  # grows while links add more
            for follower in force.bonds.followers[at]:
                if force.hp[follower] > 0:
                    force.hp[follower] = 0
                    self.events.append(Fell(camp=camp, name=names[follower], hp=0, linked_to=names[at]))
                    fallen.append(follower)

    def _record_end(self) -> None:
        end = ended_event(self.state)
        if end is not None:
            self.events.append(end)


def throws(state: State, events: Iterable[Event]) -> Iterator[Throw]:
    """Yield what each side threw in each round, its attacks before its defenses."""
    forces = {camp: Force.of(state.side(camp)) for camp in Camp}
    for event in events:
        if isinstance(event, Fought):
            for camp, force in forces.items():
                left = dict(event.side(camp))
                force.hp = [left.get(fighter.name, 0) for fighter in force.bonds.fighters]
            rolls = {camp: list(force.rolls().values()) for camp, force in forces.items()}
            for camp, force in forces.items():
                yield from _round(event, camp, rolls[camp])
                force.fought = [rounds + (hp > 0) for rounds, hp in zip(force.fought, force.hp, strict=True)]


def _round(event: Fought, camp: Camp, own: Sequence[tuple[Roll, Roll]]) -> Iterator[Throw]:
    thrown = {
        "hits": [(own[at][0], hits) for at, _, _, hits, _ in event.attacks(camp)],
        "blocks": [(own[at][1], blocks) for _, _, at, _, blocks in event.attacks(camp.other)],
    }
    for unit, rolls in thrown.items():
        dice: Counter[Die] = Counter()
        for roll, _ in rolls:
            sides, target = roll.die
            dice[chance(target, sides)] += roll.dice if target else 0
        rolled = sum(successes for _, successes in rolls)
        yield Throw(seat=camp.value, unit=unit, moment=f"round {event.number}", dice=bag_of(dice), rolled=rolled)
