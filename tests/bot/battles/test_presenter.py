from bot.battles.presenter import BattlePresenter, Presenters
from sim.core.battle import HiddenInformation
from tests.bot.conftest import Table

HIDING = ("hidden_rows", "private_text")


async def test_presenters_hide_only_what_the_rules_hide(table: Table) -> None:
    """Else a terminal would show what a channel doesn't."""
    presenters = table.bot.services[Presenters].all
    assert presenters
    for presenter in presenters:
        own = [name for name in HIDING if getattr(type(presenter), name) is not getattr(BattlePresenter, name)]
        assert bool(own) is isinstance(presenter.system, HiddenInformation)
