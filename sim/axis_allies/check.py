"""Army texts that are kept for later: checked whether they are one army or a battle that can be read."""

from sim.axis_allies.army import Army
from sim.axis_allies.parse import is_battle, parse_army, parse_battle
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Side
from sim.core.request import Request


class CheckedArmies(Frozen):
    """What a text holds: one army, or the attacker's and the defender's."""

    armies: tuple[Army, ...]


class CheckRequest(Request):
    """A content that should be army text in UTF-8."""

    max_seconds = 0.05

    content: bytes

    def run(self) -> CheckedArmies:
        """Read it; RuleError when it is no text, TextError with every mistake and its place."""
        text = text_of(self.content)
        if not is_battle(text):
            return CheckedArmies(armies=(parse_army(text),))
        armies = parse_battle(text)
        return CheckedArmies(armies=tuple(armies[side] for side in Side))


def text_of(content: bytes) -> str:
    """Return a content as one line of text; RuleError when it is not UTF-8."""
    try:
        return " ".join(content.decode("utf-8-sig").split())
    except UnicodeDecodeError:
        raise RuleError("An army is plain text in UTF-8, such as: 6 tanks, 2 inf") from None
