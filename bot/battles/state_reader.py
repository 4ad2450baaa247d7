"""Reads the states of one system's battles: the last ones from memory, large ones without holding up the event loop."""

from collections import OrderedDict
from typing import Generic

from bot.cooperative import off_loop
from sim.core.battle import Codec, StateT

MOST_CHARACTERS = 4_000_000
"""Characters of the states that are kept, all together; one state is kept however long it is."""


class StateReader(Generic[StateT]):
    """Reads states from their JSON; equal texts are read once, as long as they are kept."""

    def __init__(self, states: Codec[StateT]) -> None:
        self._codec = states
        self._kept: OrderedDict[str, StateT] = OrderedDict()

    async def read(self, state_json: str) -> StateT:
        """Return the state that a canonical text stands for."""
        if state_json not in self._kept:
            self._kept[state_json] = await off_loop(len(state_json), self._codec.read_json, state_json)
            while len(self._kept) > 1 and sum(map(len, self._kept)) > MOST_CHARACTERS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(state_json)
        return self._kept[state_json]
