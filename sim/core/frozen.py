"""The base of every value that is made once and kept."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable model that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
