"""Rosters as CSV: the files that a battle leaves, and the commented example to start from."""

from collections.abc import Iterator

from sim.core.table import Cell, write_table
from sim.marked_for_death.columns import BUFF, FIXED
from sim.marked_for_death.roster import Fighter, Roster, trimmed

_COMMENTS = """\
# A roster for Marked for Death. Lines that start with # and a blank are left out.
# Write your fighters below the headers, a row each.
# Name: every fighter needs one of its own; upper and lower case are the same.
# XP and BonusXP: together they make the dice; one for each 1000 begun. Together they have to be above 0.
# BonusHP: HP are 2 + BonusHP. Whoever starts at 0 or less sits out.
# BonusToHit and BonusToDefend: 0.15 adds 15 points to the chance of 30 % that each die has.
# AOE: how many opponents the fighter attacks in a round. Blank is 1.
# BodyguardFor: whose attackers have to deal with this fighter instead.
# LinkedTo: this fighter falls when that one falls.
# Buffs take four columns each and there may be any number of them side by side. Everybody named in BuffWho gets
# BuffOffense on ToHit and BuffDefense on ToDefend while the one who gives it stands. Several names go in quotes.
# Here a dragon carries its summoner and her bodyguard: if it falls they fall with it; if she falls it vanishes.
"""


def roster_csv(roster: Roster) -> bytes:
    """Return a roster as a file that `read_roster` reads back exactly: all columns that it had, the blank ones too."""
    groups = roster.buff_groups
    return write_table(FIXED + BUFF * groups, (tuple(_cells(fighter, groups)) for fighter in roster.fighters))


def fighter_cells(fighter: Fighter) -> dict[str, str]:
    """Return the texts of a fighter's columns, buffs aside, such as a form shows; `read_fighter` reads them back."""
    return dict(zip(FIXED, map(str, _cells(fighter, 0)), strict=False))  # the buffs behind them are left out


def example() -> bytes:
    """Return the file to start from, comments and all."""
    rows = (
        'Dragon,13000,1500,-1,0.9,0.1,,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02',
        "Summoner,5800,-1000,1,0.15,,,,Dragon,,,,",
        'Tom,7001,,,0.11,0.01,,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12',
    )
    text = f"{_COMMENTS}{','.join(FIXED + BUFF)}\n" + "".join(f"{row}\n" for row in rows)
    return text.replace("\n", "\r\n").encode("utf-8-sig")


def _cells(fighter: Fighter, groups: int) -> Iterator[Cell]:
    """Give a row's cells: every number, even where blank would mean the same, so that other programs can read them."""
    yield fighter.name
    yield from (fighter.xp, fighter.bonus_xp, fighter.bonus_hp)
    yield from map(trimmed, (fighter.bonus_to_hit, fighter.bonus_to_defend))
    yield fighter.aoe
    yield fighter.bodyguard_for or ""
    yield fighter.linked_to or ""
    for buff in fighter.buffs:
        yield from (buff.name, ",".join(buff.who), trimmed(buff.offense), trimmed(buff.defense))
    yield from [""] * (len(BUFF) * (groups - len(fighter.buffs)))
