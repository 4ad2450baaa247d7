"""A closed battle in a link: what was done is enough, the rest follows from it."""

import base64
import json
import zlib
from typing import Any

import pytest

from sim.core.battle import REFEREE
from sim.core.journal import Kind
from sim.core.journal_link import LinkError, fragment, restore, unpack
from sim.core.narration import row_line
from sim.core.replay import verify
from sim.core.session import Session
from tests.conformance.example import example_of, registered
from tests.conformance.plays import plays
from tests.conformance.test_mutations import closed

SEED = bytes(range(32))


def text_in(packed: str) -> str:
    """Return a fragment's text as a browser finds it."""
    padded = packed + "=" * (-len(packed) % 4)
    return zlib.decompress(base64.urlsafe_b64decode(padded), -15).decode("ascii")


@pytest.mark.parametrize("name", registered())
def test_a_link_holds_the_whole_journal(name: str) -> None:
    for play in plays(name)[:4]:
        for undone in (False, True):
            journal = closed(name, play, undone=undone)
            linked = unpack(text_in(fragment(journal)))
            assert restore(example_of(name).system, linked) == journal
            assert verify(example_of(name).system, journal, linked.last).match


def test_a_link_holds_what_was_done_to_the_clock_and_the_seats() -> None:
    example = example_of("aa-battle")
    session = Session(example.system, example.story, SEED)
    session.note(Kind.CLOCK, {"do": "pause", "at": 1_800_000_000}, REFEREE)
    session.note(Kind.SEATS, {"do": "replace", "at": 1_800_000_001, "seat": "attacker", "bot": False}, REFEREE)
    session.end(REFEREE)
    journal = session.journal()
    linked = unpack(text_in(fragment(journal)))
    assert restore(example.system, linked) == journal
    assert [row_line(entry) for entry in journal.entries] == [
        "The clock is stopped.",
        "Another player took over the attacker.",
        "The battle is closed.",
    ]


def test_a_battle_of_a_few_rounds_fits_behind_a_button() -> None:
    journal = closed("aa-battle", plays("aa-battle")[0], undone=False)
    assert len(fragment(journal)) < 400


def changed(place: int, value: object) -> str:
    whole: list[Any] = json.loads(text_in(fragment(closed("aa-battle", plays("aa-battle")[0], undone=True))))
    whole[place] = value
    return json.dumps(whole)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (changed(1, 99), "The battle was fought by edition 99 of the rules"),
        (changed(5, [["defender", {"do": "retreat"}]]), "Row 1 is against the rules"),
        (changed(5, [["attacker", {"do": "x"}]]), "Row 1 is against the rules"),
        (changed(5, [["attacker", 7]]), "Row 1 is against the rules: There is no version 7"),
        (changed(5, [["referee"], ["referee"]]), "Row 2 is against the rules: The battle is closed."),
        (changed(5, [["referee", {"do": "pause"}, "step"]]), "Row 1 is against the rules: step is no row"),
        (changed(5, [["x" * 41]]), "Row 1 is against the rules"),
        (changed(3, "no hexadecimal"), "This link holds no battle"),
        (changed(1, -1), "This link holds no battle"),
    ],
)
def test_what_does_not_follow_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(LinkError, match=said):
        restore(example_of("aa-battle").system, unpack(text))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[1,2,3,4,5,6]", "null", "7", "[" * 100_000, changed(5, 3), changed(5, [[]]), '"abcdef"']
)
def test_what_holds_no_battle_is_refused(text: str) -> None:
    with pytest.raises(LinkError, match="This link holds no battle"):
        unpack(text)


def test_a_secret_seed_stays_out_of_links() -> None:
    journal = closed("aa-battle", plays("aa-battle")[0], undone=False)
    with pytest.raises(ValueError, match="secret"):
        fragment(type(journal)(journal.head, journal.entries, None, None))
