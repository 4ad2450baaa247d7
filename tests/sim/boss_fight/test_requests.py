"""Requests that read decks and bosses as players give them."""

import pytest
from pydantic import ValidationError

from sim.boss_fight.deck_text import format_deck, parse_deck
from sim.boss_fight.presets import KNOWN_BOSSES
from sim.boss_fight.requests import BossesRequest, DeckRequest, DeckSheetRequest
from sim.boss_fight.tables import write_bosses, write_deck
from sim.core.errors import RuleError, TextError
from sim.csv.table import TableError

TEXT = "hero: V, Epic @Fire; mine: Fang (500/1000/0 PP)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_whatever_its_encoding(encoding: str) -> None:
    table = write_deck(parse_deck(TEXT)).decode("utf-8-sig").encode(encoding)
    assert format_deck(DeckRequest(data=table).run()) == TEXT


@pytest.mark.parametrize("data", [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), f"\n{TEXT}\n".encode()])
def test_a_file_may_hold_the_text(data: bytes) -> None:
    assert DeckRequest(data=data).run() == DeckRequest(text=TEXT).run() == parse_deck(TEXT)


def test_mistakes_are_told_as_for_what_it_is() -> None:
    with pytest.raises(TextError):
        DeckRequest(data=b"hero: Assasin").run()
    with pytest.raises(TableError):
        DeckRequest(data=b"token,trait\nhero: x,Assasin\n").run()
    with pytest.raises(TableError):
        DeckRequest(data=b"\xff\xfe\x00").run()


def test_a_deck_can_be_shown() -> None:
    """A token may have hundreds of traits, but a deck of thousands of pages would keep everybody waiting."""
    token = ", ".join(["V"] * 250)
    assert DeckRequest(text=f"hero: {token};" * 20).run().size == 5000
    with pytest.raises(RuleError, match=r"^A deck has at most 5,000 traits; here are 5,001\.$"):
        DeckRequest(text=f"hero: {token};" * 20 + "hero: V").run()


def test_its_sheet() -> None:
    found = DeckSheetRequest(deck=DeckRequest(text=TEXT)).run()
    assert (found.deck, found.health) == (parse_deck(TEXT), found.deck.health)


@pytest.mark.parametrize("given", [{}, {"text": "a", "data": b"a"}])
def test_it_is_one_or_the_other(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DeckRequest.model_validate(given)


def test_a_larger_deck_costs_more() -> None:
    assert DeckRequest(text="a" * 50_000).cost() > DeckRequest(text="a").cost() > 0
    assert 0 < DeckRequest(data=b"").cost() < DeckRequest(data=b"x" * 1000).cost() < 5


def test_an_upload_of_bosses_is_read() -> None:
    assert BossesRequest(data=write_bosses(KNOWN_BOSSES)).run() == KNOWN_BOSSES
    assert 0 < BossesRequest(data=b"").cost() < BossesRequest(data=b"x" * 1000).cost() < 5
    with pytest.raises(TableError):
        BossesRequest(data=b"x").run()
