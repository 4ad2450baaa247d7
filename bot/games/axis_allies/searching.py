"""How a request is answered that may begin with a long search for the best orders of losses."""

from collections.abc import Callable

from bot.result_cache import CachingSimulator
from sim.axis_allies.odds.search_question import OrderSearch, found_by
from sim.axis_allies.odds.searching_request import Searches, SearchFirst
from sim.core.parts import R_co
from sim.workers import Caller


async def answered(
    simulator: CachingSimulator,
    request: Searches[R_co],
    caller: Caller | None,
    update: Callable[[float, str], None] = lambda *_: None,
) -> R_co:
    """Return the report of a request: of one job, or of a search side by side and a job with the orders found.

    `update` gets the progress of the search.
    """
    first = await simulator.run(SearchFirst(request), caller)
    if not isinstance(first, OrderSearch):
        return first
    so_far = await simulator.through(first, lambda: simulator.in_parts(first, caller, update))
    return await simulator.run(request.with_found(found_by(so_far)), caller)
