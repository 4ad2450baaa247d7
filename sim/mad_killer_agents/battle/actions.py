"""What people do to a game: before it begins, in their turn, about who plays for them."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.mad_killer_agents.battle.order_text import MAX_TEXT
from sim.mad_killer_agents.battle.orders import Order
from sim.mad_killer_agents.battle.values import Name, Number
from sim.mad_killer_agents.constants import AiKind

MOST_ORDERS = 200
"""Orders given at once."""


class Join(Frozen):
    """Sit down, before the game begins."""

    do: Literal["join"] = "join"
    name: Name


class Leave(Frozen):
    """Stand up, before the game begins."""

    do: Literal["leave"] = "leave"


class AddAi(Frozen):
    """Seat an AI, before the game begins."""

    do: Literal["add-ai"] = "add-ai"
    ai: AiKind


class RemoveAi(Frozen):
    """Send an AI away, before the game begins."""

    do: Literal["remove-ai"] = "remove-ai"
    number: Number


class Begin(Frozen):
    """Draw the map and begin."""

    do: Literal["begin"] = "begin"


class Give(Frozen):
    """Orders in one's turn: all or nothing."""

    do: Literal["give"] = "give"
    orders: Annotated[tuple[Order, ...], Field(min_length=1, max_length=MOST_ORDERS)]


class Write(Frozen):
    """Orders as text: all or nothing."""

    do: Literal["write"] = "write"
    text: Annotated[str, Field(max_length=MAX_TEXT)]


class Undo(Frozen):
    """Take the last order of one's turn back."""

    do: Literal["undo"] = "undo"


class UndoTurn(Frozen):
    """Take all orders of one's turn back."""

    do: Literal["undo-turn"] = "undo-turn"


class EndTurn(Frozen):
    """End one's turn; the AIs that follow play at once."""

    do: Literal["end-turn"] = "end-turn"


class Resign(Frozen):
    """Give the game up."""

    do: Literal["resign"] = "resign"


class Away(Frozen):
    """Let one's deputy play every turn from now on, this one too."""

    do: Literal["away"] = "away"
    ai: AiKind | None = None


class Back(Frozen):
    """Play oneself again."""

    do: Literal["back"] = "back"


class Deputy(Frozen):
    """Choose who plays when one's time is up."""

    do: Literal["deputy"] = "deputy"
    ai: AiKind


class Replace(Frozen):
    """Put an AI in a person's place for good."""

    do: Literal["replace"] = "replace"
    number: Number
    ai: AiKind


class TimeUp(Frozen):
    """The turn lasted too long: the deputy plays it."""

    do: Literal["time-up"] = "time-up"


class GoOn(Frozen):
    """Let AIs that paused play on."""

    do: Literal["go-on"] = "go-on"


Action = Annotated[
    Join
    | Leave
    | AddAi
    | RemoveAi
    | Begin
    | Give
    | Write
    | Undo
    | UndoTurn
    | EndTurn
    | Resign
    | Away
    | Back
    | Deputy
    | Replace
    | TimeUp
    | GoOn,
    Field(discriminator="do"),
]
