"""The job that draws a challenge, of any game that offers some."""

from typing import Annotated

from pydantic import Field

from sim.core.challenge import HasChallenge
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.values import Request, canonical
from sim.jobs.discovery import system


class DrawChallenge(Request):
    """Draw a challenge of a system; the same seed always draws the same."""

    max_seconds = 0.5

    system: str
    seed: Annotated[bytes, Field(repr=False)]

    def run(self) -> str:
        """Return its setup as canonical JSON."""
        rules = system(self.system)
        if not isinstance(rules, HasChallenge):
            raise RuleError("This game has no challenges.")
        return canonical(rules.setups.write(rules.challenge.draw(SeededDice(self.seed))))
