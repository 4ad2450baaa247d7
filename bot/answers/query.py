"""What a player asked, typed; its row in the database is a `StoredQuery`."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from sim.workers import Job


class Query(BaseModel):
    """What a player asked, as typed. It is stored: a field that is added needs a default."""

    model_config = ConfigDict(frozen=True)

    private: bool = False

    def request(self) -> Job[Any]:
        """Read everything typed; RuleError with all that is wrong, TextError with its place."""
        raise NotImplementedError

    def uploads(self) -> Sequence[str]:
        """Return the hashes of the uploads that the query names; they are kept as long as it is."""
        return ()
