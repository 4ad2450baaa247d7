"""Campaigns of Marked for Death: the final files of a battle are the rosters of the next one."""

from collections.abc import Iterable, Iterator, Sequence

from sim.core import RuleError
from sim.core.battle import REFEREE, Codec
from sim.core.campaign import Adjustment, CampaignRules, CampaignSide, Deed, Veteran, adjustments_by_name, deeds_of
from sim.core.dice import Dice
from sim.core.values import Frozen
from sim.marked_for_death.battle import FINAL_FILES, Combatant, Event, Fell, Fought, Setup, State, current_roster
from sim.marked_for_death.roster import BASE_HP, MAX_HP, MAX_XP, Bonus, Camp, Fighter, Roster, Sides
from sim.marked_for_death.tables import read_roster, roster_csv

_Key = tuple[Camp, str]


class Rested(Frozen):
    """What a fighter has after a rest: HP, and the bonus to defend without exhaustion."""

    hp: int
    to_defend: Bonus


class Ranks(Frozen):
    """A side: its roster as in a final file, and what each fighter, in the roster's order, has after a rest."""

    roster: Roster
    rested: tuple[Rested, ...]

    @classmethod
    def of(cls, roster: Roster, rows: Iterable[Fighter], before: "Ranks | None") -> "Ranks":
        """Return a side; `rows`: of its fighters as they joined; known names keep what they had, if that is better."""
        known = {} if before is None else {fighter.key: rested for fighter, rested in before.both()}
        rested = []
        for row in rows:
            now = Rested(hp=max(1, row.hp), to_defend=row.bonus_to_defend)
            once = known.get(row.key, now)
            rested.append(Rested(hp=max(now.hp, once.hp), to_defend=max(now.to_defend, once.to_defend)))
        return cls(roster=roster, rested=tuple(rested))

    def both(self) -> Iterator[tuple[Fighter, Rested]]:
        """Yield each fighter with what it has after a rest."""
        return zip(self.roster.fighters, self.rested, strict=True)

    def changed(self, fighters: Iterable[Fighter], rested: Iterable[Rested]) -> "Ranks":
        """Return the side with other fighters."""
        return Ranks(roster=self.roster.model_copy(update={"fighters": tuple(fighters)}), rested=tuple(rested))


class Forces(Sides[Ranks | None]):
    """Both sides; None while a new campaign has none."""

    heroes: Ranks | None = None
    villains: Ranks | None = None

    def present(self) -> dict[Camp, Ranks]:
        """Return the sides that there are."""
        return {camp: ranks for camp in Camp if (ranks := self.side(camp)) is not None}


class RosterCampaign(CampaignRules[Forces, Setup, State, Event]):
    """Rosters flow from battle to battle. Experience is given by hand: the rules have none for battles."""

    forces = Codec(Forces)
    sides = (
        CampaignSide(Camp.HEROES.value, "Heroes", "blue", kind="mfd"),
        CampaignSide(Camp.VILLAINS.value, "Villains", "orange", kind="mfd"),
    )
    seats = (REFEREE,)
    dead_stay = True
    rest = "Everyone still standing is back to full HP and rested; the fallen stay down."

    def from_setup(self, setup: Setup) -> Forces:
        """Return both rosters."""
        return Forces(**{camp: Ranks.of(setup.side(camp), setup.side(camp).fighters, None) for camp in Camp})

    def read(self, forces: Forces | None, side: str, data: bytes) -> Forces:
        """Read a roster's file."""
        roster = read_roster(data).roster
        forces = forces or Forces()
        return forces.model_copy(update={side: Ranks.of(roster, roster.fighters, forces.side(Camp(side)))})

    def setup(self, forces: Forces, last: Setup | None) -> Setup:
        """Return a battle of both rosters, with the same round limit."""
        sides: dict[str, Roster] = {}
        for camp in Camp:
            ranks = forces.side(camp)
            if ranks is None:
                raise RuleError(f"The {camp} are missing: give their roster.")
            if not any(fighter.hp > 0 for fighter in ranks.roster.fighters):
                raise RuleError(f"None of the {camp} can fight.")
            sides[camp.value] = ranks.roster
        return Setup(**sides, max_rounds=None if last is None else last.max_rounds)

    def after(self, forces: Forces, state: State, dice: Dice) -> Forces:
        """Return both rosters as in the final files."""
        del dice
        return Forces(
            **{
                camp: Ranks.of(
                    current_roster(state, camp), (one.fighter for one in state.side(camp)), forces.side(camp)
                )
                for camp in Camp
            }
        )

    def deeds(self, forces: Forces, state: State, events: Iterable[Event]) -> tuple[Deed, ...]:
        """Return what each fighter did, side by side."""
        blows: list[tuple[_Key, _Key | None, int, int]] = []
        for event in events:
            if isinstance(event, Fought):
                for camp in Camp:
                    own, other = event.side(camp), event.side(camp.other)
                    for attacker, _, struck, hits, blocks in event.attacks(camp):
                        harm = max(0, hits - blocks)
                        blows.append(((camp, own[attacker][0]), (camp.other, other[struck][0]), harm, 0))
            elif isinstance(event, Fell):
                blows += [((event.camp.other, name), None, 0, 1) for name in event.by]
        known = [(camp, name) for camp in Camp for name in _names(forces.side(camp), state.side(camp))]
        return deeds_of({one: one for one in known}, blows)

    def veterans(self, forces: Forces) -> tuple[Veteran, ...]:
        """Return every fighter."""
        return tuple(
            Veteran(side=camp, name=one.name, left=one.hp, most=max(rested.hp, one.hp), experience=one.total_xp)
            for camp, ranks in forces.present().items()
            for one, rested in ranks.both()
        )

    def rested(self, forces: Forces) -> Forces:
        """Return both sides rested."""
        return Forces(
            **{
                camp: ranks.changed(map(_rest, ranks.roster.fighters, ranks.rested), ranks.rested)
                for camp, ranks in forces.present().items()
            }
        )

    def adjusted(self, forces: Forces, adjustments: Sequence[Adjustment]) -> Forces:
        """Return both sides with HP and XP added to the rows."""
        found = adjustments_by_name(adjustments, ((one.side, one.name) for one in self.veterans(forces)))
        sides = {}
        for camp, ranks in forces.present().items():
            given = [_given(one, found.get((camp, one.key))) for one in ranks.roster.fighters]
            rested = zip(ranks.rested, given, strict=True)
            sides[camp] = ranks.changed(
                given, (most.model_copy(update={"hp": max(most.hp, one.hp)}) for most, one in rested)
            )
        return Forces(**sides)

    def files(self, forces: Forces) -> dict[str, bytes]:
        """Return the final files."""
        return {FINAL_FILES[camp]: roster_csv(ranks.roster) for camp, ranks in forces.present().items()}


def _names(ranks: Ranks | None, side: Iterable[Combatant]) -> dict[str, None]:
    """Return who entered, then who came later."""
    entered = () if ranks is None else ranks.roster.fighters
    return dict.fromkeys(one.name for one in (*entered, *(combatant.fighter for combatant in side)))


def _rest(fighter: Fighter, rested: Rested) -> Fighter:
    if fighter.hp <= 0:
        return fighter
    return fighter.model_copy(update={"bonus_hp": rested.hp - BASE_HP, "bonus_to_defend": rested.to_defend})


def _given(fighter: Fighter, given: Adjustment | None) -> Fighter:
    """Return a fighter with HP and XP added; RuleError beyond what a roster can hold."""
    if given is None:
        return fighter
    hp, xp = fighter.bonus_hp + given.healing, fighter.xp + given.experience
    if abs(hp) > MAX_HP or abs(xp) > MAX_XP:
        raise RuleError(f"{fighter.name} can't have that much.")
    if xp + fighter.bonus_xp <= 0:
        raise RuleError(f"{fighter.name} would have {xp + fighter.bonus_xp:,} XP in all: the total must be above 0.")
    return fighter.model_copy(update={"bonus_hp": hp, "xp": xp})
