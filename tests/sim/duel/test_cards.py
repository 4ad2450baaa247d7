"""Cards of duels and dungeons: who stands how, the chances from here, what decided a finished fight."""

from collections.abc import Sequence

import pytest

from sim.core.battle import AnySystem
from sim.core.cards import Shape
from sim.core.cards.card import Card
from sim.core.cards.people import EMBLEMS
from sim.core.cards.values import MAX_SHEET_ROWS
from sim.core.replay import Session
from sim.core.values import Ending, canonical
from sim.duel.battle import Continue, Run, Setup
from sim.duel.battle import dungeon_values as dungeon
from sim.duel.cards import CharacterCardRequest, StoryCardRequest, character_card, characters_card, corridor, duel_card
from sim.duel.critter import RULES_VERSION, Abilities, Critter, Gender
from sim.duel.pictures import _ROOM, FIGURES, MOST_SHOWN, draw_snow, figure
from sim.duel.requests import DuelOddsRequest
from sim.duel.tables import group_name
from tests.sim.core.cards.looking import opened, texts_apart
from tests.sim.duel.builders import DUEL, DUNGEON, Enter, Leave, act, critter, first_round, setup

AUD, TOKI = critter("Aud", 8, str_mod=2), critter("Toki", 8)


def played(system: AnySystem, terms: object, actions: Sequence[object], seed: bytes = b"card") -> Session:
    play = Session(system, terms, seed)
    for action in actions:
        play.act(action, "referee")
    return play


def card_of(play: Session) -> str:
    """Return the words of a battle's card, which is drawn."""
    job = StoryCardRequest(
        system=play.system.name,
        state_json=canonical(play.system.states.write(play.state)),
        events_json=tuple(canonical(list(row.events)) for row in play.entries),
    )
    assert 0 < job.cost() < 1
    drawn = job.run()
    opened(drawn.data)
    return drawn.alt


def chance(first: Critter, second: Critter) -> float:
    return DuelOddsRequest(group1=(first,), group2=(second,)).run().p_win_first


def test_one_against_one_begins_with_exact_chances_with_morale_too() -> None:
    text = card_of(played(DUEL, setup([AUD], [TOKI]), ()))
    assert text.startswith(f"Before the fight. Chances from here. Aud: {100 * chance(AUD, TOKI):.1f}% to win.")
    assert text.endswith("Aud 8 / 8. Toki 8 / 8.")
    wary = TOKI.model_copy(update={"morale": 2})
    assert card_of(played(DUEL, setup([AUD], [wary], morale=True), ())) == text


@pytest.mark.parametrize(
    ("strength", "verdict"), [(-3, "An upset: Aud had "), (0, "Close fight: Aud had "), (3, "The favorite: Aud had ")]
)
def test_the_end_says_how_likely_it_was(strength: int, verdict: str) -> None:
    one, two = critter("Aud", 3, str_mod=strength), critter("Toki", 3)
    for number in range(200):
        play = played(DUEL, setup([one], [two]), [Run()], number.to_bytes(2, "big"))
        if play.state.winner == "group-1":
            break
    text = card_of(play)
    assert text.startswith(f"Aud wins. After {play.state.round} round")
    assert f"{verdict}{100 * chance(one, two):.1f}% at the start." in text


def test_the_end_says_which_round_decided_it() -> None:
    """Round 1: Aud takes 3 of 8; round 2: nothing; round 3: 4 more; round 4: 1, and it is over."""
    state = DUEL.begin(setup([AUD], [TOKI]))
    pages = []
    for faces in ([6, 1, 1, 1, 1, 12, 3, 1, 1], [6, 1, 1, 1, 1, 1, 1, 1], [6, 1, 1, 1, 1, 12, 4, 1, 1]):
        step = act(state, Continue(), faces)
        state = step.state
        pages.append(step.events)
    step = act(state, Continue(), [6, 1, 1, 1, 1, 12, 1, 1])
    pages.append(step.events)
    after = [chance(AUD, TOKI.model_copy(update={"hp": hp})) for hp in (8, 5, 5, 1)]
    card = duel_card(step.state, pages)
    assert (card.title, card.aside) == ("Aud wins", "after 4 rounds")
    turned = max(range(3), key=lambda at: after[at + 1] - after[at])
    before, behind = (f"{100 * after[at]:.1f}%" for at in (turned, turned + 1))
    assert card.notes[1] == f"Turned in round {turned + 1}: Aud hits for {(3, 0, 4)[turned]}, {before} → {behind}"
    assert card.right is not None
    assert [row.figures for row in (*card.left.rows, *card.right.rows)] == ["8 / 8", "fell to Aud"]


def shapes(state: dungeon.State) -> list[tuple[str, bool]]:
    """Return the gate, torch and skull on a dungeon's map, from left to right, and whether it is at the gate."""
    card = Card()
    corridor(state)(card, 0)
    known = {FIGURES["torch"]: "torch", EMBLEMS["skull"].shape: "skull", FIGURES["gate"]: "gate"}
    marks = [mark for mark in card.marks if isinstance(mark, Shape) and mark.shape in known]
    return [(known[mark.shape], mark.x < 2 * _ROOM) for mark in sorted(marks, key=lambda mark: mark.x)]


def test_the_map_has_the_torch_at_the_gate_and_a_skull_where_the_party_was_lost() -> None:
    heroes = (dungeon.Hero(critter=AUD, hp=8),)
    state = dungeon.State(setup=dungeon.Setup(rooms=3), heroes=heroes)
    assert shapes(state) == [("torch", True)]
    inside = state.model_copy(update={"room": 2})
    assert shapes(inside) == [("gate", True), ("torch", False)]
    assert shapes(inside.model_copy(update={"ending": Ending.RETREAT})) == [("torch", True)]
    fallen = (heroes[0].model_copy(update={"hp": 0}),)
    assert shapes(inside.model_copy(update={"heroes": fallen})) == [("gate", True), ("skull", False)]


def test_who_lies_has_lost_the_boots() -> None:
    ovals = [sum(stroke.is_oval for stroke in figure(AUD, lying=lying).strokes) for lying in (False, True)]
    assert ovals[0] - ovals[1] == len(("left", "right"))
    field = Card()
    draw_snow(field, 0, [[(AUD, 0.0)] * MOST_SHOWN] * 2, 3)
    assert not texts_apart(field)


def test_one_round_needs_no_turn() -> None:
    step = first_round([AUD], [critter("Toki", 2)], [6, 1, 1, 1, 1, 12, 2, 1])
    assert duel_card(step.state, [step.events]).notes[1] == "It took one round: Aud hits for 2, and that was that"


def test_groups_have_those_who_did_most() -> None:
    strong = critter("Aud", 90, str_mod=20, attacks=3)
    play = played(DUEL, setup([strong], [critter(name, 1) for name in "ABCD"]), [Run()])
    text = card_of(play)
    assert "Aud wins." in text
    assert "Most kills: Aud, 4." in text
    assert "The favorites: they had >99% at the start. " in text


def test_a_room_has_a_chance_and_the_living_their_experience() -> None:
    heroes = [critter(name, 12, str_mod=4) for name in ("Ann", "Bo")]
    terms = dungeon.Setup(rooms=2, heroes=heroes, edition=RULES_VERSION)
    inside = played(DUNGEON, terms, [Enter()])
    text = card_of(inside)
    assert text.startswith("Room 1 of 2. Heroes: ")
    assert "% to win. Monsters: " in text
    won = played(DUNGEON, terms, [Enter(), Run()])
    assert card_of(won).startswith("Room 1 of 2. Won.")
    assert " XP." in card_of(won)
    over = played(DUNGEON, terms, [Enter(), Run(), Leave()])
    text = card_of(over)
    assert text.startswith("Home after room 1 of 2. Level 1.")
    assert "Last blow: " in text


@pytest.mark.parametrize("count", [1, 40, 100])
def test_any_group_has_a_card(count: int) -> None:
    groups = [[critter(f"{name} {number}", 3) for number in range(count)] for name in ("Red", "Blue")]
    terms = Setup(group1=tuple(groups[0]), group2=tuple(groups[1]), morale=True, edition=RULES_VERSION)
    play = played(DUEL, terms, [Continue()])
    assert card_of(play)
    while play.outcome is None:
        play.act(Run(), "referee")
    assert card_of(play)


def test_the_name_of_a_group_fits() -> None:
    many = [critter(f"goblin {number}") for number in range(1, 6)]
    assert group_name(many[:2], 26) == "goblin 1 and goblin 2"
    assert group_name(many, 26) == "goblin 1 and 4 more"
    rats = [critter(f"{which} giant rat") for which in ("first", "second", "third")]
    assert group_name(rats, 26) == "3 giant rats"
    assert group_name(rats[1:], 60) == "second giant rat and third giant rat"
    assert group_name(many[:3], 60) == "goblin 1, goblin 2 and goblin 3"


SCORES = {"strength": 18, "intelligence": 9, "wisdom": 3, "dexterity": 10, "constitution": 13, "charisma": 6}
BRENNA = Critter(name="Brenna", gender=Gender.SHE, hp=6, armour_class=4, attacks=2, abilities=Abilities(**SCORES))


def test_a_character_shows_what_counts_and_its_abilities() -> None:
    card = character_card(BRENNA)
    assert card.alt() == (
        "Brenna. She/her · Neutral. Hit points: 6. Armor class: 4. To hit AC 0: 19. Damage: 1d4 × 2. Strength: 18 +3. "
        "Intelligence: 9. Wisdom: 3 −3. Dexterity: 10. Constitution: 13 +1. Charisma: 6 −1."
    )


def test_without_scores_the_modifiers_stand_alone() -> None:
    ogre = Critter(name="Ogre", hp=19, str_mod=2)
    assert "Strength: +2. Intelligence: 0. Wisdom: 0." in character_card(ogre).alt()
    assert opened(CharacterCardRequest(critter=ogre).draw().png()).height <= 720


@pytest.mark.parametrize("count", [2, 6, 7, 20])
def test_several_stand_side_by_side(count: int) -> None:
    critters = [BRENNA.model_copy(update={"name": f"{'W' * 38}{at}", "hp": at + 1}) for at in range(count)]
    card = characters_card(critters)
    assert (len(card.rows), card.more) == (min(count, MAX_SHEET_ROWS), max(0, count - MAX_SHEET_ROWS))
    assert card.rows[0].figures.startswith("1 HP · AC 4")
    assert opened(card.draw().png()).height <= 720
