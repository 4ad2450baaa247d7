"""Boss fights as text: that everything always fits, whatever players bring."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.document import Document
from bot.battles.panel import MAX_STATE
from bot.games.boss_fight import render as r
from bot.games.boss_fight.render.decks import arithmetic_document, deck_document, what_if_document
from bot.games.boss_fight.repositories import Board, Figure, ForgedBoss, Ranking
from bot.ui import LAYOUT_TEXT, Picture, utf16_length
from sim.boss_fight.battle import MEMBERS, BossMoment, Event, Join, Play, Setup, State
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.cards import deck_card, what_if_card
from sim.boss_fight.exchange import exchange
from sim.boss_fight.requests import DeckSheetRequest
from sim.boss_fight.values import MAX_FIGURE, MAX_NAME, MAX_WORDS, Boss, Deck, Element, Token, Trait, readable
from sim.core.battle import ANYONE
from sim.core.cards.draw import FightCard, SheetCard
from sim.core.dice import ScriptedDice
from tests.sim.core.cards.looking import opened
from tests.tables import kept_table

WORST = "*" * MAX_NAME
FIGHT = BossFight()
HIT = {"physical_damage": 9}


def boss(**values: object) -> Boss:
    words = dict.fromkeys(("entry", "half", "fall"), "_" * MAX_WORDS)
    figures = {"health": MAX_FIGURE, "physical_damage": MAX_FIGURE, "magical_damage": MAX_FIGURE, "element": "Water"}
    return Boss.model_validate({"name": WORST, "level": 1000, **figures, **words, **values})


def deck(tokens: int = 25, traits: int = 20) -> Deck:
    rich = Trait(name=WORST, health=MAX_FIGURE, physical_damage=MAX_FIGURE - 1, magical_damage=MAX_FIGURE - 1)
    made = [rich.model_copy(update={"physical_resistance": at % 2 == 0}) for at in range(traits)]
    return Deck(tokens=[Token(name=f"{'_' * 36}{at}", element=Element.FIRE, traits=made) for at in range(tokens)])


def expect_fits(document: Document) -> None:
    for number in range(len(document.pages)):
        page = document.pages[number].text()
        assert utf16_length(document.headline) + utf16_length(page) <= LAYOUT_TEXT - 100, "nothing had to be cut"
        blocks = page.split("```")[1::2]
        assert all(len(line) <= 28 for block in blocks for line in block.splitlines())


def fought(steps: int) -> tuple[State, list[Event]]:
    state, events = FIGHT.begin(Setup(boss=boss(), times=1000)), []
    for at in range(len(MEMBERS)):
        join = Join(name=f"{'*' * 38}{at:02}", deck=deck(2, 3))
        state = FIGHT.apply(state, join, ANYONE, ScriptedDice(())).state
    for _ in range(steps):
        assert state.turn is not None
        step = FIGHT.apply(state, Play(), state.turn.seat, ScriptedDice(()))
        state, events = step.state, [*step.events]
    return state, events


def drawn(job: FightCard | SheetCard) -> Picture:
    card = job.run()
    opened(card.data)
    return Picture("card.png", card.data, card.alt)


def test_every_page_of_the_largest_figures_fits() -> None:
    report, sheet = exchange(boss(), deck()), DeckSheetRequest(deck=deck()).run()
    expect_fits(what_if_document(report, drawn(what_if_card(report))))
    expect_fits(deck_document(sheet, drawn(deck_card(sheet))))
    forged = [ForgedBoss(at, 10**18, 10**18, boss(name=f"{'*' * 38}{at}")) for at in range(52)]
    expect_fits(r.bosses_document([], forged, None))
    state, _ = fought(3)
    member = state.members[0]
    expect_fits(arithmetic_document(999_999, state, member, exchange(state.setup.boss, member.deck), ()))


def test_a_full_party_fits_on_the_panel() -> None:
    state, events = fought(1)
    shown = r.fight_content(state, events, dict.fromkeys(MEMBERS, 10**18), None)
    assert shown.state.count("<@") == len(MEMBERS)
    assert utf16_length(shown.state) <= MAX_STATE


@pytest.mark.parametrize(("foe", "traits", "ending"), kept_table(__file__, "endings"))
def test_how_a_fight_ended_is_in_the_headline(foe: dict[str, int], traits: dict[str, int], ending: str) -> None:
    made = Deck(tokens=[Token(name="t", traits=[Trait(name="Fang", health=9, **traits)])])
    state = FIGHT.begin(Setup(boss=Boss(name="Ogre", **{"health": 9, **foe})))
    assert r.title(state) == "Ogre, waiting for players"
    state = FIGHT.apply(state, Join(name="Ann", deck=made), ANYONE, ScriptedDice(())).state
    assert r.title(state) == "Ogre, round 1"
    assert r.title(FIGHT.apply(state, Play(), MEMBERS[0], ScriptedDice(())).state) == f"Ogre, {ending}"


def test_a_boss_is_heard_at_half_its_health() -> None:
    told = r.event_lines([BossMoment(name="Ogre", moment="half", words="Ouch!")], figures=False)
    assert [*told] == ["👹 **Ogre** is down to half its health: *Ouch!*"]


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("Zoë 🐉", "Zoë 🐉"),
        ("a\u200bb\u202ec  d\u3164", "abc d"),
        ("\u3164\u200b", ""),
        ("x" * 60, "x" * 40),
        ("Ice", "Ice 2"),
    ],
)
def test_members_are_called_as_on_discord(shown: str, name: str) -> None:
    state = FIGHT.begin(Setup(boss=boss()))
    state = FIGHT.apply(state, Join(name="Ice", deck=deck(1, 1)), ANYONE, ScriptedDice(())).state
    assert r.suggested_name(shown, state) == name


def test_a_full_list_of_records_fits() -> None:
    board, rows = Board(WORST, 1000, hands=False), [(10**18 + at, "123456789012345.6") for at in range(10)]
    assert utf16_length(r.top_text(board, rows, rows)) <= LAYOUT_TEXT
    every: list[tuple[Board, dict[Figure, Ranking]]] = [(board, {"score": rows[:1], "damage": rows[:1]})] * 15
    assert utf16_length(r.leaders_text(every, 1)) <= LAYOUT_TEXT
    assert r.leaders_text([], 0).endswith("\nNobody yet: `/boss start` opens a fight.")


@given(st.integers(1, 3), st.integers(1, 9), st.sampled_from([None, *Element]))
@settings(max_examples=20)
def test_the_products_on_the_pages_add_up(tokens: int, traits: int, element: Element | None) -> None:
    """What stands behind each = is what the sums below the tables have."""
    trait = Trait(name="Fang", physical_damage=3, magical_damage=5, health=1)
    made = Deck(tokens=[Token(name=f"t{at}", element=element, traits=[trait] * traits) for at in range(tokens)])
    report = exchange(Boss(name="Ogre", health=9, element=Element.WATER), made)
    card = Picture("card.png", b"", "")
    pages = [leaf.text() for leaf in what_if_document(report, card).pages]
    products = [
        line.rpartition("= ")[2]
        for page in pages
        for line in page.splitlines()
        if line.startswith("Fang ") and "=" in line
    ]
    assert readable(sum((Fraction(product.replace(",", "")) for product in products), Fraction(0))) == readable(
        report.to_boss.total
    )
