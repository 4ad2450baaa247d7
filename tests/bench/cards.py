"""The rows of cards: what drawing each kind costs, without the calculation before."""

from collections.abc import Callable, Iterator
from functools import partial

from sim.axis_allies.army import Army
from sim.axis_allies.battle import Event, Fire, RoundBegan
from sim.axis_allies.battle import Setup as DiceSetup
from sim.axis_allies.battle import State as DiceState
from sim.axis_allies.battle.cards import FogCardRequest, luck_request, result_card, round_card
from sim.axis_allies.battle.puzzles import Kind, Option, Puzzle
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.cards import luck_card, need_card, odds_card, retreat_card
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.spending import Front, SpendRequest, spend_card
from sim.axis_allies.units import Unit
from sim.boss_fight.best_choices import BestOrderRequest
from sim.boss_fight.cards import BattleCardRequest, best_order_card, deck_card, every_boss_card, what_if_card
from sim.boss_fight.exchange import ExchangeRequest
from sim.boss_fight.requests import DeckRequest, DeckSheetRequest, EveryBossRequest
from sim.boss_fight.tables import KNOWN_BOSSES, STARTER_DECKS
from sim.boss_fight.values import Deck, Entrant, Token
from sim.core.cards import people as p
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.coach import CoachCardRequest
from sim.core.cards.draw import CardRequest, FightCard, LuckCard, SheetCard, TilesCard
from sim.core.cards.figures import ICON
from sim.core.cards.people import Crest
from sim.core.cards.values import Fact, HealthRow, Tile
from sim.core.coach import CoachReport, CoachRow
from sim.core.dice import SeededDice, seed_bytes
from sim.core.values import Side, canonical
from sim.duel.cards import CharacterCardRequest, characters_card
from sim.duel.requests import RollRequest
from sim.jobs.replay_page import panel_card
from sim.mad_killer_agents.battle import Phase, Player, Setup, State
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Began, Resigned, TurnBegan
from sim.mad_killer_agents.cards import ClashCard, History, draw_war
from sim.mad_killer_agents.combat import parse_battle as parse_clash
from sim.mad_killer_agents.map_picture import around, blocks, draw_map
from sim.mad_killer_agents.requests import BattleRequest
from sim.marked_for_death.cards import check_card
from sim.marked_for_death.cards import odds_card as survival_card
from sim.marked_for_death.odds import OddsRequest as RosterOddsRequest
from sim.marked_for_death.requests import CheckRequest, RunRequest
from sim.marked_for_death.tables import roster_csv
from tests.bench.mad_killer_agents import crowded
from tests.bench.rows import Row
from tests.conformance.example import example_of, play, registered
from tests.sim.axis_allies.battle.test_card import EVERYTHING
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.boss_fight.builders import FIGHT, boss, simple
from tests.sim.boss_fight.builders import fought as beaten
from tests.sim.marked_for_death.builders import legion

MOST_MS, MOST_KB = 10, 30

FLEETS = "3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 tr vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 tr"
ALL_KINDS = "9 inf 8 tank 7 f 6 b 5 s 4 d 3 c 2 bb 1 tr vs 10 inf 9 tank 8 f 7 b 6 s 5 d 4 c 3 bb 2 tr"
COURSE = tuple((0.5 + at / 20, 0.4 - at / 30) for at in range(12))


Drawing = tuple[str, Callable[[], Card]]
"""A kind of card, and what draws it without the calculation before."""


def drawings() -> Iterator[Drawing]:
    """Yield every kind of card."""
    for name, battle in {"odds": "6 tanks vs 10 inf", "odds of fleets": FLEETS, "odds, all kinds": ALL_KINDS}.items():
        yield f"Axis & Allies: {name}", partial(odds_card, OddsRequest.model_validate(parse_battle(battle)).run())
    yield from advice()
    battles = {"round": "6 tanks vs 10 inf", "round of 76 dice": "40 inf vs 36 inf", "round, all kinds": EVERYTHING}
    for name, battle in battles.items():
        yield f"Axis & Allies: {name}", round_drawing(*fought(battle, 1))
    state, _ = fought("6 tanks, 6 inf vs 10 inf", 20)
    request = luck_request(state)
    yield "Axis & Allies: result", partial(result_card, state, COURSE, None if request is None else request.run())
    crowd = legion("F", 8)
    odds = RosterOddsRequest(heroes=crowd, villains=crowd, battles=1000).run()
    yield "Marked for Death: odds", survival_card(odds).draw
    yield from answers()
    yield from ((name, card.draw) for name, card in full_cards())
    yield from pictures()
    yield from panels()


def panels() -> Iterator[Drawing]:
    """Yield the cards of every game's battle: at its start, in its middle, at its end."""
    for name in registered():
        example = example_of(name)
        turns = [*play(example, example.story, example.seed, example.story_steps)]
        states = [turns[0].state, *(turn.step.state for turn in turns)]
        for at, when in enumerate(("begins", "is on", "is over")):
            done = at * len(turns) // 2
            events = [canonical([example.system.events.write(event) for event in turn.step.events]) for turn in turns]
            request = panel_card(name, states[done], events[:done])
            if request is not None:
                yield f"{name} {when}", finished(request.draw())
    yield "Axis & Allies: round in the fog", FogCardRequest(round=2, attacker=1, defender=40).draw


def finished(card: Card) -> Callable[[], Card]:
    """Return what has a card that was drawn with its calculation."""
    return lambda: card


def answers() -> Iterator[Drawing]:
    """Yield the cards of the answers of the other games, as full as they get."""
    decks = [DeckRequest(deck=deck.text).run() for deck in STARTER_DECKS]
    crowd = Deck(tokens=[Token(name=f"token {at}", traits=decks[0].tokens[0].traits) for at in range(20)])
    roster = CheckRequest(source=roster_csv(legion("F", 20))).run()
    characters = [RollRequest(seed=bytes([at])).run() for at in range(20)]
    party = tuple(Entrant(name=f"Member {at}", deck=decks[at % len(decks)]) for at in range(12))
    order = BestOrderRequest(boss=KNOWN_BOSSES[2], times=2, entrants=party)
    clash = BattleRequest(clash=parse_clash("40@1 vs 30@3 city 12"))
    every_boss = EveryBossRequest(bosses=KNOWN_BOSSES, deck=decks[0]).run()
    file = roster_csv(legion("F", 8))
    yield "Marked for Death: a whole battle", RunRequest(heroes=file, villains=file).run().card.draw
    yield "Duels: a character", CharacterCardRequest(critter=characters[0]).draw
    yield "Boss fights: deck", deck_card(DeckSheetRequest(deck=crowd).run()).draw
    yield "Boss fights: every boss", every_boss_card(every_boss).draw
    yield "Marked for Death: roster", check_card(roster, "Heroes.csv").draw
    yield "Duels: characters", characters_card(characters).draw
    yield "Boss fights: an exchange", what_if_card(ExchangeRequest(boss=KNOWN_BOSSES[0], deck=crowd).run()).draw
    yield "Boss fights: best order of 12", best_order_card(order, order.run()).draw
    yield "Mad Killer Agents: a battle", ClashCard(report=clash.run()).draw


def full_cards() -> Iterator[tuple[str, CardRequest]]:
    """Yield the cards that several games have, with the longest words, few rows and as many as there may be."""
    foe = HealthRow.of("F" * 40, 700, 1000, 100)
    for count in (0, 1, v.MAX_ROWS):
        side = v.FightSide(name="Party", rows=(HealthRow.of("W" * 40, count, 8, 1),) * count, chance=0.5, more=492)
        yield f"fight of {count}", FightCard(title="T" * 90, left=side, foe=foe)
        yield f"fight of {count} v {count}", FightCard(title="T", left=side, right=side, aside="a" * 90)
    facts = (Fact(label="M" * 40, figure="9" * 40),) * 4
    for count in (0, v.MAX_WIDE_ROWS, v.MAX_SHEET_ROWS):
        rows = (HealthRow(name="W" * 40, left=1, figures="9" * 90),) * count
        sheet = SheetCard(title="T" * 90, aside="a" * 30, facts=facts, rows=rows, more=488, note="n" * 120)
        yield f"sheet of {count}", sheet
    bars = tuple(1 - abs(at - 50) / 50 for at in range(100))
    luck = v.LuckRow(name="W" * 60, figures="13 hits with 28 dice", place="luckier than 93%", bars=bars, at=60)
    for count in (1, v.MAX_LUCK_ROWS):
        yield f"luck of {count}", LuckCard(title="T" * 90, aside="a" * 20, rows=(luck,) * count)
    names = ("W" * 120, "Shieldbearer of " * 7, "Shieldbearer of the North")
    for count in (1, p.MAX_TOKENS):
        tokens = tuple(p.Fighter(name=names[at % 3], left=1 / (at + 1), level=at % 2) for at in range(count))
        ranks = tuple(
            p.Rank(title=f"Side {color}", color=color, tokens=tokens, more=999) for color in ("orange", "blue")
        )
        banners = (p.Banner(label="99", winner="Side", color="blue", emblem="sun"),) * p.MAX_BANNERS
        diary = p.DiaryCard(title="W" * 40, aside="a" * 30, banners=banners, ranks=ranks, caption="W" * 120)
        yield f"campaign of {count}", diary
    for count in (1, p.MAX_STANDINGS):
        board = tuple(
            p.BoardRow(place=at, name=names[at % 3], crest=Crest.of(at), figures="12,400 damage", share=1 / at)
            for at in range(1, count + 1)
        )
        yield f"board of {count}", p.BoardCard(title="Week 48", aside="Gilded Abbot", rows=board, more=990)
        trophies = (("fox", Fact(label="Luckiest roll", figure="Shieldbearer of the Northern Ben: 2 lost")),) * count
        yield (
            f"profile of {count}",
            p.TrophyCard(name="W" * 32, crest=Crest.of(1), record="1 battle", trophies=trophies),
        )


def pictures() -> Iterator[Drawing]:
    """Yield the end of a boss fight, the games to choose from, and maps."""
    slain = beaten(boss(24_000, 25), (simple(100 + at, 400) for at in range(8)))
    yield "Boss fight, result", BattleCardRequest(state_json=FIGHT.states.write_json(slain)).draw
    tile = Tile(icon=ICON, color="#4dabf7", title="Mad Killer Agents", line="A war on a map, for minutes or weeks.")
    yield "Games to choose from", TilesCard(title="What shall we fight?", tiles=(tile,) * 6).draw
    for side, players in ((10, 8), (12, 2), (18, 8), (20, 4), (30, 8), (40, 8)):
        board = crowded(side, side * side // 4 // players, players)
        yield f"Map of {side} x {side}", partial(draw_map, board)
    yield "Part of a map", partial(draw_map, board, window=around(board, 820))
    yield "Sixteenth of a map", partial(draw_map, board, window=blocks(40, 40)[5])
    yield "End of a war of 8", partial(draw_war, ended_war(crowded(40, 20, 8)))


def ended_war(board: Board) -> History:
    """Return a war of two rounds on a board's map, on each player's land armies of the others; the last player left."""
    for tile in set(range(len(board.tiles))) - board.armies.keys():
        row, column = divmod(tile, board.width)
        board.owners[tile] = 1 + row // (board.height // 2) * 4 + column // (board.width // 4)
    players = tuple(Player(number=number, name=f"Marshal of the {number}") for number in board.sides)
    began = Began(world=board.world(), players=tuple((player.number, player.name) for player in players))
    turns = [TurnBegan(by=1, name="", round=at, made=0) for at in (1, 2)]
    lost = Resigned(by=8, name="")
    state = State(setup=Setup(), players=players, phase=Phase.OVER, world=began.world, round=2, winner=1)
    return History(state, [began, *turns, lost])


def advice() -> Iterator[Drawing]:
    """Yield the cards of what to buy, when to retreat and how lucky it was."""
    armies = parse_battle(FLEETS)
    attacker, defender = armies[Side.ATTACKER], armies[Side.DEFENDER]
    purchase = PurchaseRequest(attacker=attacker, defender=defender, chance=0.8)
    yield "Axis & Allies: need", partial(need_card, purchase.run())
    yield "Axis & Allies: retreat", partial(retreat_card, RetreatRequest(attacker=attacker, defender=defender).run())
    left = parse_army("3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 tr")
    luck = LuckRequest(attacker=attacker, defender=defender, attacker_left=left, defender_left=Army())
    yield "Axis & Allies: luck", partial(luck_card, luck.run())
    front = Front(attacker=parse_army("2 inf, 1 tank"), defender=parse_army("3 inf"), value=3)
    spent = SpendRequest(fronts=(front,) * 8, budget=30, units=(Unit.INFANTRY, Unit.TANK)).run()
    yield "Axis & Allies: spend", spend_card(spent).draw
    every = Option(text="Lose 9 infantry, 8 artillery, 7 tanks, 6 fighters, 5 bombers", worth=50)
    puzzle = Puzzle(kind=Kind.LOSE, attacker=attacker, defender=defender, options=(every,) * 4)
    yield "Axis & Allies: puzzle", puzzle.answer_card(3).draw
    rolled = "losing 1 bomber", "2 infantry"
    moves = [
        CoachRow(kind=kind, row=at, moment="round 12", before=0.5, after=at / 8, words=rolled[0], instead=rolled[1])
        for at in range(8)
        for kind in ("roll", "choice")
    ]
    report = CoachReport.of(0.5, moves, aim="to win", unit="", seat="attacker", total=1)
    yield "The coach", CoachCardRequest(title="The coach", aside="#12, to win", report=report, you=True).draw


def fought(battle: str, rounds: int) -> tuple[DiceState, list[Event]]:
    """Fight so many rounds, or fewer if it ends before."""
    rules, armies = DiceBattle(), parse_battle(battle)
    state = rules.begin(DiceSetup(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER]))
    events: list[Event] = []
    for number in range(1, rounds + 1):
        if state.ending is None:
            step = rules.apply(state, Fire(), Side.ATTACKER, SeededDice(seed_bytes(5), number))
            state, events = step.state, [*events, *step.events]
    return state, events


def round_drawing(state: DiceState, events: list[Event]) -> Callable[[], Card]:
    """Return what draws the only round of these events."""
    began = next(event for event in events if isinstance(event, RoundBegan))
    return partial(round_card, state, began, events, (0.6, 0.3), (0.5, 0.45))


def rows() -> Iterator[Row]:
    """Yield each card; the note is its size."""
    for name, draw in drawings():
        note = f"{len(draw().png()) / 1000:.1f} KB of {MOST_KB}"
        yield Row(f"card, {name}", lambda draw=draw: draw().png(), MOST_MS, note)  # type: ignore[misc]
