"""Words: the language of messages, the tables of sites, phrases, openings and closings."""

from sim.duel.words.messages import DEFAULT_WORDS, SHAPES, Message, Words, preview
from sim.duel.words.phrases import NARRATED_WORDS
from sim.duel.words.template import Shape, compile_template

__all__ = ["DEFAULT_WORDS", "NARRATED_WORDS", "SHAPES", "Message", "Shape", "Words", "compile_template", "preview"]
