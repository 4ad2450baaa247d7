"""Short ways to say a roster, a battle and its rounds, and strategies that draw a roster."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from sim.core.battle import REFEREE, Step
from sim.core.dice import ScriptedDice
from sim.marked_for_death.battle import Action, Event, Fell, Fought, NextRound, Setup, State
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.reports import RunReport
from sim.marked_for_death.requests import RunRequest
from sim.marked_for_death.roster import Buff, Camp, Fighter, Roster
from sim.marked_for_death.tables import read_roster, roster_csv

HEADER = "Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo"

RIDERS = (
    "Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,BodyguardFor,LinkedTo,BuffName,BuffWho,BuffOffense,BuffDefense\n"
    'Dragon,13000,1500,-1,0.9,0.1,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02\n'
    "Summoner,5800,-1000,1,0.15,,,Dragon,,,,\n"
    'Tom,7001,,,0.11,0.01,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12\n'
)
"""A dragon that falls with its summoner and she with it, and Tom, who guards her and falls with the dragon."""

ORCS = "\n".join([HEADER, *(f"Orc {number},4000,,1,0.1,,,," for number in range(1, 7)), ""])
"""Six who are alike."""


def fighter(name: str, xp: int = 1000, hp: int = 2, hit: str = "0", defend: str = "0", **more: Any) -> Fighter:  # noqa: ANN401 - the model checks it
    """Make a fighter of one die, 30% and 2 HP by default."""
    return Fighter(
        name=name, xp=xp, bonus_hp=hp - 2, bonus_to_hit=Decimal(hit), bonus_to_defend=Decimal(defend), **more
    )


def buff(who: str, offense: str = "0", defense: str = "0", name: str = "") -> Buff:
    """Make a buff; `who`: names between commas."""
    return Buff(
        name=name, who=tuple(map(str.strip, who.split(","))), offense=Decimal(offense), defense=Decimal(defense)
    )


def roster(*fighters: Fighter | str) -> Roster:
    """Make a roster of fighters, plain ones where only the name is given."""
    return Roster(fighters=tuple(fighter(entry) if isinstance(entry, str) else entry for entry in fighters))


def read(*rows: str, header: str = HEADER) -> Roster:
    """Read a roster from the rows of a file."""
    return read_roster("\n".join([header, *rows]).encode()).roster


def crowd(count: int, **values: Any) -> Roster:  # noqa: ANN401 - the model checks it
    """Make a roster of many alike, called F1, F2 and so on."""
    return roster(*(fighter(f"F{number}", **values) for number in range(1, count + 1)))


def legion(letter: str, count: int, dice: int = 5) -> Roster:
    """Make a roster of many who throw alike, with area attacks, bodyguards, links and buffs."""
    return roster(
        *(
            fighter(
                f"{letter}{at}",
                1000 * dice,
                2 + at % 3,
                str(Decimal(at % 5) / 100),
                str(Decimal(at % 7) / 50),
                aoe=1 if at % 5 else 3,
                bodyguard_for=None if at % 3 else f"{letter}{(at + 7) % count}",
                linked_to=f"{letter}{(at + 3) % count}" if at % 6 == 5 else None,
                buffs=() if at % 4 else (buff(f"{letter}{at}, {letter}{(at + 1) % count}", "0.03", "0.02"),),
            )
            for at in range(count)
        )
    )


BATTLE = RosterBattle()

HIT, MISS = 1, 100
"""Faces of a percentile die: always a success, never one."""


def begin(heroes: Roster, villains: Roster, max_rounds: int | None = None) -> State:
    """Begin a battle."""
    return BATTLE.begin(Setup(heroes=heroes, villains=villains, max_rounds=max_rounds))


def act(state: State, action: Action, faces: Sequence[int] = ()) -> Step[State, Event]:
    """Apply an action with these dice, all of them and no more."""
    dice = ScriptedDice(faces)
    step = BATTLE.apply(state, action, REFEREE, dice)
    assert dice.left == 0
    return step


def run(*sides: Roster | bytes, **terms: Any) -> RunReport:  # noqa: ANN401 - the request checks it
    """Fight a battle of two files, or of rosters as their files, in one go."""
    heroes, villains = (roster_csv(side) if isinstance(side, Roster) else side for side in sides)
    return RunRequest(heroes=heroes, villains=villains, **terms).run()


def fight(state: State, faces: Sequence[int]) -> Step[State, Event]:
    """Fight a round with these dice."""
    return act(state, NextRound(), faces)


def hp(state: State) -> dict[str, int]:
    """Return everybody's HP by name."""
    return {combatant.fighter.name: combatant.hp for camp in Camp for combatant in state.side(camp)}


def fallen(step: Step[State, Event]) -> list[Fell]:
    """Return who fell in a step."""
    return [event for event in step.events if isinstance(event, Fell)]


def attacks(step: Step[State, Event], camp: Camp) -> list[tuple[str, str, str]]:
    """Return who attacked, who was drawn and who was struck in the attacks of `camp`, all rounds in a row."""
    found = []
    for event in step.events:
        if isinstance(event, Fought):
            own, other = event.side(camp), event.side(camp.other)
            found += [
                (own[attacker][0], other[drawn][0], other[hit][0]) for attacker, drawn, hit, _, _ in event.attacks(camp)
            ]
    return found


DUMMY = roster("Dummy")
"""A side of one who throws one die each way."""

NAMES = ("Tom", "Bo", "Zoë", "=Max", "#1", "Smith, John", 'The "Rock"', "Nobody")
_BONUSES = st.decimals(-2, 2, places=3)


@st.composite
def fighters(draw: st.DrawFn, name: str) -> Fighter:
    """Draw a fighter with any bonds to others of `NAMES`."""
    friend = st.none() | st.sampled_from(NAMES)
    buffs = st.builds(
        Buff,
        name=st.sampled_from(["", "Team", "-x"]),
        who=st.lists(st.sampled_from([candidate for candidate in NAMES if "," not in candidate]), max_size=3).map(
            tuple
        ),
        offense=_BONUSES,
        defense=_BONUSES,
    )
    xp = draw(st.integers(1, 9000))
    return Fighter(
        name=name,
        xp=xp,
        bonus_xp=draw(st.integers(1 - xp, 3000)),
        bonus_hp=draw(st.integers(-4, 5)),
        bonus_to_hit=draw(_BONUSES),
        bonus_to_defend=draw(_BONUSES),
        aoe=draw(st.integers(1, 4)),
        bodyguard_for=draw(friend),
        linked_to=draw(friend),
        buffs=tuple(draw(st.lists(buffs, max_size=2))),
    )


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    """Draw a small roster; "Nobody" is never in it."""
    names: Sequence[str] = draw(st.lists(st.sampled_from(NAMES[:-1]), min_size=1, max_size=5, unique=True))
    drawn = tuple(draw(fighters(name)) for name in names)
    return Roster(fighters=drawn, spare_buffs=draw(st.integers(0, 2)))
