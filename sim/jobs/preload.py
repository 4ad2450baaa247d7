"""Loads the light part of every game's rules when it is imported: once, by the process that workers are forked from."""

from importlib import import_module

from sim.jobs.discovery import games

for _game in games():
    for _module in _game.rules.preload:
        import_module(_module)
