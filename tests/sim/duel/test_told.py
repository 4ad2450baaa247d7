"""How a story is told beyond its words: indoors, of grave blows, of side names; and flight from a room."""

import pytest

from sim.core.values import Ending
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.battle.log import log
from sim.duel.battle.values import Cast, Closed, Continue, RoundBegan, Struck
from sim.duel.cards import CharacterCardRequest
from sim.duel.critter import OPPONENTS, opponent
from sim.duel.words import GRAVE, INDOORS, NARRATED_WORDS, NONE, SHAPES, Message, compile_template
from tests.sim.core.cards.looking import opened
from tests.sim.duel.builders import DUEL, DUNGEON, act, critter, setup

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
        compile_template(text, SHAPES[message])
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


def fled(faces: list[int]) -> dungeon.State:
    """Let Aud (5 HP) flee from one monster in the first room."""
    start = DUNGEON.begin(dungeon.Setup(heroes=(critter("Aud", 5),), rooms=3))
    play = act(start, dungeon.Enter(), [1, 1, 1, 1, 1])
    monsters = play.state.foes
    assert monsters is not None
    assert len(monsters.hp) == 1
    assert "flee" in {legal.name for legal in DUNGEON.legal(play.state)}
    step = act(play.state, dungeon.Flee(), faces)
    assert "The heroes turn and run" in "\n".join(DUNGEON.lines(step.events))
    assert DUNGEON.outcome(step.state) is not None
    state = step.state
    assert isinstance(state, dungeon.State)
    return state


def test_who_flees_is_struck_at_once_more_and_the_room_is_not_won() -> None:
    state = fled([1, 1])
    assert (state.ending, state.rooms_won, state.heroes[0].hp) == (Ending.RETREAT, 0, 5)


def test_sides_are_left_out_of_setups_without_them() -> None:
    plain = setup([critter("Aud")], [critter("Toki")])
    assert "sides" not in plain.model_dump()
    named = plain.model_copy(update={"sides": ("Watch", "Night"), "narrated": True})
    assert named.side_name("group-1", 5) == "Watch"
    opening = act(DUEL.begin(named), Continue(), [1, 1, 1, 1, 1]).events[1]
    assert "For Watch: Aud. For Night: Toki." in opening.text


def test_the_bots_duellists_live_up_to_their_words() -> None:
    strong, quick, tough = map(opponent, OPPONENTS)
    assert (strong.str_mod, quick.dex_mod, tough.hp) == (2, 2, 8)


@pytest.mark.parametrize("word", OPPONENTS)
def test_portraits_are_drawn_from_the_sheet(word: str) -> None:
    drawn = CharacterCardRequest(critter=opponent(word)).run()
    opened(drawn.data)
    assert len(drawn.data) < 30_000
    assert drawn.alt.startswith(OPPONENTS[word][0])
