"""Axis & Allies: the odds, the average battle, advice."""

from bot.games.axis_allies.render.advice import luck_book, need_book, retreat_book
from bot.games.axis_allies.render.calc import calc_book

__all__ = ["calc_book", "luck_book", "need_book", "retreat_book"]
