"""What a seat may not see is taken away by the rules; games without secrets say so by having no views."""

import pytest

from sim.core.battle import ANYONE, CLOCK, REFEREE, AnySystem, HiddenInformation, Seat, Step
from tests.conformance.example import Example, example_of, registered
from tests.conformance.plays import plays


@pytest.fixture(params=registered())
def example(request: pytest.FixtureRequest) -> Example:
    return example_of(request.param)


def everybody(system: AnySystem) -> set[Seat]:
    return {*system.seats, ANYONE, REFEREE, CLOCK}


def test_who_may_not_see_a_secret_sees_the_same_whatever_it_is(example: Example) -> None:
    system = example.system
    assert bool(example.secrets) is isinstance(system, HiddenInformation)
    for secret in example.secrets:
        first, second = secret.steps
        assert first.state != second.state
        for seat in everybody(system):
            same = view(system, first, seat) == view(system, second, seat)
            assert same is (seat not in secret.seeing), f"{secret.what} as the {seat} sees it"


def view(system: AnySystem, step: Step[object, object], seat: Seat) -> tuple[object, ...]:
    """Return all that a seat sees of a step."""
    assert isinstance(system, HiddenInformation)
    events = system.visible_events(step.state, step.events, seat)
    return system.visible_state(step.state, seat), events, system.lines(events)


def test_a_view_hides_nothing_more_when_it_is_viewed_again(example: Example) -> None:
    system = example.system
    for turn in (turn for play in plays(system.name) for turn in play.turns):
        if isinstance(system, HiddenInformation):
            for seat in everybody(system):
                seen = system.visible_state(turn.state, seat)
                assert system.visible_state(seen, seat) == seen
