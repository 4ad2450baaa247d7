"""The rules of five battle games: pure, typed, without Discord, files, clocks or global chance."""

__version__ = "0.3.0.dev0"
