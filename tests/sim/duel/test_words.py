"""Messages, their template language, and narrated duels (.docs/rules/duel.md, "Words"), in both versions of the rules.

In the second, no text comes again before all texts of its message have been used.
"""

from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core import RuleError, TextError
from sim.core.dice import SeededDice
from sim.core.journal_file import load
from sim.core.replay import Session
from sim.core.values import Ending
from sim.duel import words as w
from sim.duel.battle import Cast, Closed, Continue, Opened, RoundBegan, Run, State, Struck
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.dungeon_values import MAX_ROOMS
from sim.duel.battle.log import log
from sim.duel.cards import CharacterCardRequest
from sim.duel.critter import NAMES, OPPONENTS, RULES_VERSION, Alignment, Figure, Gender, opponent
from sim.duel.words import GRAVE, INDOORS, NARRATED_WORDS, NONE, Message
from tests.sim.core.cards.looking import opened
from tests.sim.duel.builders import DUEL, DUNGEON, Enter, Flee, act, critter, names, setup
from tests.tables import kept_table

ANN = Figure(name="Ann", gender=Gender.SHE)
GOBLIN = Figure(name="goblin", proper=False)


@pytest.mark.parametrize(("text", "expected"), kept_table(__file__, "words"))
def test_words_of_the_language(text: str, expected: str) -> None:
    assert w.render(text, (ANN, GOBLIN), 7, "the Pit") == expected


@pytest.mark.parametrize(
    ("name", "first"),
    [("d'Artagnan", "D'Artagnan"), ("éowyn", "Éowyn"), ("'t Hooft", "'t Hooft"), ("Old One", "Old One")],
)
def test_a_capital_begins_a_sentence(name: str, first: str) -> None:
    figure = Figure(name=name)
    assert w.render("$Name$0 and $name$0", (figure,)) == f"{first} and {name}"
    assert w.render("$Name$0 and $name$0", (Figure(name=name, proper=False),)) == f"The {name} and the {name}"


def test_pronouns_of_every_gender() -> None:
    texts = [w.render("$heSheIt$0 $himHerIt$0 $hisHerIts$0", (Figure(name="X", gender=gender),)) for gender in Gender]
    assert texts == ["he him his", "she her her", "it it its"]


@pytest.mark.parametrize("text", ["", "  ", "x" * 301])
def test_a_message_has_a_size(text: str) -> None:
    with pytest.raises(RuleError, match="A message"):
        w.preview(w.Message.MISS, text)


def test_a_name_is_never_read_as_a_template() -> None:
    odd = Figure(name="$name$1 100% %d")
    assert w.render("$Name$0 hits $name$1: %d", (odd, ANN), 3) == "$name$1 100% %d hits Ann: 3"


def test_one_message_is_replaced() -> None:
    mine = w.NARRATED_WORDS.replace({w.Message.MISS: ["Whoosh!"]})
    assert mine.miss == ("Whoosh!",)
    assert mine.hit == w.NARRATED_WORDS.hit
    assert w.preview(w.Message.HIT, "$Name$0: %d for $name$1, $hisHerIts$1 ear") == "Brenna: 4 for the goblin, its ear"


def test_the_tables_are_large_enough() -> None:
    """The second version of the rules has twice as many texts as the first; 60 names of each gender."""
    assert all(len(set(NAMES[gender])) >= 60 for gender in Gender)
    for part in w.SITES:
        assert len(set(part)) == len(part) >= 20
    before = {w.Message.INITIATIVE: 4, w.Message.ATTACK: 5, w.Message.HIT: 5, w.Message.MISS: 5, w.Message.DEATH: 4}
    for message, count in before.items():
        assert len(set(w.NARRATED_WORDS.variants(message))) >= 2 * count
    for texts in (*w.OPENINGS.values(), *w.CLOSINGS.values()):
        assert len(set(texts)) >= 6
    assert min(len(set(w.ROOMS)), len(set(w.ROOM_DETAILS))) >= MAX_ROOMS


TEXTS = [
    text for words in (w.NARRATED_WORDS, w.DEFAULT_WORDS) for message in w.Message for text in words.variants(message)
]
TEXTS += [text for texts in (w.OPENINGS, w.CLOSINGS) for alignment in Alignment for text in texts[alignment]]
figures = st.builds(Figure, name=names, gender=st.sampled_from(Gender), proper=st.booleans())


@settings(deadline=None)
@given(figures, figures)
def test_every_text_can_be_said_of_anybody(figure: Figure, other: Figure) -> None:
    for text in TEXTS:
        sentence = w.render(text, (figure, other), 3, "the Pit")
        assert not set(sentence) & {"$", "%"}
        # A sentence never begins with a small letter, but for a name that begins with a sign.
        assert sentence[0].isupper() or not sentence[0].isalpha() or sentence[0].title() == sentence[0]


@given(st.text(), st.sampled_from(w.Message))
def test_any_text_is_a_message_or_refused_with_its_place(text: str, message: w.Message) -> None:
    try:
        w.Words.model_validate({message.value: (text,)})
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
    except RuleError as error:
        assert str(error).startswith("A message")
    else:
        for actors in product((ANN, GOBLIN), repeat=2):
            w.render(text, actors, 1)


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
    assert text.startswith(w.OPENINGS[alignment][1].split("$")[0])
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


def test_groups_are_led_by_their_first_and_closed_by_who_is_left() -> None:
    start = setup([GOOD, critter("Ketil", alignment=Alignment.NEUTRAL)], [BAD], narrated=True)
    state = DUEL.begin(start).model_copy(update={"hp": (0, 3, 1), "site": "the Pit", "round": 3})
    step = act(state, Continue(), [6, 1, 1, 1, 1, 20, 1, 1, 2])
    assert DUEL.lines(step.events)[-3] == w.CLOSINGS[Alignment.NEUTRAL][1].replace("$Name$0", "Ketil").replace(
        "$name$1", "Toki"
    ).replace("$site$", "the Pit")


def duel(seed: bytes, first_hp: int = 8, second_hp: int = 8) -> Session:
    one, two = critter("Aud", first_hp, alignment=Alignment.LAWFUL), critter("Toki", second_hp)
    return Session(
        DUEL, setup([one], [two], narrated=True, words=w.NARRATED_WORDS, press="anyone", edition=RULES_VERSION), seed
    )


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=8), st.booleans())
def test_no_sentence_comes_twice_in_a_duel(seed: bytes, at_once: bool) -> None:
    play = duel(seed)
    while play.outcome is None:
        play.act(Run() if at_once else Continue(), "anyone")
    lines = [line for row in play.entries for line in DUEL.lines(DUEL.events.read_all(row.events)) if line.strip()]
    assert len(lines) > 5
    if play.outcome.rounds <= len(w.NARRATED_WORDS.attack) // 2:
        assert [line for line, count in Counter(lines).items() if count > 1] == []


def test_the_seed_decides_the_order_and_rounds_go_on_with_it() -> None:
    telling = w.TextRotation(voice=7)
    words = w.Words(attack=tuple(f"{number}" for number in range(5)))
    first, after = telling.deal(words, {w.Message.ATTACK: 3})
    second, later = after.deal(words, {w.Message.ATTACK: 2})
    again, _ = later.deal(words, {w.Message.ATTACK: 7})
    assert sorted(first.attack + second.attack) == sorted(words.attack)
    assert again.attack == first.attack + second.attack
    assert telling.deal(words, {w.Message.ATTACK: 3})[0] == first
    others = {w.TextRotation(voice=voice).deal(words, {w.Message.ATTACK: 3})[0].attack for voice in range(20)}
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
    terms = dungeon.Setup(rooms=20, heroes=(hero,), words=w.NARRATED_WORDS, edition=RULES_VERSION)
    play = Session(DUNGEON, terms, seed)
    rooms: list[str] = []
    while play.outcome is None:
        play.act(Enter() if play.state.phase is not dungeon.Phase.FIGHT else Run(), "hero-1")
        events = map(DUNGEON.events.read, play.entries[-1].events)
        rooms += [event.text for event in events if isinstance(event, dungeon.Entered)]
    assert len(rooms) == 20
    assert len({text.split(". ")[0] for text in rooms}) == len({text.split(". ", 1)[1] for text in rooms}) == 20
    assert all(here != there for here, there in pairwise(rooms))


HERE = Path(__file__).parent


def test_an_old_tale_reads_as_it_did() -> None:
    journal = load((HERE.parents[1] / "conformance/old/duel-1.jsonl").read_text())
    lines = [line for row in journal.entries for line in DUEL.lines(DUEL.events.read_all(row.events))]
    assert "\n".join([*lines, ""]) == (HERE / "first_edition_duel.txt").read_text()


FIGURES = (critter("Aud").figure, critter("Old Njal").figure)
(BLOCKS,) = GRAVE


def told(words: dict[str, str], event: Struck | RoundBegan | Closed, *, indoors: bool = False) -> str:
    texts = {message: (text,) for message, text in words.items()}
    cast = Cast(figures=FIGURES, words=NARRATED_WORDS.replace(texts))
    return "\n".join(log((cast, event), indoors=indoors))


@pytest.mark.parametrize(("damage", "left", "blocked"), [(2, 3, True), (2, 2, True), (3, 2, False), (1, 0, False)])
def test_most_of_a_grave_blow_is_not_blocked(damage: int, left: int, *, blocked: bool) -> None:
    text = told({"hit": BLOCKS}, Struck(who=0, target=1, roll=19, damage=damage, left=left))
    assert ("blocks most" in text) is blocked
    assert f"{damage} damage" in text


def test_no_raven_caws_nothing() -> None:
    began = RoundBegan(number=1, order=((0, 3), (1, 0)))
    text = told({"initiative": next(iter(NONE))}, began)
    assert "A raven caws 3. That would be Aud." in text
    assert "No raven caws at all. That would be Old Njal." in text


def test_indoors_nothing_speaks_of_the_weather() -> None:
    known = {text: message for message in Message for text in NARRATED_WORDS.variants(message)}
    assert set(INDOORS) <= set(known)
    for message, text in ((message, INDOORS.get(text, text)) for text, message in known.items()):
        w.check_message(text, message)
        assert not any(
            word in text.lower() for word in ("snow", " ice", "raven", "crow", "gust", " sky", " wind", "sun")
        )
    assert "dust" in told(
        {"attack": "$Name$0 kicks snow at $name$1 and strikes through the cloud!"}, BLOW, indoors=True
    )


BLOW = Struck(who=0, target=1, roll=1, damage=0, left=5)


def test_what_is_somebodys_is_told_so_in_stories_of_earlier_versions() -> None:
    story = Closed(quick=False, text="Aud tries on the helmet of Old Njal.")
    assert "Aud tries on Old Njal's helmet." in told({}, story)


def test_everyone_is_well_in_one_line() -> None:
    rests = tuple(dungeon.Rested(who=who, healed=0, hp=5) for who in (0, 1))
    assert log((Cast(figures=FIGURES, words=NARRATED_WORDS), *rests)) == ["Everyone is at full health."]


def test_who_flees_is_struck_at_once_more_and_the_room_is_not_won() -> None:
    start = DUNGEON.begin(dungeon.Setup(heroes=(critter("Aud", 5),), rooms=3))
    inside = act(start, Enter(), [1, 1, 1, 1, 1]).state
    assert "flee" in {legal.name for legal in DUNGEON.legal(inside)}
    step = act(inside, Flee(), [1, 1])
    assert "The heroes turn and run" in "\n".join(DUNGEON.lines(step.events))
    assert (step.state.ending, step.state.rooms_won, step.state.heroes[0].hp) == (Ending.RETREAT, 0, 5)


def test_the_opening_tells_who_is_on_which_side() -> None:
    named = setup([critter("Aud")], [critter("Toki")], sides=("Watch", "Night"), narrated=True)
    assert named.side_name("group-1", 5) == "Watch"
    opening = act(DUEL.begin(named), Continue(), [1, 1, 1, 1, 1]).events[1]
    assert "For Watch: Aud. For Night: Toki." in opening.text


def test_the_bots_duelists_live_up_to_their_words() -> None:
    strong, quick, tough = duelists = [opponent(word) for word in OPPONENTS]
    assert (strong.str_mod, quick.dex_mod, tough.hp) == (2, 2, 8)
    for duelist in duelists:
        opened(CharacterCardRequest(critter=duelist).run().data)
