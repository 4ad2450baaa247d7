"""Narrated duels (.docs/rules/duel.md, "Words")."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.core.replay import verify
from sim.core.session import Session
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Cast, Closed, Continue, Opened, Run, State, Struck
from sim.duel.critter import Alignment, Gender
from sim.duel.phrases import CLOSINGS, NARRATED_WORDS, OPENINGS
from sim.duel.words import DEFAULT_WORDS, Message
from tests.sim.duel.builders import DUEL, act, critter, setup

GOOD = critter("Aud", gender=Gender.SHE, alignment=Alignment.LAWFUL)
BAD = critter("Toki", gender=Gender.HE, alignment=Alignment.CHAOTIC)


def begin(*, narrated: bool = True, **terms: object) -> State:
    return DUEL.begin(setup([GOOD], [BAD], narrated=narrated, **terms))


@pytest.mark.parametrize(("view", "alignment"), [(1, Alignment.LAWFUL), (2, Alignment.CHAOTIC)])
def test_the_first_page_is_the_opening(view: int, alignment: Alignment) -> None:
    """A d2 chooses the viewpoint, three dice the site, one more the text."""
    assert [choice.label for choice in DUEL.legal(begin())] == ["Begin", "Fight to the end"]
    step = act(begin(), Continue(), [view, 10, 1, 3, 2])
    opened = step.events[1]
    assert isinstance(opened, Opened)
    assert (opened.view, opened.site, step.state.site) == (view, *2 * ("the Frozen Abbey of Black Ice",))
    text = "\n".join(DUEL.lines(step.events))
    assert text.startswith(OPENINGS[alignment][1].split("$")[0])
    assert "the Frozen Abbey of Black Ice" in text
    assert {"Aud", "Toki"} <= set(text.replace(":", " ").replace(".", " ").replace(",", " ").split())
    assert (step.state.round, step.state.hp) == (0, (5, 5))


def test_the_last_page_is_the_closing_by_who_survived() -> None:
    state = act(begin(), Continue(), [1, 10, 1, 3, 2]).state
    killed = act(state.model_copy(update={"hp": (5, 2)}), Continue(), [6, 1, 1, 1, 1, 20, 3, 1, 3])
    lines = DUEL.lines(killed.events)
    assert lines[-6:-3] == ["", "That didn't take long!", ""]
    assert lines[-1] == "The End"
    assert lines[-3].startswith("A cairn of stones for Toki, a short prayer")
    assert "the Frozen Abbey of Black Ice" in lines[-3]
    slow = state.model_copy(update={"hp": (2, 5), "round": 1})
    killed = act(slow, Continue(), [1, 6, 1, 1, 1, 20, 3, 1])
    closed = killed.events[-1]
    assert isinstance(closed, Closed)
    assert (closed.quick, closed.text.startswith("Toki laughs")) == (False, True)


def test_a_run_tells_the_whole_story_at_once() -> None:
    """The fight's dice come first, then the story's: the fight is the same with and without a story."""
    fight = [1, 6, 1, 1, 1, 20, 4, 1, 2, 5, 1, 1, 1, 1, 2, 1, 14, 4]
    plain = act(begin(narrated=False), Run(), [*fight])
    step = act(begin(), Run(), [*fight, 2, 1, 1, 1, 1, 3])
    assert step.state.hp == plain.state.hp
    assert [event for event in step.events if isinstance(event, Struck)] == [
        event for event in plain.events if isinstance(event, Struck)
    ]
    assert isinstance(step.events[1], Opened)
    lines = DUEL.lines(step.events)
    assert "\n".join(DUEL.lines(plain.events)) in "\n".join(lines)
    assert (lines[-1], lines.count("That didn't take long!")) == ("The End", 0)


@settings(deadline=None)
@given(st.binary(max_size=8))
def test_other_words_never_change_the_fight(seed: bytes) -> None:
    """One die, after all dice of the fight, chooses among the texts."""
    ends = []
    for narrated in (False, True):
        for words in (DEFAULT_WORDS, NARRATED_WORDS):
            step = DUEL.apply(begin(narrated=narrated, words=words), Run(), "group-1", SeededDice(seed))
            ends.append(
                (step.state.hp, step.state.round, [event for event in step.events if isinstance(event, Struck)])
            )
    assert ends.count(ends[0]) == 4


def test_the_voice_decides_what_is_said() -> None:
    tales = set()
    for number in range(50):
        step = act(begin(narrated=False, words=NARRATED_WORDS), Continue(), [1, 6, 1, 1, 1, 13, 1, 13, number + 1])
        cast = step.events[0]
        assert isinstance(cast, Cast)
        assert cast.voice == number
        assert DUEL.lines(step.events) == DUEL.lines(step.events)
        tales.add(tuple(DUEL.lines(step.events)))
    assert len(tales) > 25


def test_a_server_may_say_it_in_its_own_words() -> None:
    words = DEFAULT_WORDS.replace({Message.MISS: ["$Name$1 ducks, and $hisHerIts$1 hat flies off."]})
    step = act(begin(narrated=False, words=words), Continue(), [1, 6, 1, 1, 1, 13, 1, 13])
    assert "Aud ducks, and her hat flies off." in DUEL.lines(step.events)


def test_groups_are_led_by_their_first_and_closed_by_who_is_left() -> None:
    start = setup([GOOD, critter("Ketil", alignment=Alignment.NEUTRAL)], [BAD], narrated=True)
    state = DUEL.begin(start).model_copy(update={"hp": (0, 3, 1), "site": "the Pit", "round": 3})
    step = act(state, Continue(), [6, 1, 1, 1, 1, 20, 1, 1, 2])
    assert DUEL.lines(step.events)[-3] == CLOSINGS[Alignment.NEUTRAL][1].replace("$Name$0", "Ketil").replace(
        "$name$1", "Toki"
    ).replace("$site$", "the Pit")


@pytest.mark.parametrize("narrated", [False, True])
def test_a_played_duel_is_verified(narrated: bool) -> None:
    play = Session(Duel(), setup([GOOD], [BAD], narrated=narrated, words=NARRATED_WORDS), b"seed")
    play.act(Continue(), "group-1")
    play.act(Continue(), "group-2")
    play.undo(1, "group-1")
    play.act(Run(), "referee")
    play.end("referee")
    report = verify(Duel(), play.journal())
    assert report.mismatch is None
    assert report.outcome == play.outcome
