"""Short ways to write fighters and sides."""

from decimal import Decimal

from sim.marked_for_death.roster import Buff, Fighter, Roster


def fighter(name: str, dice: int = 1, hp: int = 2, **more: object) -> Fighter:
    return Fighter.model_validate({"name": name, "xp": 1000 * dice, "bonus_hp": hp - 2, **more})


def buff(who: str, offense: str = "0", defense: str = "0") -> Buff:
    return Buff(who=tuple(who.split(", ")), offense=Decimal(offense), defense=Decimal(defense))


def side(*fighters: Fighter) -> Roster:
    return Roster(fighters=fighters)


def crowd(letter: str, count: int, dice: int = 5) -> Roster:
    """Return a side with everything: area attacks, bodyguards, links and buffs."""
    return side(
        *(
            fighter(
                f"{letter}{at}",
                dice,
                2 + at % 3,
                bonus_to_hit=Decimal(at % 5) / 100,
                bonus_to_defend=Decimal(at % 7) / 50,
                aoe=1 if at % 5 else 3,
                bodyguard_for=None if at % 3 else f"{letter}{(at + 7) % count}",
                linked_to=f"{letter}{(at + 3) % count}" if at % 6 == 5 else None,
                buffs=() if at % 4 else (buff(f"{letter}{at}, {letter}{(at + 1) % count}", "0.03", "0.02"),),
            )
            for at in range(count)
        )
    )
