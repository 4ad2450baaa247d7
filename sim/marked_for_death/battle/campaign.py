"""Campaigns of Marked for Death: the final files of a battle are the rosters of the next one."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sim.core.battle import REFEREE, Codec
from sim.core.campaign import CampaignRules, CampaignSide, Care, Deed, Veteran, care_for
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.values import Frozen
from sim.marked_for_death.battle.values import FINAL_FILES, Event, Fell, Fought, Setup, State, current_roster
from sim.marked_for_death.roster import BASE_HP, MAX_HP, MAX_XP, Bonus, Camp, Fighter, Roster
from sim.marked_for_death.tables import read_roster, roster_csv


class Rested(Frozen):
    """What a fighter has after a rest: HP, and the bonus to defend without exhaustion."""

    hp: int
    to_defend: Bonus

    @classmethod
    def of(cls, fighter: Fighter) -> "Rested":
        """Return it for a fighter as in its row."""
        return cls(hp=max(1, fighter.hp), to_defend=fighter.bonus_to_defend)

    def joined(self, other: "Rested | None") -> "Rested":
        """Return the better of both: a wounded fighter comes back to what it once had."""
        if other is None:
            return self
        return Rested(hp=max(self.hp, other.hp), to_defend=max(self.to_defend, other.to_defend))


class Ranks(Frozen):
    """A side: its roster as in a final file, and what each fighter, in the roster's order, has after a rest."""

    roster: Roster
    rested: tuple[Rested, ...]

    @classmethod
    def of(cls, roster: Roster, rows: Iterable[Fighter], before: "Ranks | None") -> "Ranks":
        """Return a side; `rows`: of its fighters as they joined; known names keep what they had."""
        known = {} if before is None else before.by_key()
        return cls(roster=roster, rested=tuple(Rested.of(row).joined(known.get(row.key)) for row in rows))

    def by_key(self) -> dict[str, Rested]:
        """Return what the fighters have after a rest, by their keys."""
        return {fighter.key: rested for fighter, rested in zip(self.roster.fighters, self.rested, strict=True)}

    def changed(self, fighters: Iterable[Fighter], rested: Iterable[Rested]) -> "Ranks":
        """Return the side with other fighters."""
        return Ranks(roster=self.roster.model_copy(update={"fighters": tuple(fighters)}), rested=tuple(rested))


class Muster(Frozen):
    """Both sides; None while a new campaign has none."""

    heroes: Ranks | None = None
    villains: Ranks | None = None

    def ranks(self, camp: Camp) -> Ranks | None:
        """Return a side."""
        return self.heroes if camp is Camp.HEROES else self.villains


class RosterCampaign(CampaignRules[Muster, Setup, State, Event]):
    """Rosters flow from battle to battle. Experience is given by hand: the rules have none for battles."""

    musters = Codec(Muster)
    sides = tuple(CampaignSide(camp.value, camp.capitalize(), "a roster as a CSV file", kind="mfd") for camp in Camp)
    seats = (REFEREE,)
    rest = "Everyone still standing is back to full HP and rested; the fallen stay down."

    def enlist(self, setup: Setup) -> Muster:
        """Return both rosters."""
        rosters = {camp.value: setup.roster(camp) for camp in Camp}
        return Muster(**{side: Ranks.of(roster, roster.fighters, None) for side, roster in rosters.items()})

    def read(self, muster: Muster | None, side: str, data: bytes) -> Muster:
        """Read a roster's file."""
        roster = read_roster(data).roster
        muster = muster or Muster()
        return muster.model_copy(update={side: Ranks.of(roster, roster.fighters, muster.ranks(Camp(side)))})

    def setup(self, muster: Muster, last: Setup | None) -> Setup:
        """Return a battle of both rosters, with the same round limit."""
        sides: dict[str, Roster] = {}
        for camp in Camp:
            ranks = muster.ranks(camp)
            if ranks is None:
                raise RuleError(f"The {camp} are missing: give their roster.")
            if not any(fighter.hp > 0 for fighter in ranks.roster.fighters):
                raise RuleError(f"None of the {camp} can fight: give them another roster, or heal some by hand.")
            sides[camp.value] = ranks.roster
        return Setup(**sides, max_rounds=None if last is None else last.max_rounds)

    def after(self, muster: Muster, state: State, dice: Dice) -> Muster:
        """Return both rosters as in the final files."""
        del dice
        return Muster(
            **{
                camp.value: Ranks.of(
                    current_roster(state, camp), (one.fighter for one in state.force(camp)), muster.ranks(camp)
                )
                for camp in Camp
            }
        )

    def deeds(self, muster: Muster, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        """Return what each fighter did, side by side."""
        kills: Counter[tuple[Camp, str]] = Counter()
        damage: Counter[tuple[Camp, str]] = Counter()
        lost: Counter[tuple[Camp, str]] = Counter()
        for event in events:
            if isinstance(event, Fought):
                for camp in Camp:
                    for attacker, _, struck, hits, blocks in event.attacks(camp):
                        harm = max(0, hits - blocks)
                        damage[camp, event.fighters(camp)[attacker][0]] += harm
                        lost[camp.other, event.fighters(camp.other)[struck][0]] += harm
            elif isinstance(event, Fell):
                kills.update((event.camp.other, name) for name in event.by)
        return tuple(
            Deed(side=camp, name=name, kills=kills[camp, name], damage=damage[camp, name], lost=lost[camp, name])
            for camp in Camp
            for name in _names(muster, state, camp)
        )

    def veterans(self, muster: Muster) -> tuple[Veteran, ...]:
        """Return every fighter."""
        return tuple(
            Veteran(side=camp, name=one.name, left=one.hp, most=max(rested.hp, one.hp), experience=one.total_xp)
            for camp in Camp
            if (ranks := muster.ranks(camp)) is not None
            for one, rested in zip(ranks.roster.fighters, ranks.rested, strict=True)
        )

    def rested(self, muster: Muster) -> Muster:
        """Return both sides rested."""
        return Muster(
            **{
                camp.value: ranks.changed(map(_rest, ranks.roster.fighters, ranks.rested), ranks.rested)
                for camp in Camp
                if (ranks := muster.ranks(camp)) is not None
            }
        )

    def cared(self, muster: Muster, care: Sequence[Care]) -> Muster:
        """Return both sides with HP and XP added to the rows."""
        known = ((one.side, one.name) for one in self.veterans(muster))
        found = care_for(care, known)
        sides = {}
        for camp in Camp:
            if (ranks := muster.ranks(camp)) is not None:
                given = [_given(one, found.get((camp, one.key))) for one in ranks.roster.fighters]
                sides[camp.value] = ranks.changed(
                    given,
                    (
                        rested.model_copy(update={"hp": max(rested.hp, one.hp)})
                        for rested, one in zip(ranks.rested, given, strict=True)
                    ),
                )
        return Muster(**sides)

    def files(self, muster: Muster) -> dict[str, bytes]:
        """Return the final files."""
        return {
            name: roster_csv(ranks.roster)
            for camp, name in FINAL_FILES.items()
            if (ranks := muster.ranks(camp)) is not None
        }


def _names(muster: Muster, state: State, camp: Camp) -> list[str]:
    """Return who entered, then who came later."""
    ranks = muster.ranks(camp)
    entered = [] if ranks is None else [one.name for one in ranks.roster.fighters]
    return list(dict.fromkeys([*entered, *(one.fighter.name for one in state.force(camp))]))


def _rest(fighter: Fighter, rested: Rested) -> Fighter:
    if fighter.hp <= 0:
        return fighter
    return fighter.model_copy(update={"bonus_hp": rested.hp - BASE_HP, "bonus_to_defend": rested.to_defend})


def _given(fighter: Fighter, care: Care | None) -> Fighter:
    """Return a fighter with HP and XP added; RuleError beyond what a roster can hold."""
    if care is None:
        return fighter
    hp, xp = fighter.bonus_hp + care.healing, fighter.xp + care.experience
    if abs(hp) > MAX_HP or abs(xp) > MAX_XP:
        raise RuleError(f"{fighter.name} can't have that much.")
    if xp + fighter.bonus_xp <= 0:
        raise RuleError(f"{fighter.name} would have {xp + fighter.bonus_xp:,} XP in all: the total must be above 0.")
    return fighter.model_copy(update={"bonus_hp": hp, "xp": xp})
