"""Axis & Allies: the odds, then the average battle."""

from bot.render.axis_allies.calc import calc_book

__all__ = ["calc_book"]
