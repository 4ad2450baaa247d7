"""Messages and their template language (.docs/rules/duel.md, "Words")."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.dice import ScriptedDice, SeededDice
from sim.core.errors import RuleError, TextError
from sim.duel.critter import NAMES, Alignment, Figure, Gender
from sim.duel.phrases import (
    CLOSINGS,
    NARRATED_WORDS,
    OPENINGS,
    SITE_ADJECTIVES,
    SITE_PLACES,
    SITE_SECRETS,
    STORY_SHAPE,
    random_site,
)
from sim.duel.words import DEFAULT_WORDS, SHAPES, Message, Shape, Words, compile_template, preview
from tests.sim.duel.builders import names

ANN = Figure(name="Ann", gender=Gender.SHE)
GOBLIN = Figure(name="goblin", proper=False)
WHOLE = Shape(number=True, site=True)


def render(text: str, *actors: Figure, number: int | None = None, site: str = "") -> str:
    return compile_template(text, WHOLE).render(actors, number, site)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$Name$0 strikes $name$1!", "Ann strikes the goblin!"),
        ("$Name$1 strikes $name$0!", "The goblin strikes Ann!"),
        ("$HeSheIt$0 sees $himHerIt$1, $heSheIt$1 sees $himHerIt$0.", "She sees it, it sees her."),
        ("$HisHerIts$1 claw, $hisHerIts$0 axe, $HimHerIt$0", "Its claw, her axe, Her"),
        ("$name$0's axe costs $$5, 10 %% off: %d", "Ann's axe costs $5, 10 % off: 7"),
        ("$Site$ and $site$", "The Pit and the Pit"),
        ("$name$0$name$1", "Annthe goblin"),
    ],
)
def test_words_of_the_language(text: str, expected: str) -> None:
    assert render(text, ANN, GOBLIN, number=7, site="the Pit") == expected


@pytest.mark.parametrize(
    ("name", "first"),
    [("d'Artagnan", "D'Artagnan"), ("éowyn", "Éowyn"), ("'t Hooft", "'t Hooft"), ("Old One", "Old One")],
)
def test_a_capital_begins_a_sentence(name: str, first: str) -> None:
    figure = Figure(name=name)
    assert render("$Name$0 and $name$0", figure) == f"{first} and {name}"
    assert render("$Name$0 and $name$0", Figure(name=name, proper=False)) == f"The {name} and the {name}"


def test_pronouns_of_every_gender() -> None:
    texts = [render("$heSheIt$0 $himHerIt$0 $hisHerIts$0", Figure(name="X", gender=gender)) for gender in Gender]
    assert texts == ["he him his", "she her her", "it it its"]


@pytest.mark.parametrize(
    ("message", "text", "marked", "sentence"),
    [
        (Message.HIT, "ah $nane$1!", "$nane$", "Did you mean $name$1?"),
        (Message.HIT, "$heshEit$0", "$heshEit$", "Did you mean $heSheIt$0?"),
        (Message.HIT, "$wxyz$0", "$wxyz$", "isn't a word of messages."),
        (Message.HIT, "$site$", "$site$", "isn't a word of messages"),
        (Message.ATTACK, "$name$ runs", "$name$", "Did you mean $name$0?"),
        (Message.ATTACK, "$Name runs", "$Name", "Did you mean $Name$0?"),
        (Message.ATTACK, "$name$2 runs", "2", "There is no such actor"),
        (Message.ATTACK, "$name$01 runs", "01", "There is no such actor"),
        (Message.INITIATIVE, "$name$1 is quick", "1", "use 0, who acts."),
        (Message.ATTACK, "costs $5", "$", "Write $$"),
        (Message.HIT, "100% sure", "%", "Write %%"),
        (Message.DEATH, "dies %d times", "%d", "This message has no number"),
        (Message.MISS, "one\ntwo", "\n", "one line"),
        (Message.MISS, "one\u202etwo", "\u202e", "visible characters"),
        (Message.MISS, "one\u3164two", "\u3164", "visible characters"),
    ],
)
def test_a_bad_message_is_marked(message: Message, text: str, marked: str, sentence: str) -> None:
    with pytest.raises(TextError) as caught:
        Words.model_validate({message.value: text})
    [problem] = caught.value.problems
    assert text[problem.span.start : problem.span.end] == marked
    assert sentence in problem.sentence()


def test_all_mistakes_are_marked_at_once() -> None:
    with pytest.raises(TextError) as caught:
        DEFAULT_WORDS.replace({Message.ATTACK: ["$nome$0 %d $"]})
    assert [problem.span.start for problem in caught.value.problems] == [0, 8, 11]


@pytest.mark.parametrize("text", ["", "  ", "x" * 301])
def test_a_message_has_a_size(text: str) -> None:
    with pytest.raises(RuleError, match="A message"):
        preview(Message.MISS, text)


def test_a_name_is_never_read_as_a_template() -> None:
    odd = Figure(name="$name$1 100% %d")
    assert render("$Name$0 hits $name$1: %d", odd, ANN, number=3) == "$name$1 100% %d hits Ann: 3"


def test_one_message_is_replaced() -> None:
    mine = NARRATED_WORDS.replace({Message.MISS: ["Whoosh!"]})
    assert mine.miss == ("Whoosh!",)
    assert mine.hit == NARRATED_WORDS.hit
    assert preview(Message.HIT, "$Name$0: %d for $name$1, $hisHerIts$1 ear") == "Brenna: 4 for the goblin, its ear"


def test_words_can_be_kept() -> None:
    assert Words.model_validate_json(NARRATED_WORDS.model_dump_json()) == NARRATED_WORDS
    assert (DEFAULT_WORDS.has_variants, NARRATED_WORDS.has_variants) == (False, True)


def test_the_tables_are_large_enough() -> None:
    """At least 60 names of each gender, 40 sites from parts, several variants of everything."""
    for gender in Gender:
        assert len(set(NAMES[gender])) >= 60
    for part in (SITE_ADJECTIVES, SITE_PLACES, SITE_SECRETS):
        assert len(set(part)) == len(part)
    assert len(SITE_ADJECTIVES) * len(SITE_PLACES) * len(SITE_SECRETS) >= 40
    for message in Message:
        assert len(set(NARRATED_WORDS.variants(message))) >= 3
    for texts in (OPENINGS, CLOSINGS):
        assert all(len(set(texts[alignment])) >= 3 for alignment in Alignment)


def test_a_site_is_made_of_three_parts() -> None:
    assert random_site(ScriptedDice([10, 1, 3])) == "the Frozen Abbey of Black Ice"
    assert len({random_site(SeededDice(b"sites", number)) for number in range(200)}) > 150


TEXTS = [(text, SHAPES[message]) for message in Message for text in NARRATED_WORDS.variants(message)]
TEXTS += [(text, SHAPES[message]) for message in Message for text in DEFAULT_WORDS.variants(message)]
TEXTS += [(text, STORY_SHAPE) for texts in (OPENINGS, CLOSINGS) for alignment in Alignment for text in texts[alignment]]
figures = st.builds(Figure, name=names, gender=st.sampled_from(Gender), proper=st.booleans())


@settings(deadline=None)
@given(figures, figures)
def test_every_text_can_be_said_of_anybody(figure: Figure, other: Figure) -> None:
    for text, shape in TEXTS:
        sentence = compile_template(text, shape).render((figure, other), 3, "the Pit")
        assert not set(sentence) & {"$", "%"}
        # A sentence never begins with a small letter, but for a name that begins with a sign.
        assert sentence[0].isupper() or not sentence[0].isalpha() or sentence[0].title() == sentence[0]


@given(st.text(), st.sampled_from(Message))
def test_any_text_is_a_message_or_refused_with_its_place(text: str, message: Message) -> None:
    try:
        Words.model_validate({message.value: (text,)})
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
    except RuleError as error:
        assert str(error).startswith("A message")
    else:
        for actors in product((ANN, GOBLIN), repeat=2):
            compile_template(text, SHAPES[message]).render(actors, 1)
