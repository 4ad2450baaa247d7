"""What players type about battles, as values: armies, whole questions, casualty orders, technologies.

Every text has a result or a TextError with the place of each mistake.
"""

from sim.axis_allies.parse.options import (
    MAX_ORDER_TEXT,
    METHODS,
    TECHNOLOGY_EXAMPLE,
    option_texts,
    order_text,
    parse_casualties,
    parse_technology,
    technology_text,
)
from sim.axis_allies.parse.question import (
    EXAMPLE,
    completions,
    decode_text,
    fitting_edition,
    is_battle,
    named_edition,
    parse_army,
    parse_battle,
    parse_question,
    parse_wave,
    reads_as_battle,
    share_text,
    swap_sides,
    without_edition,
)
from sim.axis_allies.parse.words import MAX_TEXT, VERSUS

__all__ = [
    "EXAMPLE",
    "MAX_ORDER_TEXT",
    "MAX_TEXT",
    "METHODS",
    "TECHNOLOGY_EXAMPLE",
    "VERSUS",
    "completions",
    "decode_text",
    "fitting_edition",
    "is_battle",
    "named_edition",
    "option_texts",
    "order_text",
    "parse_army",
    "parse_battle",
    "parse_casualties",
    "parse_question",
    "parse_technology",
    "parse_wave",
    "reads_as_battle",
    "share_text",
    "swap_sides",
    "technology_text",
    "without_edition",
]
