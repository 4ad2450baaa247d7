"""The second edition: no text comes again before all texts of its message have been used."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.core.replay import verify
from sim.core.session import Session
from sim.duel.battle.values import Cast, Continue, Run
from sim.duel.critter import RULES_VERSION, Alignment
from sim.duel.dungeon import values as dungeon
from sim.duel.phrases import CLOSINGS, NARRATED_WORDS, OPENINGS, ROOM_DETAILS, ROOMS
from sim.duel.words import Message, TextRotation, Words
from tests.sim.duel.builders import DUEL, critter, setup
from tests.sim.duel.test_dungeon import DUNGEON

BEFORE = {Message.INITIATIVE: 4, Message.ATTACK: 5, Message.HIT: 5, Message.MISS: 5, Message.DEATH: 4}
"""How many texts each message had."""


def test_every_message_has_twice_as_many_texts_as_it_had() -> None:
    for message, count in BEFORE.items():
        assert len(set(NARRATED_WORDS.variants(message))) >= 2 * count
    for texts in (*OPENINGS.values(), *CLOSINGS.values()):
        assert len(set(texts)) >= 6
    assert min(len(set(ROOMS)), len(set(ROOM_DETAILS))) >= dungeon.MAX_ROOMS


def duel(seed: bytes, first_hp: int = 8, second_hp: int = 8) -> Session:
    one, two = critter("Aud", first_hp, alignment=Alignment.LAWFUL), critter("Toki", second_hp)
    return Session(
        DUEL, setup([one], [two], narrated=True, words=NARRATED_WORDS, press="anyone", edition=RULES_VERSION), seed
    )


def used(play: Session) -> dict[Message, list[str]]:
    """Return the texts that a fight used, in order: each has as many as it has sentences, up to all of them."""
    texts: dict[Message, list[str]] = {message: [] for message in Message}
    counted = (0,) * len(Message)
    state = play.system.begin(play.system.setups.read(play.head.setup))
    for number, row in enumerate(play.entries, start=1):
        step = play.system.apply(state, play.system.actions.read(row.action), row.seat, SeededDice(play.seed, number))
        state, cast = step.state, step.events[0]
        assert isinstance(cast, Cast)
        telling = state.telling
        assert telling is not None
        for at, message in enumerate(Message):
            texts[message] += cast.words.variants(message)[: telling.used[at] - counted[at]]
        counted = telling.used
    return texts


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=8), st.booleans())
def test_no_sentence_comes_twice_in_a_duel(seed: bytes, at_once: bool) -> None:
    play = duel(seed)
    while play.outcome is None:
        play.act(Run() if at_once else Continue(), "anyone")
    if not at_once:
        for message, texts in used(play).items():
            size = len(NARRATED_WORDS.variants(message))
            assert all(len(set(texts[start : start + size])) == len(texts[start : start + size]) for start in (0, size))
    lines = [
        line for row in play.entries for line in DUEL.lines(tuple(map(DUEL.events.read, row.events))) if line.strip()
    ]
    assert len(lines) > 5
    if play.outcome.rounds <= len(NARRATED_WORDS.attack) // 2:
        assert [line for line, count in Counter(lines).items() if count > 1] == []
    play.end("referee")
    assert verify(DUEL, play.journal()).match


def test_what_is_used_up_comes_again_in_the_same_order() -> None:
    play = duel(b"long", 60, 60)
    play.act(Run(), "anyone")
    assert play.state.telling.used[1] > 2 * len(NARRATED_WORDS.attack)
    cast = DUEL.events.read(play.entries[0].events[0])
    assert isinstance(cast, Cast)
    assert sorted(cast.words.attack) == sorted(NARRATED_WORDS.attack)
    lines = DUEL.lines(tuple(map(DUEL.events.read, play.entries[0].events)))
    said = [line for line in lines if "is done talking" in line]
    assert len(said) > 1


def test_the_seed_decides_the_order_and_rounds_go_on_with_it() -> None:
    telling = TextRotation(voice=7)
    words = Words(attack=tuple(f"{number}" for number in range(5)))
    first, after = telling.deal(words, {Message.ATTACK: 3})
    second, later = after.deal(words, {Message.ATTACK: 2})
    again, _ = later.deal(words, {Message.ATTACK: 7})
    assert sorted(first.attack + second.attack) == sorted(words.attack)
    assert again.attack == first.attack + second.attack
    assert telling.deal(words, {Message.ATTACK: 3})[0] == first
    others = {TextRotation(voice=voice).deal(words, {Message.ATTACK: 3})[0].attack for voice in range(20)}
    assert len(others) > 10


def test_a_message_of_ones_own_needs_no_dice() -> None:
    own = setup([critter("Aud", 3)], [critter("Toki", 3)], edition=RULES_VERSION)
    older = own.model_copy(update={"edition": 1})
    for number in range(20):
        new, old = (DUEL.apply(DUEL.begin(terms), Run(), "referee", SeededDice(b"x", number)) for terms in (own, older))
        assert (new.events, new.state.hp) == (old.events, old.state.hp)


@pytest.mark.parametrize("seed", [b"one", b"two"])
def test_no_room_looks_like_another(seed: bytes) -> None:
    hero = critter("Aud", 1000, armour_class=-10, to_hit=2, attacks=10)
    terms = dungeon.Setup(rooms=20, heroes=(hero,), words=NARRATED_WORDS, edition=RULES_VERSION)
    play = Session(DUNGEON, terms, seed)
    rooms: list[str] = []
    while play.outcome is None:
        play.act(dungeon.Enter() if play.state.phase is not dungeon.Phase.FIGHT else dungeon.Run(), "hero-1")
        events = map(DUNGEON.events.read, play.entries[-1].events)
        rooms += [event.text for event in events if isinstance(event, dungeon.Entered)]
    assert len(rooms) == 20
    assert len({text.split(". ")[0] for text in rooms}) == len({text.split(". ", 1)[1] for text in rooms}) == 20
    assert all(here != there for here, there in pairwise(rooms))
    play.end("referee")
    assert verify(DUNGEON, play.journal()).match
