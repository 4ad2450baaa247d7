"""Names: what is allowed, and which spellings are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.errors import RuleError
from sim.core.names import check_name, name_key, normalize_name


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("Tom", "tom"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("Ｔｏｍ", "Tom"), ("Tom  Smith", "Tom Smith")),
        *(("Tom\u00a0S", "Tom S"), ("❤\ufe0f", "❤"), ("ﬁn", "FIN"), ("Zoe\u0308", "ZOË")),
    ],
)
def test_names_that_look_alike_are_the_same(name: str, other: str) -> None:
    assert name_key(name) == name_key(other) != name_key(f"{other}2")


@given(st.text(max_size=20))
def test_the_key_of_a_key_is_itself(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@pytest.mark.parametrize("name", ["Tom", "Charlie Brown", "Zoë", "❤\ufe0f Tom", "名前", "x" * 40])
def test_names_that_can_be_seen_are_fine(name: str) -> None:
    assert check_name(name, 40) is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x" * 41, "has 41 characters; at most 40 are allowed"),
        ("Tom\n", "holds a control character (U+000A)"),
        ("To\u200dm", "holds an invisible or unknown character (U+200D)"),
        ("To\u3164m", "holds an invisible or unknown character (U+3164)"),
        ("\u2800", "holds an invisible or unknown character (U+2800)"),
        ("\ud800", "holds an invisible or unknown character (U+D800)"),
        ("", "shows nothing"),
        ("  ", "shows nothing"),
        ("\ufe0f", "shows nothing"),
    ],
)
def test_what_is_wrong_with_a_name(name: str, told: str) -> None:
    assert check_name(name, 40) == told


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (" Zoe\u0308 ", "Zoë"),
        ("a\u00a0 b", "a b"),
        ("⚔\ufe0f Team", "⚔ Team"),
        ("x" * 40, "x" * 40),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_a_stored_name_is_composed_and_has_single_blanks(name: str, kept: str) -> None:
    assert normalize_name(name) == kept


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "missing"),
        (" \u00a0 ", "missing"),
        ("x" * 41, "has 41 characters; at most 40"),
        ("a\u200bb", "nobody can see"),
        ("a\u202eb", "nobody can see"),
        ("a\nb", "nobody can see"),
        ("a\x00", "nobody can see"),
        ("\u3164", "nobody can see"),
        ("\u2800\u2800", "nobody can see"),
        ("a\u0301\u0302\u0303\u0304", "piles up accents"),
        ("!!!", "letter or a digit"),
        ("#12", "can't begin with #"),
    ],
)
def test_what_no_stored_name_may_be(name: str, sentence: str) -> None:
    with pytest.raises(RuleError, match=sentence):
        normalize_name(name)
