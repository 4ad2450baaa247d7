"""A journal: its rows and their seals; and a closed battle in a link: what was done is enough, the rest follows."""

import base64
import hashlib
import json
import zlib
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from sim.core import RuleError
from sim.core import journal as j
from sim.core.battle import Codec
from sim.core.journal_file import LinkError, dump, fragment, load, restore, unpack
from sim.core.replay import Session, verify
from sim.core.values import canonical, digest
from tests.conformance.example import example_of, plays, registered
from tests.conformance.test_mutations import closed
from tests.sim.core.coins import Coins, Table, Toss
from tests.tables import kept_table

SEED = b"a seed of a battle"
HEAD = j.Head("coins", 1, '{"coins":1}', j.seed_hash(SEED))

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_the_canonical_text_is_one_line_of_ascii_that_reads_back(value: JsonValue) -> None:
    text = canonical(value)
    assert text.isascii()
    assert "\n" not in text
    assert canonical(json.loads(text)) == text
    assert repr(json.loads(text)) == repr(json.loads(json.dumps(value, sort_keys=True)))


def test_the_canonical_text_orders_names_and_tells_numbers_apart() -> None:
    assert canonical({"b": [1.0, 1], "a": "é\n"}) == '{"a":"\\u00e9\\n","b":[1.0,1]}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_a_row_is_sealed_by_all_that_it_says_but_not_by_who_did_it() -> None:
    """The recipe, done by hand: whoever checks a battle elsewhere needs no more than this."""
    row = j.seal(HEAD, None, seat="player", state={"heads": 0}, action={"do": "toss"}, events=[1], actor="ann")
    sealed = {
        "n": 1,
        "kind": "step",
        "seat": "player",
        "action": {"do": "toss"},
        "events": [1],
        "version": 1,
        "back_to": None,
        "state_hash": hashlib.sha256(b'{"heads":0}').hexdigest(),
        "previous": digest(json.loads(HEAD.text)),
    }
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    assert row.hash == hashlib.sha256(text.encode()).hexdigest()
    assert replace(row, actor=None).seal() == row.hash
    follower = j.seal(HEAD, row, seat="player", state={}, kind=j.Kind.UNDO, back_to=0)
    assert (follower.n, follower.version, follower.previous) == (2, 2, row.hash)
    assert j.seal(HEAD, [row], seat="player", state={}, kind=j.Kind.UNDO, back_to=0) == follower


@given(values, st.lists(values, max_size=3), values)
def test_a_row_of_texts_has_the_values_and_the_seal(
    action: JsonValue, events: list[JsonValue], setup: JsonValue
) -> None:
    head = replace(HEAD, setup_json=canonical(setup))
    assert j.HEADS.validate_python(json.loads(head.text)) == head
    row = j.seal(head, None, seat="é", state=setup, action=action, events=events, actor="ann")
    assert (row.action_json, row.events_json) == (canonical(action), canonical(events))
    assert j.ROWS.validate_python(row.values) == row
    assert row.seal() == row.hash
    assert replace(row, action_json=json.dumps(action), events_json=json.dumps(events, indent=1)).is_sealed()


@pytest.mark.parametrize("wrong", kept_table(__file__, "no_rows"))
def test_a_row_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    row = j.seal(HEAD, None, seat="player", state={}).values
    j.ROWS.validate_python(row)
    with pytest.raises(ValidationError):
        j.ROWS.validate_python(row | wrong)


def test_nothing_follows_the_end_and_the_seed_is_secret_until_then() -> None:
    play = Session(Coins(), Table(), SEED)
    assert play.journal().seed is None
    play.end("player")
    assert play.journal().seed == SEED
    for late in (lambda: play.act(Toss(), "player"), lambda: play.undo(0, "player"), lambda: play.end("player")):
        with pytest.raises(RuleError, match="closed"):
            late()
    assert len(play.entries) == 1


def test_a_value_that_cannot_be_read_is_told_by_place() -> None:
    codec: Codec[Table] = Codec(Table)
    assert codec.read(codec.write(Table(coins=3))) == Table(coins=3)
    with pytest.raises(RuleError, match=r"^coins: Input should be"):
        codec.read({"coins": 11})
    with pytest.raises(RuleError, match=r"^The value: "):
        codec.read([])


def tossed(tosses: int) -> Session:
    session = Session(Coins(), Table(), b"steps")
    for _ in range(tosses):
        session.act(Toss(), "player")
    return session


def active(session: Session) -> list[int]:
    return [entry.version for entry in j.active_steps(session.entries)]


def test_every_step_is_active_until_it_is_taken_back() -> None:
    session = tossed(3)
    assert active(session) == [1, 2, 3]
    session.undo(j.version_before(session.entries), "player")
    assert active(session) == [1, 2]
    session.undo(j.version_before(session.entries), "player")
    assert active(session) == [1]
    session.act(Toss(), "player")
    assert active(session) == [1, 6]
    session.undo(j.version_before(session.entries), "player")
    assert active(session) == [1]
    assert j.version_before(session.entries) == 0
    session.undo(0, "player")
    with pytest.raises(RuleError, match="no step to take back"):
        j.version_before(session.entries)


def test_an_undo_of_an_undo_is_found_by_version_and_the_end_takes_nothing_back() -> None:
    session = tossed(2)
    session.undo(0, "player")
    session.undo(2, "player")  # no player can, but a journal may
    session.end("player")
    assert active(session) == [1, 2]


def text_in(packed: str) -> str:
    """Return a fragment's text as a browser finds it."""
    padded = packed + "=" * (-len(packed) % 4)
    return zlib.decompress(base64.urlsafe_b64decode(padded), -15).decode("ascii")


@pytest.mark.parametrize("name", registered())
def test_a_file_and_a_link_hold_the_whole_journal(name: str) -> None:
    for play in plays(name)[:4]:
        for undone, sealed in product((False, True), repeat=2):
            journal = closed(name, play, undone=undone, sealed=sealed)
            assert load(dump(journal)) == journal
            linked = unpack(text_in(fragment(journal)))
            assert restore(example_of(name).system, linked) == journal
            assert verify(example_of(name).system, journal, linked.last).match


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
        *((changed(5, [["attacker", at]]), f"Row 1 is against the rules: There is no version {at}") for at in (-1, 1)),
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
