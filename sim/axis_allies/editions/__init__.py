"""Axis & Allies by edition: a file of units, rules and technologies for each, and what reads them.

An edition is a TOML file in this folder; adding one is adding a file. Source: .docs/rules/axis_allies.md, "Editions".
"""

from sim.axis_allies.editions.registry import DEFAULT, EDITIONS, EditionName, edition_named
from sim.axis_allies.editions.values import Edition, Guns, Lift, Row, Rules, Strikes, Technology

__all__ = [
    "DEFAULT",
    "EDITIONS",
    "Edition",
    "EditionName",
    "Guns",
    "Lift",
    "Row",
    "Rules",
    "Strikes",
    "Technology",
    "edition_named",
]
