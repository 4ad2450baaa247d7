"""Battles against a model of them in a few lines: whatever is done, both say the same."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from bot.store import OWN_WORK, AlreadyAppliedError, BattleError, BattleOverError, SeatTakenError, StaleError
from bot.store.battle import Battle, Status
from bot.store.battles import BattleRepository
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import BATTLES, HOUSE_TABLES
from bot.store.transactions import PanelRepository
from tests.bot.store.databases import open_database
from tests.bot.store.toy import SEATS, advance, ended, expect_sound, opened, went_back

T = TypeVar("T")
Views = Battle | MultipleResults[Battle]

USERS = st.integers(1, 3)
INTERACTIONS = st.integers(1, 30)


@dataclass
class Model:
    """A battle as it should be."""

    number: int
    starter: int | None
    seats: dict[str, int | None]
    rolls: list[int] = field(default_factory=lambda: [0])
    """How many dice the sum holds, at each version."""
    steps: int = 0
    closed: bool = False
    unshown: bool = True
    actors: list[int | None] = field(default_factory=list)

    @property
    def version(self) -> int:
        return len(self.rolls) - 1


class Store(RuleBasedStateMachine):
    """What players and the house do in two channels, in any order, with every view that they ever had."""

    views = Bundle("views")

    @initialize(target=views)
    def start(self) -> Views:
        self.loop = asyncio.new_event_loop()
        self.db = self.run(open_database(":memory:"))
        self.battles, self.panels = BattleRepository(self.db), PanelRepository(self.db)
        self.personal_data = PersonalDataRepository(self.db, HOUSE_TABLES)
        self.models: dict[int, Model] = {}
        self.applied: set[int] = set()
        self.numbers = {10: 0, 11: 0}
        return multiple()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        if hasattr(self, "db"):
            for battle_id in self.models:
                self.run(expect_sound(self.battles, battle_id))
            self.run(self.db.close())
            self.loop.close()

    def attempt(
        self, work: Coroutine[Any, Any, Battle], view: Battle, interaction: int, *, versioned: bool = True
    ) -> Battle | None:
        """Do it, and expect the refusal that the model knows of, if any."""
        model = self.models[view.id]
        expected: type[BattleError] | None = None
        if interaction in self.applied:
            expected = AlreadyAppliedError
        elif model.closed:
            expected = BattleOverError
        elif versioned and view.version != model.version:
            expected = StaleError
        try:
            after = self.run(work)
        except SeatTakenError as error:
            assert expected is None
            assert error.user_id == model.seats[error.seat]
            return None
        except BattleError as error:
            assert type(error) is expected
            assert not isinstance(error, StaleError) or error.version == model.version
            return None
        assert expected is None
        self.applied.add(interaction)
        return after

    def written(self, after: Battle | None, dice: int, actor: int | None = None) -> Views:
        if after is None:
            return multiple()
        model = self.models[after.id]
        model.rolls.append(dice)
        model.actors.append(actor)
        model.unshown = True
        return after

    @rule(target=views, channel=st.sampled_from([10, 11]), starter=USERS, interaction=INTERACTIONS)
    def open(self, channel: int, starter: int, interaction: int) -> Views:
        work = opened(self.battles, channel=channel, starter=starter, attacker=starter, interaction_id=interaction)
        try:
            battle = self.run(work)
        except AlreadyAppliedError:
            assert interaction in self.applied
            return multiple()
        assert interaction not in self.applied
        self.applied.add(interaction)
        self.numbers[channel] += 1
        self.models[battle.id] = Model(self.numbers[channel], starter, dict(zip(SEATS, (starter, None), strict=True)))
        return battle

    @rule(target=views, view=views, interaction=INTERACTIONS, actor=USERS)
    def step(self, view: Battle, interaction: int, actor: int) -> Views:
        after = self.attempt(advance(self.battles, view, interaction, actor=actor), view, interaction)
        if after is not None:
            self.models[view.id].steps += 1
        return self.written(after, self.models[view.id].rolls[-1] + 1, actor)

    @rule(target=views, view=views, interaction=INTERACTIONS, back=st.integers(0, 5))
    def undo(self, view: Battle, interaction: int, back: int) -> Views:
        model = self.models[view.id]
        back_to = max(0, model.version - back)
        if view.version == model.version:
            after = self.attempt(went_back(self.battles, view, back_to, interaction), view, interaction)
            return self.written(after, model.rolls[back_to])
        return multiple()

    @rule(target=views, view=views, interaction=INTERACTIONS)
    def end(self, view: Battle, interaction: int) -> Views:
        model = self.models[view.id]
        if view.version != model.version:
            return multiple()
        after = self.attempt(ended(self.battles, view, interaction), view, interaction)
        if after is not None:
            model.closed = True
        return self.written(after, model.rolls[-1])

    @rule(view=views, seat=st.sampled_from(SEATS), user=USERS, interaction=INTERACTIONS)
    def sit_down(self, view: Battle, seat: str, user: int, interaction: int) -> None:
        model = self.models[view.id]
        holder = model.seats[seat]
        work = self.battles.take_seat(view.id, seat, user, interaction)
        after = self.attempt(work, view, interaction, versioned=False)
        if after is not None:
            assert holder in {None, user}
            model.seats[seat] = user
            model.unshown |= holder is None
        elif interaction not in self.applied and not model.closed:
            assert holder not in {None, user}

    @rule(view=views)
    def show(self, view: Battle) -> None:
        now = self.run(self.battles.get(view.id, OWN_WORK))
        assert now is not None
        self.run(self.panels.mark_published(view))
        if view.revision == now.revision:
            self.models[view.id].unshown = False

    @rule(target=views, view=consumes(views))
    def look_again(self, view: Battle) -> Views:
        return self.run(self.battles.get(view.id, OWN_WORK)) or multiple()

    @rule(user=USERS)
    def forget(self, user: int) -> None:
        (battles,) = [number for table, number in self.run(self.personal_data.forget_person(user)) if table is BATTLES]
        involved_in = 0
        for model in self.models.values():
            involved = user in {model.starter, *model.seats.values(), *model.actors}
            involved_in += involved
            model.unshown |= involved
            model.starter = None if model.starter == user else model.starter
            model.seats = {seat: None if holder == user else holder for seat, holder in model.seats.items()}
            model.actors = [None if actor == user else actor for actor in model.actors]
        assert battles == involved_in

    @invariant()
    def both_say_the_same(self) -> None:
        for battle_id, model in getattr(self, "models", {}).items():
            battle = self.run(self.battles.get(battle_id, OWN_WORK))
            assert battle is not None
            assert (battle.number, battle.version, battle.steps) == (model.number, model.version, model.steps)
            assert battle.starter_id == model.starter
            assert {place.seat: place.user_id for place in battle.places} == model.seats
            assert all(place.is_open is (place.user_id is None) for place in battle.places)
            assert isinstance(battle.state, dict)
            assert battle.state["rolls"] == model.rolls[-1]
            assert battle.status is (Status.ENDED if model.closed else Status.OPEN)
            assert self.run(self.battles.by_number(battle.channel_id, model.number)) == battle
            journal = self.run(self.battles.journal(battle_id))
            assert [entry.actor for entry in journal] == [actor and str(actor) for actor in model.actors]
        if hasattr(self, "models"):
            pending = {battle.id for battle in self.run(self.panels.pending())}
            assert pending == {battle_id for battle_id, model in self.models.items() if model.unshown}


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=12, stateful_step_count=40, deadline=None)

_LONG = {"settings": settings(max_examples=60, stateful_step_count=40, deadline=None)}
TestLongStore = pytest.mark.torture(type("TestLongStore", (Store.TestCase,), _LONG))
