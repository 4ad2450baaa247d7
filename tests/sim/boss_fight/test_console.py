"""Decks and bosses as files, as the texts of forms and in the terminal; and those that everybody has."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.boss_fight import form_text as f
from sim.boss_fight import tables as t
from sim.boss_fight.console import read_exchange
from sim.boss_fight.form_text import format_deck, parse_deck
from sim.boss_fight.requests import DeckRequest
from sim.boss_fight.tables import KNOWN_BOSSES, TABLE
from sim.boss_fight.values import Boss, Deck, Element
from sim.core import FaultsError, RuleError
from sim.csv import TableError
from tests.sim.boss_fight.builders import boss, bosses, decks
from tests.sim.conftest import Terminal
from tests.tables import kept_table

HERO: dict[str, Any] = {"kind": "hero", "element": "fire", "traits": ["V", "Assassin", "Elixir", "Epic", "Fair"]}
FLAGS = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exchange.json"


def file_given(path: Path, data: object) -> list[str]:
    """Write a file and return the arguments that read it."""
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return ["boss-exchange", str(path)]


WORKED = json.loads(Path(__file__).with_name("worked_exchanges.json").read_text(), parse_float=Decimal)
"""Exchanges whose figures are known from outside: checked once against the original game's own code."""


@pytest.mark.parametrize("worked", WORKED)
def test_the_figures_of_worked_exchanges(worked: dict[str, Any], path: Path, terminal: Terminal) -> None:
    report = terminal(*file_given(path, worked["exchange"]), "--json").out
    assert [*json.loads(report, parse_float=Decimal).items()] == [*worked["figures"].items()]


def test_what_a_named_trait_leaves_out_is_looked_up(path: Path, terminal: Terminal) -> None:
    traits = [{"name": "Assassin", "hp": 7.0}, {"trait": "Fang", "hp": 1, "phy_res": 1}, {"hp": 2}]
    data = {"boss": {"hp": 100, "physical_damage": 16}, "tokens": [{"traits": traits}]}
    report = terminal.json(*file_given(path, data))
    assert (report["player_hp"], report["damage_to_boss"], report["stacked_physical"]) == (10, 1500, 0.25)


def test_figures_beyond_any_float_are_written_digit_by_digit(path: Path, terminal: Terminal) -> None:
    tough = [{"traits": [{"hp": 1, "physical_resistance": True}] * 320}] * 20
    given = file_given(path, {"boss": {"hp": 5, "physical_damage": 1}, "tokens": tough})
    report = json.loads(terminal(*given, "--json").out, parse_float=Decimal)
    assert report["damage_to_player"] * 2**6400 == 1


def test_a_deck_may_be_text(path: Path, terminal: Terminal) -> None:
    """The figures of the game's README for this token and boss: 500 physical, and half of 2,000 in return."""
    deck = ["boss-exchange", "hero: V, Epic @Fire", "--boss", "inu dogemon"]
    figures = terminal.json(*deck)
    assert (figures["physical_damage_to_boss"], figures["boss_hp_left"]) == (500, 500)
    assert (figures["damage_to_player"], figures["player_hp_left"]) == (1000, 0)
    told = terminal(*deck).out
    token = {"name": "hero", "element": "Fire", "traits": ["V", "Epic"]}
    for foe, options in (("Inu Dogemon", []), ("Mossback", ["--boss", "Inu Dogemon"])):
        assert terminal(*file_given(path, {"boss": foe, "tokens": [token]}), *options).out == told


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["V", "Fairy", "Water", "", "x;"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["boss", "tokens", "traits", "element", "name", "kind", "hp", "health", "level", FLAGS[0]]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(st.one_of(anything, st.fixed_dictionaries({"boss": anything, "tokens": st.lists(anything, max_size=3)})))
def test_any_json_is_an_exchange_or_refused_in_a_sentence(data: object) -> None:
    try:
        request = read_exchange(json.loads(json.dumps(data)))
    except RuleError as error:
        assert str(error).endswith((".", "?"))
        return
    assert request.deck.tokens


@pytest.mark.parametrize(("table", "deck"), kept_table(__file__, "tables"))
def test_a_table_is_the_deck_of_its_text(table: str, deck: str) -> None:
    """What is blank is looked up; rows of one token need not follow each other."""
    assert format_deck(t.read_deck(table.encode())) == deck


@given(decks())
def test_decks_come_back_from_their_table_and_from_their_text(many: Deck) -> None:
    assert t.read_deck(t.write_deck(many)) == f.parse_deck(f.format_deck(many)) == many


@given(st.binary(max_size=200))
def test_any_bytes_are_a_deck_or_faults(data: bytes) -> None:
    try:
        found = DeckRequest(deck=data).run()
    except FaultsError as error:
        assert error.sentences
        return
    assert t.read_deck(t.write_deck(found)) == found


words = st.one_of(st.none(), st.text("ab ,;'\"=é!", min_size=1, max_size=20).map(str.strip).filter(bool))


@given(st.lists(st.tuples(bosses, words), min_size=1, max_size=4))
def test_bosses_survive_csv(drawn: list[tuple[Boss, str | None]]) -> None:
    several = tuple(
        foe.model_copy(update={"name": f"={number} troll", "half": half}) for number, (foe, half) in enumerate(drawn)
    )
    assert t.read_bosses(t.write_bosses(several)) == several


def test_a_deck_of_500_long_tokens_is_read() -> None:
    """A row is a trait: of 500 tokens there are thousands."""
    rows = "".join(f"hero {token},V\n" * 6 for token in range(500))
    assert t.read_deck(f"token,trait\n{rows}".encode()).size == 3000
    with pytest.raises(TableError, match=r"5,001 rows; at most 5,000 are read"):
        t.read_deck(("token,trait\n" + "hero,V\n" * 5001).encode())
    with pytest.raises(TableError, match="at most 500 tokens; here are 501"):
        t.read_deck(("token,trait\n" + "".join(f"hero {at},V\n" for at in range(501))).encode())


TEXT = "hero: V, Epic @Fire; mine: Fang (500/1000/0 PP)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_whatever_its_encoding(encoding: str) -> None:
    table = t.write_deck(parse_deck(TEXT)).decode("utf-8-sig").encode(encoding)
    assert format_deck(DeckRequest(deck=table).run()) == TEXT


@pytest.mark.parametrize("data", [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), f"\n{TEXT}\n".encode()])
def test_a_file_may_hold_the_text(data: bytes) -> None:
    assert DeckRequest(deck=data).run() == DeckRequest(deck=TEXT).run() == parse_deck(TEXT)


def test_a_deck_can_be_shown() -> None:
    """A token may have hundreds of traits, but a deck of thousands of pages would keep everybody waiting."""
    token = ", ".join(["V"] * 250)
    assert DeckRequest(deck=f"hero: {token};" * 20).run().size == 5000
    with pytest.raises(RuleError, match=r"^A deck has at most 5,000 traits; here are 5,001\.$"):
        DeckRequest(deck=f"hero: {token};" * 20 + "hero: V").run()


def test_starter_decks_fit_into_a_list() -> None:
    assert len({starter.key for starter in t.STARTER_DECKS}) == len(t.STARTER_DECKS) <= 25
    assert all(max(len(starter.name), len(starter.line)) <= 100 for starter in t.STARTER_DECKS)


def test_every_boss_is_found_by_name_and_speaks() -> None:
    assert all(t.known_boss(foe.name.upper()) is foe for foe in t.KNOWN_BOSSES)
    assert t.known_boss("Moss") is None
    assert all(foe.entry and foe.half and foe.fall for foe in t.LADDER if foe.name != "Axieom Asmodeus")


def test_the_ladder_goes_up() -> None:
    assert [foe.level for foe in t.LADDER] == list(range(1, len(t.LADDER) + 1))
    assert [t.next_rung(foe) for foe in t.LADDER] == [*t.LADDER[1:], None]
    before = t.LADDER[0].model_copy(update={"health": 10_000, "physical_damage": 1600, "magical_damage": 0})
    assert t.next_rung(before) == t.LADDER[1], "one whose figures changed is still the rung"
    assert t.next_rung(boss(9000, name="Mossback")) is None, "of somebody's own, by the same name"
    assert t.next_rung(t.KNOWN_BOSSES[-1]) is None, "Inu Dogemon isn't on it"


@pytest.mark.parametrize("row", TABLE)
def test_every_trait_of_the_table_is_read_by_kind_and_name(row: object) -> None:
    kind, part = row.kind, row.trait  # type: ignore[attr-defined]
    text = f"{kind}: {part.name}"
    assert f.parse_deck(text).tokens[0].traits == (part,)
    assert f.format_deck(f.parse_deck(text)) == text


pieces = st.sampled_from(
    ["hero", "attack", "V", "Fairy", "Fang", "Fire", *",;:@()/\n \u202e", "(5/6/7 PP)", "1e9", "½", "None", "x" * 45]
)


@pytest.mark.parametrize(("typed", "completed"), kept_table(__file__, "completed"))
def test_the_last_word_is_completed(typed: str, completed: list[str]) -> None:
    assert f.completions(typed) == completed


def test_an_empty_text_is_offered_the_kinds_first() -> None:
    assert f.completions("")[:6] == ["attack:", "defense:", "spell:", "buff:", "boss drop:", "hero:"]


@given(st.lists(pieces, max_size=8).map(" ".join))
def test_completions_go_on_with_what_was_typed(text: str) -> None:
    offered = f.completions(text)
    assert len(offered) <= f.MAX_COMPLETIONS
    head = max(text.rfind(mark) for mark in ",;:@\n") + 1
    assert all(completion.startswith(text[:head]) for completion in offered)


OGRE = {"name": "Ogre", "figures": "2/300/40/5"}


def wrong(**values: str) -> tuple[str, ...]:
    with pytest.raises(TableError) as caught:
        f.read_boss_form(OGRE | values)
    assert str(caught.value) == " ".join(caught.value.sentences)
    return caught.value.sentences


@pytest.mark.parametrize("boss", [*KNOWN_BOSSES, KNOWN_BOSSES[1].model_copy(update={"entry": "Who: me?", "fall": "…"})])
def test_a_form_reads_back_as_the_same_boss(boss: Boss) -> None:
    assert f.read_boss_form(f.boss_form(boss)) == boss


def test_figures_are_lines_with_labels_or_parted_by_slashes() -> None:
    lines = "Magical damage: 5\n\nlevel:2\nHEALTH : 300\nPhysical  damage: 40"
    assert f.read_boss_form(OGRE | {"figures": lines}) == f.read_boss_form(OGRE)
    assert (
        f.boss_form(f.read_boss_form(OGRE))["figures"]
        == "Level: 2\nHealth: 300\nPhysical damage: 40\nMagical damage: 5"
    )
    for broken in ("Level: 1", lines + "\nLevel: 2", lines.replace("level", "rank")):
        assert wrong(figures=broken)[0].startswith("Write level, health")


def test_element_and_flags_in_any_order_and_case() -> None:
    ogre = boss(300, 40, 5, "PR MP", Element.EARTH, "Ogre", level=2)
    assert f.read_boss_form(OGRE | {"nature": "pr, EARTH mP"}) == ogre
    assert f.read_boss_form(OGRE | {"nature": "none"}).element is None


def test_everything_wrong_is_told_at_once() -> None:
    assert wrong(name=" ", figures="1/2/3", nature="Ice", words="hi") == (
        "Write level, health, physical and magical damage, a line each, or as in: 4 / 6500 / 3500 / 4500",
        "Begin the line 'hi' with entry:, half: or fall:",
        "Element: 'Ice' is not one of Water, Fire, Air, Lightning, Earth.",
        "Name: The name is missing.",
    )


@pytest.mark.parametrize(("values", "sentence"), kept_table(__file__, "wrong"))
def test_what_is_wrong(values: dict[str, str], sentence: str) -> None:
    assert wrong(**values) == (sentence,)


@given(st.dictionaries(st.sampled_from(["name", "figures", "nature", "words"]), st.text(max_size=60)))
def test_any_form_is_a_boss_or_told_what_is_wrong(values: dict[str, str]) -> None:
    try:
        boss = f.read_boss_form(values)
    except TableError as error:
        assert error.sentences
    else:
        assert f.read_boss_form(f.boss_form(boss)) == boss
