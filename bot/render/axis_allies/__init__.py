"""Axis & Allies: the odds, the average battle, advice."""

from bot.render.axis_allies.advice import luck_book, need_book, retreat_book
from bot.render.axis_allies.calc import calc_book

__all__ = ["calc_book", "luck_book", "need_book", "retreat_book"]
