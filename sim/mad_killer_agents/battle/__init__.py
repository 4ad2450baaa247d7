"""The war on a map, turn by turn: `MapWar` has the rules, `values` how a game stands, `actions` what players do."""

from sim.mad_killer_agents.battle.rules import MapWar

__all__ = ["MapWar"]
