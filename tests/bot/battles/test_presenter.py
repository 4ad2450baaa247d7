from bot.battles.mixins import HidesInformation
from bot.battles.presenter import Presenters
from sim.core.battle import HiddenInformation
from tests.bot.conftest import Table


async def test_presenters_hide_only_what_the_rules_hide(table: Table) -> None:
    """Else a terminal would show what a channel doesn't."""
    presenters = table.bot.services[Presenters].all
    assert presenters
    for presenter in presenters:
        assert isinstance(presenter, HidesInformation) is isinstance(presenter.system, HiddenInformation)
