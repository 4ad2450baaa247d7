"""Axis & Allies by edition: the table of units, the rules in which editions differ, the technologies.

An edition is a TOML file in this folder; adding one is adding a file. One that is `like` another says only in which
units and rules it differs; technologies are always its own. Source: .docs/rules/axis_allies.md, "Editions", "Units",
"Which rule in which edition" and "Technology".
"""

import re
import tomllib
from enum import StrEnum
from importlib.resources import files
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sim.axis_allies.units import Unit
from sim.core import RuleError
from sim.core.values import Frozen

DEFAULT = "1941"
"""The edition until somebody sets another."""

_FOLDER = files("sim.axis_allies.editions")
_ROW = re.compile(r"(?P<attack>[0-6])/(?P<defence>[0-6]) (?P<cost>[0-9]+)(?: x(?P<hits>2))?|mark (?P<price>[0-9]+)")

Value = Annotated[int, Field(ge=0, le=6)]
"""The highest face of a die that hits; 0 never hits."""


class Row(Frozen):
    """A unit's row: values in attack and defence, cost in IPC, hits it takes until it is lost.

    `mark`: it is no unit of the battle but a mark on the map.
    """

    attack: Value
    defence: Value
    cost: Annotated[int, Field(gt=0)]
    hits: Literal[1, 2] = 1
    mark: bool = False


def _row(text: object) -> object:
    """Read a row as .docs/rules/axis_allies.md, "Units" writes it: `4/4 20 x2`, `mark 5`."""
    if not isinstance(text, str):
        return text
    row = _ROW.fullmatch(text)
    if row is None:
        raise ValueError(f"{text!r} is no row such as 4/4 20 x2")
    attack, defence, cost = (int(row[name] or 0) for name in ("attack", "defence", "cost"))
    price = int(row["price"] or 0)
    return Row(attack=attack, defence=defence, cost=cost or price, hits=2 if row["hits"] else 1, mark=price > 0)


class Lift(Frozen):
    """A pair bonus of the attacker: each unit of `by` that fires makes one of `lifts`, in their order, hit at `to`."""

    by: tuple[Unit, ...]
    lifts: tuple[Unit, ...]
    to: Value


class Guns(StrEnum):
    """What an antiaircraft gun is."""

    NONE = "none"
    MARK = "mark"
    """One gun or ten make no difference: a die for each plane."""
    UNIT = "unit"
    """A unit with `Rules.dice_of_gun` dice, at most one for each plane, that can be lost."""


class Strikes(StrEnum):
    """When a side's submarines fire before everything else, and their losses leave at once."""

    NEVER = "never"
    ALWAYS = "always"
    NO_DESTROYER = "no enemy destroyer"


class Rules(Frozen):
    """The rules in which editions differ; the names follow the rows of the page.

    `planes_by_type`: the dice of antiaircraft fire are thrown plane type by plane type, else the attacker chooses who
    falls. `bombarding`: ships that may bombard; `one_ship_for_each_landed_unit`; `bombarded_fire_back`.
    `marked_losses`: submarines always fire in a step of their own; what they hit beside a destroyer still fires.
    `air_hits_submarines`: without an own destroyer, too. `transports_last`: lost last, by the orders that leave it
    open. `defenceless`: units that are lost without dice once nothing else is left. `casualties`: the default order.
    """

    lifts: tuple[Lift, ...] = ()
    guns: Guns = Guns.NONE
    dice_of_gun: int = 0
    planes_by_type: bool = False
    bombarding: tuple[Unit, ...] = ()
    one_ship_for_each_landed_unit: bool = True
    bombarded_fire_back: bool = True
    attacker_strikes: Strikes = Strikes.NO_DESTROYER
    defender_strikes: Strikes = Strikes.NO_DESTROYER
    marked_losses: bool = False
    air_hits_submarines: bool = False
    transports_last: bool = True
    defenceless: tuple[Unit, ...] = ()
    casualties: Literal["score", "lives-first"] = "lives-first"

    def gun_dice(self, guns: int, planes: int) -> int:
        """Return how many dice antiaircraft guns throw at planes."""
        return planes if self.guns is Guns.MARK else min(planes, guns * self.dice_of_gun)


class Technology(Frozen):
    """What a technology changes for its owner.

    `unit`: the unit that gets `attack` or `defence`, throws `dice` dice, or takes the best of `best_of`. `gun_hits`:
    the highest face of a gun that hits. `lift`: one more pair bonus. `bombarding`: one more kind of ship.
    """

    unit: Unit | None = None
    attack: Value | None = None
    defence: Value | None = None
    dice: Annotated[int, Field(ge=1, le=3)] = 1
    best_of: Annotated[int, Field(ge=1, le=2)] = 1
    gun_hits: Value | None = None
    lift: Lift | None = None
    bombarding: Unit | None = None


class Edition(Frozen):
    """An edition: `name` as in commands, `title` for players, `year` of the box, `also` other names for it.

    `average`: whether the average battle is fought by its rules.
    """

    name: str
    title: str
    year: int
    also: tuple[str, ...]
    average: bool = False
    sources: tuple[str, ...]
    units: dict[Unit, Annotated[Row, BeforeValidator(_row)]]
    rules: Rules
    technology: dict[str, Technology] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        gun = self.units.get(Unit.GUN)
        if (gun is None) is not (self.rules.guns is Guns.NONE):
            raise ValueError("guns are a row of the table and a rule, or neither")
        return self

    def cost(self, unit: Unit) -> int:
        """Return the price of a unit in IPC; 0 for a mark, which can't be lost."""
        row = self.units[unit]
        return 0 if row.mark else row.cost

    def lives(self, unit: Unit) -> int:
        """Return how many hits a unit absorbs before it is lost."""
        return self.units[unit].hits - 1


def _told(name: str) -> dict[str, Any]:
    """Return what an edition's file says, and what it leaves to the one that it is like."""
    told = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    if (like := told.pop("like", None)) is not None:
        told |= {table: _told(like)[table] | told.get(table, {}) for table in ("units", "rules")}
    told["units"] = {unit: told["units"][unit] for unit in [*Unit, *told["units"]] if unit in told["units"]}
    return told


_FILES = [file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")]
_BOOKS = [Edition.model_validate({"name": name, **_told(name)}) for name in _FILES]

EDITIONS: dict[str, Edition] = {book.name: book for book in sorted(_BOOKS, key=lambda book: (book.year, book.name))}
"""All editions by name, the oldest first."""


NAMES: dict[str, Edition] = {name: book for book in EDITIONS.values() for name in (book.name, *book.also)}
"""Every name of an edition, in lower case."""


def edition_named(name: str) -> Edition:
    """Return the edition that players call `name`; RuleError if none has this name."""
    edition = NAMES.get(" ".join(name.casefold().split()))
    if edition is None:
        raise RuleError(f"There is no edition {name[:40]!r}. Choose {', '.join(EDITIONS)}.")
    return edition


def _known(name: str) -> str:
    if name not in EDITIONS:
        raise ValueError(f"no edition is called {name!r}")
    return name


EditionName = Annotated[str, AfterValidator(_known)]
"""The name of an edition."""
