"""The war on a map: `MapWar` has the rules, `values` the setup, state, orders and actions."""

from sim.mad_killer_agents.battle.rules import MapWar

__all__ = ["MapWar"]
