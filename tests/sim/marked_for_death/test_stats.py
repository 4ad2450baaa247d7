"""Rosters as files, and the numbers of a fighter, against figures worked out elsewhere; the card of a battle."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.battle import REFEREE
from sim.core.cards import Shape
from sim.core.cards.theme import INK, TROUGH
from sim.core.dice import SeededDice
from sim.csv import TableError, write_table
from sim.marked_for_death.battle import Setup, State
from sim.marked_for_death.battle.runner import combatants, side_cards
from sim.marked_for_death.cards import battle_card, panel_card
from sim.marked_for_death.roster import MAX_FIGHTERS, Camp, Fighter, Roster
from sim.marked_for_death.stats import MAX_HINTS, MAX_WARNINGS, roster_warnings
from sim.marked_for_death.tables import example, fighter_cells, read_fighter, read_roster, roster_csv, sample
from sim.marked_for_death.tokens import Token, TokenCard, TokenSide
from tests.sim.core.cards.looking import texts_apart
from tests.sim.marked_for_death.builders import (
    BATTLE,
    HEADER,
    RIDERS,
    begin,
    buff,
    fighter,
    fighters,
    read,
    roster,
    rosters,
)
from tests.tables import kept_table

RIDERS_LINES = kept_table(__file__, "lines")


# Name, XP, BonusXP, BonusHP, BonusToHit, BonusToDefend, AOE; then HP, ToHit, ToDefend, TotalXP, dice of both kinds.
EDGES = kept_table(__file__, "edges")


@pytest.mark.parametrize(("row", "hp", "to_hit", "to_defend", "xp", "offense", "defense"), EDGES)
def test_numbers_at_the_edges(
    row: str, hp: int, to_hit: str, to_defend: str, xp: int, offense: int, defense: int
) -> None:
    (card,) = side_cards(combatants(read(row)))
    assert (card.hp, card.to_hit, card.to_defend, card.aoe) == (hp, Decimal(to_hit), Decimal(to_defend), 1)
    assert (card.total_xp, card.offense_dice, card.defense_dice) == (xp, offense, defense)


@pytest.mark.parametrize(
    ("hit", "defend", "offense", "defense", "figures"),
    [
        ("0.6", "0", "0.1", "0", ("99%", "30%", 5, 5)),  # 100 % exactly adds no dice
        ("0.6", "0", "0.11", "0", ("99%", "30%", 6, 5)),
        ("0", "0.5", "0", "0.3", ("30%", "90%", 5, 6)),
        ("-0.9", "-0.9", "0.1", "0.1", ("5%", "0%", 5, 5)),
    ],
)
def test_buffs_on_oneself_count_before_the_caps(
    hit: str, defend: str, offense: str, defense: str, figures: tuple[str, str, int, int]
) -> None:
    me = fighter("Me", 5000, hit=hit, defend=defend, buffs=(buff("me", offense, defense),))
    (card,) = side_cards(combatants(roster(me)))
    line = f"ToHit({figures[0]}), ToDefend({figures[1]}), AOE(1), Total XP(5000), OffenseDice({figures[2]})"
    assert f"{line}, DefenseDice({figures[3]})" in card.line()


def test_every_supplier_counts_even_with_the_same_buff_and_a_name_counts_once_in_a_buff() -> None:
    side = roster(
        fighter("A", buffs=(buff("C,c,C", "0.1", name="Team"),)),
        fighter("B", buffs=(buff("C", "0.1", name="Team"), buff("C", "0.01", name="Team"))),
        "C",
    )
    assert side_cards(combatants(side))[2].to_hit == Decimal("0.51")


def test_the_buffs_of_who_has_fallen_or_sits_out_stop() -> None:
    side = roster(fighter("A", hp=0, buffs=(buff("B", "0.1"),)), "B")
    fallen, other = combatants(side)
    assert side_cards((fallen, other))[1].to_hit == Decimal("0.3")
    assert side_cards((fallen.model_copy(update={"hp": 1}), other))[1].to_hit == Decimal("0.4")


@given(st.data())
def test_chances_and_dice_keep_within_the_rules(data: st.DataObject) -> None:
    drawn = data.draw(fighters("A"))
    (card,) = side_cards(combatants(roster(drawn)))
    assert Decimal("0.05") <= card.to_hit <= Decimal("0.99")
    assert 0 <= card.to_defend <= Decimal("0.9")
    assert min(card.offense_dice, card.defense_dice) >= -(-drawn.total_xp // 1000) >= 1


def test_a_flood_of_unknown_names_is_counted_not_told() -> None:
    """A file of 256 KiB has room for tens of thousands of names that nobody has."""
    crowd = [
        fighter(
            f"Guard {at}", buffs=tuple(buff(",".join(f"Gaurd {at} {number}" for number in range(50))) for _ in range(2))
        )
        for at in range(60)
    ]
    warnings = roster_warnings(roster(*crowd))
    assert len(warnings) == MAX_WARNINGS + 1
    assert warnings[-1] == f"There are {60 * 50 - MAX_WARNINGS:,} more warnings of this kind."
    assert sum("Did you mean" in warning for warning in warnings) == MAX_HINTS


LONGEST = "Shieldbearer of the Northern Watch"


def token(name: str = "Tom", hp: int = 2, most: int = 4, **more: object) -> Token:
    return Token.model_validate({"name": name, "instead": "Hero 1", "hp": hp, "most": most, **more})


def card(*heroes: Token) -> TokenCard:
    sides = (TokenSide(name="Heroes", rows=heroes), TokenSide(name="Villains", rows=(token("Orc"),)))
    return TokenCard(title="Round 2", sides=sides)


def hearts(*heroes: Token) -> list[str]:
    """Return the colors of the heroes' hearts, without the tokens and the orc's four."""
    shapes = [mark for mark in card(*heroes).draw().marks if isinstance(mark, Shape) and mark.height == 36]
    return [shape.color for shape in shapes][:-4]


def test_hearts_are_full_cracked_in_this_round_or_empty() -> None:
    assert [color in {INK, TROUGH} for color in hearts(token(lost=1))] == [False, False, True, True]
    assert hearts(token(lost=1))[2:] == [INK, TROUGH]


def test_more_hit_points_than_hearts_are_numbers() -> None:
    hurt = token(hp=12, most=15, lost=3)
    rows = hurt, token(hp=1_000_000, most=2_000_000, lost=9), token(hp=0, fate="by Summoner +2")
    side = TokenSide(name="Heroes", rows=rows)
    texts = texts_apart(TokenCard(title="Round 2", sides=(side, side)).draw())
    assert {"12 / 15", "3", "1,000,000"} <= set(texts)
    assert len(hearts(hurt)) == 2


def test_lines_lead_from_guards_and_to_those_with_whom_somebody_falls_while_both_stand() -> None:
    side = battle_card(begin(read_roster(RIDERS.encode()).roster, roster("Orc")), (), None).sides[0]
    assert [row.name for row in side.rows] == ["Dragon", "Summoner", "Tom"]
    assert list(side.bonds()) == [(0, 1, True), (1, 0, True), (2, 1, False), (2, 0, True)]
    fallen = side.rows[1].model_copy(update={"hp": 0, "fate": "by Orc"})
    left = side.model_copy(update={"rows": (side.rows[0], fallen, side.rows[2])})
    assert list(left.bonds()) == [(2, 0, True)]


def whole(**sides: Roster) -> tuple[State, list[str], list[State]]:
    """Fight to the end; return the last state, the steps' events and the states before."""
    states, texts = [BATTLE.begin(Setup(**sides, led=True))], []
    while states[-1].ending is None:
        offer = BATTLE.legal(states[-1])[0]
        assert offer.action is not None
        step = BATTLE.apply(states[-1], offer.action, REFEREE, SeededDice(b"tokens", len(states)))
        states.append(step.state)
        texts.append(json.dumps([BATTLE.events.write(event) for event in step.events]))
    return states[-1], texts, states


def test_the_end_names_the_chances_of_the_panel_before_round_1_and_every_killer() -> None:
    end, texts, states = whole(**{camp.value: read_roster(sample(camp)).roster for camp in Camp})
    first = panel_card(states[0], BATTLE.states.write_json(states[0]), ()).draw()
    last = panel_card(end, BATTLE.states.write_json(end), texts).draw()
    winner = "Heroes" if end.winner is Camp.HEROES else "Villains"
    chance = first.alt.partition(f"{winner}, ")[2].partition(" to win")[0]
    assert f"{winner.lower()} had {chance}" in last.alt or f"were {chance} favorites" in last.alt
    assert "fallen" not in last.alt
    midst = panel_card(states[-2], BATTLE.states.write_json(states[-2]), texts[:-1]).draw()
    assert "fallen" not in midst.alt, "who fell rounds ago still has a killer"


@pytest.mark.parametrize("names", [[LONGEST] * 6, ["Bo"], ["春野サクラ", "🐉", "Tom", "X", "Y", "Z", "W"]])
def test_cards_are_light_and_draw_any_names(names: list[str]) -> None:
    called = [f"{name} {at}"[-40:] for at, name in enumerate(names)]
    bonds = [f"{called[at - 1]},{called[at // 2]}" for at in range(len(called))]
    rows = [f"{name},4000,,4,0.1,0.2,,{bound}" for name, bound in zip(called, bonds, strict=True)]
    end, texts, states = whole(heroes=read(*rows), villains=read(*rows))
    for at, state in enumerate([*states[:-1], end]):
        drawn = panel_card(state, BATTLE.states.write_json(state), texts[:at]).run()
        assert len(drawn.data) <= 30 * 1024, state.round


BUFF = "BuffName,BuffWho,BuffOffense,BuffDefense"


def faults(text: str) -> list[str]:
    with pytest.raises(TableError) as caught:
        read_roster(text.encode())
    return list(caught.value.sentences)


def test_every_column() -> None:
    row = 'Tom,5000,-10,3,0.15,-.2,4,Zoë,Max,Team,"Zoë, Tom",0.1,0.2,,,,,Will,tom,,-1'
    assert read(row, header=f"{HEADER},{BUFF},{BUFF},{BUFF}").fighters == (
        Fighter(
            name="Tom",
            xp=5000,
            bonus_xp=-10,
            bonus_hp=3,
            bonus_to_hit=Decimal("0.15"),
            bonus_to_defend=Decimal("-0.2"),
            aoe=4,
            bodyguard_for="Zoë",
            linked_to="Max",
            buffs=(buff("Zoë,Tom", "0.1", "0.2", "Team"), buff("tom", "0", "-1", "Will")),
        ),
    )


def test_buff_columns_numbered_by_other_programs_are_groups_all_the_same() -> None:
    header = "Name,BuffName,BuffWho,BuffOffense,BuffDefense,BuffName.1,BuffWho.1,BuffOffense.1,BuffDefense.1,XP"
    (tom,) = read("Tom,A,Tom,1,,B,Zoë,,1,500", header=header).fighters
    assert tom.buffs == (buff("Tom", "1", name="A"), buff("Zoë", "0", "1", "B"))


def test_semicolons_and_decimal_commas() -> None:
    header = f"{HEADER},{BUFF}".replace(",", ";")
    (tom,) = read("Tom;5000;;;0,15;1,500;;;;Song;Tom;1,250;", header=header).fighters
    assert (tom.bonus_to_hit, tom.bonus_to_defend) == (Decimal("0.15"), Decimal("1.5"))
    assert tom.buffs == (buff("Tom", "1.25", name="Song"),)


@pytest.mark.parametrize(
    "who", ['   "Alice,Bill,Charlie Brown"', '"Alice,Bill,Charlie Brown"   ', '"Alice , Bill,,Charlie Brown"']
)
def test_blanks_around_quotes_and_names_say_nothing(who: str) -> None:
    (alice,) = read(f"Alice,500,GeniusIntellect,{who},0.06,0.03", header=f"Name,XP,{BUFF}").fighters
    assert alice.buffs == (buff("Alice,Bill,Charlie Brown", "0.06", "0.03", "GeniusIntellect"),)


@pytest.mark.parametrize("tail", ["0.06,0.03", "0.06,", "0.06,0.03,,,,", ","])
@pytest.mark.parametrize("groups", [1, 2])
def test_several_names_without_quotes_are_refused_with_what_to_write(tail: str, groups: int) -> None:
    text = f"Name,XP{f',{BUFF}' * groups}\nBill,1\nTom,500,Jutsu1,Alice,Bill,Charlie Brown,{tail}\n"
    assert faults(text) == [
        (
            f"Row 3, BuffWho{' (column D)' if groups > 1 else ''}: "
            'Put several names in quotes: "Alice,Bill,Charlie Brown".'
        )
    ]


def test_as_many_as_may_take_part_and_one_more() -> None:
    rows = [f"F{number},1" for number in range(MAX_FIGHTERS + 1)]
    assert len(read(*rows[:-1]).fighters) == MAX_FIGHTERS
    assert faults("\n".join([HEADER, *rows])) == ["There are 501 fighters; at most 500 take part."]


def test_the_example_is_the_dragon_and_its_riders() -> None:
    checked = read_roster(example())
    assert checked.roster == read_roster(RIDERS.replace("0.9", "0.6").encode()).roster
    assert checked.warnings == ()
    assert example().startswith("\ufeff# ".encode())


CELLS = st.sampled_from(
    ["", "0", "1", "-1", "0.5", "0,5", "Tom", "tom", "Bo,Tom", " ", "x" * 41, "\u200b", "1e9", "९", '"', "#"]
)


@given(st.lists(st.lists(CELLS | st.text(max_size=3), max_size=18), max_size=4))
def test_any_table_is_a_roster_that_can_be_written_back_or_told_what_is_wrong(rows: list[list[str]]) -> None:
    file = write_table(f"{HEADER},{BUFF},{BUFF}".split(","), rows)
    try:
        roster = read_roster(file).roster
    except TableError as error:
        assert error.faults
    else:
        assert read_roster(roster_csv(roster)).roster == roster


def test_every_column_is_written_and_every_number() -> None:
    assert roster_csv(read_roster(RIDERS.encode()).roster).decode() == (
        "\ufeffName,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo,"
        "BuffName,BuffWho,BuffOffense,BuffDefense\r\n"
        'Dragon,13000,1500,-1,0.9,0.1,1,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02\r\n'
        "Summoner,5800,-1000,1,0.15,0,1,,Dragon,,,,\r\n"
        'Tom,7001,0,0,0.11,0.01,1,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12\r\n'
    )


@given(fighters("Tom"))
def test_the_cells_of_a_form_read_back_as_the_fighter(original: Fighter) -> None:
    assert read_fighter(fighter_cells(original), original.buffs) == original


@given(rosters())
def test_what_is_written_is_read_back(original: Roster) -> None:
    assert read_roster(roster_csv(original)).roster == original
