import pytest
from hypothesis import given
from pydantic import ValidationError

from sim.boss_fight.values import MAX_FIGURE, Boss, Deck, Token, Trait
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import boss, bosses, decks, token, trait


@given(decks())
def test_decks_survive_json(many: Deck) -> None:
    assert Deck.model_validate_json(many.model_dump_json()) == many
    assert Deck.model_validate(many.model_dump(mode="json")) == many


@given(bosses)
def test_bosses_survive_json(foe: Boss) -> None:
    assert Boss.model_validate_json(foe.model_dump_json()) == foe


def test_the_json_of_a_trait_leaves_out_what_is_nothing() -> None:
    assert trait(500, name="V").model_dump() == {"name": "V", "health": 500}


@pytest.mark.parametrize("figure", [-1, MAX_FIGURE + 1, 1.5, "5", True, float("nan"), None])
def test_figures_are_whole_and_sane(figure: object) -> None:
    with pytest.raises(ValidationError):
        Trait.model_validate({"name": "V", "health": figure})


@pytest.mark.parametrize("name", ["", " ", "a\u202eb", "a\nb", "a;b", "hero:", "@Fire", "Fang (1)", "\u3164"])
def test_names_that_hide_or_part_something_are_refused(name: str) -> None:
    with pytest.raises((RuleError, ValidationError)):
        trait(name=name)


def test_names_have_forty_characters() -> None:
    assert trait(name="W" * 40).name == "W" * 40
    with pytest.raises(ValidationError):
        trait(name="W" * 41)


def test_two_tokens_of_one_name_are_refused() -> None:
    hero = token(trait(1), name="Hero")
    with pytest.raises(RuleError, match="Two tokens of the deck are called 'hero'"):
        Deck(tokens=(hero, hero.model_copy(update={"name": "hero"})))


@pytest.mark.parametrize(("tokens", "traits"), [(0, 1), (501, 1), (1, 0), (1, 401)])
def test_decks_have_500_tokens_of_400_traits_at_most(tokens: int, traits: int) -> None:
    with pytest.raises(ValidationError):
        Deck(tokens=tuple(Token(name=f"t{at}", traits=(trait(1),) * traits) for at in range(tokens)))


def test_a_boss_has_health_and_seemly_words() -> None:
    with pytest.raises(ValidationError):
        boss(0)
    with pytest.raises(ValidationError):
        boss(1, entry="x" * 201)
    with pytest.raises(RuleError, match="control character"):
        boss(1, fall="a\x07b")
    assert boss(1, half="  Hm. ").half == "Hm."
