"""Decks and bosses as the texts of forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.boss_fight import form_text as f
from sim.boss_fight.tables import KNOWN_BOSSES, TABLE
from sim.boss_fight.values import Boss, Deck, Element
from sim.core.errors import TextError
from sim.csv.table import TableError
from tests.sim.boss_fight.builders import decks, trait
from tests.tables import kept_table


def complaints(text: str) -> list[tuple[str, str]]:
    """Return (marked stretch, sentence) of everything wrong with a deck's text."""
    with pytest.raises(TextError) as caught:
        f.parse_deck(text)
    return [(text[problem.span.start : problem.span.end], problem.sentence()) for problem in caught.value.problems]


def test_a_deck_as_typed() -> None:
    hero, attack = f.parse_deck("hero: V, assassin,Elixir , Epic, Fair @fire; Attack: X, Sword").tokens
    assert (hero.name, hero.element) == ("hero", Element.FIRE)
    assert [part.name for part in hero.traits] == ["V", "Assassin", "Elixir", "Epic", "Fairy"]
    assert (attack.name, attack.element) == ("Attack", None)
    assert attack.traits[0] == trait(physical=1000, name="X")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (f.EXAMPLE, f.EXAMPLE),
        ("hero: V\nhero: V;hero: V @none;;", "hero: V; hero 2: V; hero 3: V"),
        ("hero: V; hero 2: V; hero: I", "hero: V; hero 2: V; hero 3: I"),
        ("Fairy, Dragon @EARTH", "token: Fairy, Dragon @Earth"),
        ("ann: Fang ( 5 / 010 / 0 mr pp )", "ann: Fang (5/10/0 PP MR)"),
        ("hero: superfime (1/0/0)", "hero: superfime (1/0/0)"),
        ("boss drop: Kinectic, V", "boss drop: Kinetic, V"),
    ],
)
def test_what_players_type(text: str, canonical: str) -> None:
    assert f.format_deck(f.parse_deck(text)) == canonical


@pytest.mark.parametrize(
    ("text", "marked", "message"),
    [
        (f"{'x' * 41}: Fairy", "x" * 41, "The token's name has 41 characters; at most 40 are allowed."),
        (f"hero: {', '.join(['V'] * 401)}", "V", "A token has at most 400 traits; this one has 401."),
        (f"{'hero: V;' * 501}", "hero: V", "A deck has at most 500 tokens; here are 501."),
    ],
)
def test_what_is_too_much_is_marked(text: str, marked: str, message: str) -> None:
    assert complaints(text) == [(marked, message)]


def test_all_problems_at_once_but_no_more_than_can_be_read() -> None:
    assert [marked for marked, _ in complaints("hero: Zzzz, V @Fier; V")] == ["Zzzz", "Fier", "V"]
    with pytest.raises(TextError) as caught:
        f.parse_deck("hero: Zzzz;" * 400)
    assert (len(caught.value.problems), caught.value.more) == (50, 350)


@given(decks())
def test_what_is_written_is_read_back(many: Deck) -> None:
    assert f.parse_deck(f.format_deck(many)) == many


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


def test_the_shortest_form() -> None:
    assert f.read_boss_form(OGRE) == Boss(name="Ogre", level=2, health=300, physical_damage=40, magical_damage=5)


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
    boss = f.read_boss_form(OGRE | {"nature": "pr, EARTH mP"})
    assert boss.element is Element.EARTH
    assert boss.physical_resistance
    assert boss.magical_penetration
    assert not boss.physical_penetration
    assert not boss.magical_resistance
    assert f.read_boss_form(OGRE | {"nature": "none"}).element is None


def test_everything_wrong_is_told_at_once() -> None:
    assert wrong(name=" ", figures="1/2/3", nature="Ice", words="hi") == (
        "Write level, health, physical and magical damage, a line each, or as in: 4 / 6500 / 3500 / 4500",
        "Begin the line 'hi' with entry:, half: or fall:",
        "Element: 'Ice' is not one of Water, Fire, Air, Lightning, Earth.",
        "Name: The name is missing.",
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"figures": "1/0/0/0"}, "Health: A boss needs a health of 1 or more."),
        ({"figures": "1001/1/0/0"}, "Level: '1001' is not from 0 to 1,000."),
        ({"figures": "1/１/0/0"}, "Health: '１' is not a whole number."),
        ({"nature": "Fire Water"}, "A boss has one element; 'Water' is one too many, or no flag (PP, PR, MP, MR)."),
        ({"words": "half: a\nHALF: b"}, "You wrote half: twice."),
        ({"words": "half: a\u200bb"}, "Half: The words 'a\\u200bb' hold an invisible or unknown character (U+200B)."),
        ({"name": "x" * 41}, "Name: The name has 41 characters; at most 40 are allowed."),
    ],
)
def test_what_is_wrong(values: dict[str, str], sentence: str) -> None:
    assert wrong(**values) == (sentence,)


@given(st.dictionaries(st.sampled_from(f.BOSS_FIELDS), st.text(max_size=60)))
def test_any_form_is_a_boss_or_told_what_is_wrong(values: dict[str, str]) -> None:
    try:
        boss = f.read_boss_form(values)
    except TableError as error:
        assert error.sentences
    else:
        assert f.read_boss_form(f.boss_form(boss)) == boss
