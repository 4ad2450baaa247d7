import pytest

from bot.store import OWN_WORK
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository, UndoRequest, UndoRequestRepository
from bot.store.database import Database
from bot.store.errors import AlreadyAppliedError, BattleGoneError, BattleOverError, StaleError
from tests.bot.store.toy import advance, ended, opened, went_back


@pytest.fixture
def panels(db: Database) -> PanelRepository:
    return PanelRepository(db)


@pytest.fixture
def requests(db: Database) -> UndoRequestRepository:
    return UndoRequestRepository(db, lambda: 5000.9)


async def test_what_changed_is_to_be_shown_until_it_is(battles: BattleRepository, panels: PanelRepository) -> None:
    battle, other = await opened(battles), await opened(battles)
    assert await panels.pending() == [battle, other]
    await panels.mark_published(other)
    battle = await advance(battles, await advance(battles, battle))
    assert await panels.pending() == [battle]
    await panels.mark_published(battle)
    assert await panels.pending() == []
    battle = await battles.take_seat(battle.id, "attacker", 1)
    assert await panels.pending() == [battle]
    await panels.mark_published(battle)
    await battles.take_seat(battle.id, "attacker", 1)  # theirs already: nothing new to see
    assert await panels.pending() == []
    battle = await went_back(battles, battle, 1)
    battle = await ended(battles, battle)
    assert await panels.pending() == [battle]


async def test_what_changed_while_it_was_being_shown_is_still_to_be_shown(
    battles: BattleRepository, panels: PanelRepository
) -> None:
    rendered = await opened(battles)
    seated = await battles.take_seat(rendered.id, "attacker", 1)  # of the same version
    await panels.mark_published(rendered)
    assert await panels.pending() == [seated]
    stepped = await advance(battles, seated)
    await panels.mark_published(seated)
    assert await panels.pending() == [stepped]
    await panels.mark_published(stepped)
    assert await panels.pending() == []


async def test_a_refused_step_leaves_nothing_to_show(battles: BattleRepository, panels: PanelRepository) -> None:
    battle = await opened(battles)
    later = await advance(battles, battle)
    await panels.mark_published(later)
    with pytest.raises(StaleError):
        await advance(battles, battle)
    assert await panels.pending() == []


async def test_panels_retire_in_order_until_their_buttons_are_gone(
    battles: BattleRepository, panels: PanelRepository
) -> None:
    battle = await opened(battles)
    await panels.mark_published(battle)
    for message in (11, 12, 12, 13, None):
        battle = await panels.set_panel(battle.id, message)
    assert (battle.panel_id, battle.panels_retired) == (None, (11, 12, 13))
    await panels.mark_cleared(battle.id, 12)
    await panels.mark_cleared(battle.id, 99)
    battle = await panels.set_panel(battle.id, 11)
    assert (battle.panel_id, battle.panels_retired) == (11, (13,))
    assert await battles.get(battle.id, OWN_WORK) == battle
    assert await panels.pending() == []
    with pytest.raises(BattleGoneError):
        await panels.set_panel(99, 1)
    with pytest.raises(BattleGoneError):
        await panels.mark_cleared(99, 1)


async def test_a_panel_is_no_deed_of_a_player(db: Database) -> None:
    """A message put up again must not keep an idle battle from being closed."""
    now = 1000.0
    battles, panels = BattleRepository(db, lambda: now), PanelRepository(db)
    battle = await opened(battles)
    now = 2000.0
    assert (await panels.set_panel(battle.id, 11)).updated_at == 1000


async def test_an_undo_is_asked_for_once_at_a_version(
    battles: BattleRepository, panels: PanelRepository, requests: UndoRequestRepository
) -> None:
    battle = await advance(battles, await opened(battles))
    await panels.mark_published(battle)
    assert await requests.pending(battle.id) is None
    request = await requests.ask(battle.id, 1, 7, 20)
    assert request == UndoRequest(battle.id, version=1, user_id=7, created_at=5000)
    assert [each.id for each in await panels.pending()] == [battle.id]
    assert await requests.ask(battle.id, 1, 8, 21) == request
    assert await requests.pending(battle.id) == request
    with pytest.raises(AlreadyAppliedError):
        await requests.ask(battle.id, 1, 7, 20)
    assert await requests.withdraw(battle.id)
    assert not await requests.withdraw(battle.id)
    assert await requests.pending(battle.id) is None


async def test_a_request_is_void_when_the_battle_goes_on(
    battles: BattleRepository, requests: UndoRequestRepository
) -> None:
    battle = await advance(battles, await opened(battles))
    await requests.ask(battle.id, 1, 7)
    battle = await advance(battles, battle)
    assert await requests.pending(battle.id) is None
    await requests.ask(battle.id, 2, 7)
    battle = await went_back(battles, battle, 1)
    assert await requests.pending(battle.id) is None


async def test_an_undo_can_not_be_asked_for_of_what_has_gone_on_or_ended(
    battles: BattleRepository, requests: UndoRequestRepository
) -> None:
    battle = await advance(battles, await opened(battles))
    with pytest.raises(StaleError):
        await requests.ask(battle.id, 0, 7, 20)
    with pytest.raises(BattleGoneError):
        await requests.ask(99, 0, 7, 20)
    battle = await ended(battles, battle)
    with pytest.raises(BattleOverError):
        await requests.ask(battle.id, 2, 7, 20)
    assert await requests.pending(battle.id) is None
