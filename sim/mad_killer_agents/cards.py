"""How wars and battles went, and their cards: a war replayed from its events without AIs and dice, scores by round."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from typing_extensions import override

from sim.core import RuleError
from sim.core.cards import Box, Drawing, Picture, line, parts, size_of
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import GROUND, HEAD, INK, MARGIN, NEUTRAL, SOFT, TEXT, TITLE, TROUGH, WIDTH
from sim.core.numbers import quantity
from sim.core.values import Ending
from sim.mad_killer_agents.battle import State
from sim.mad_killer_agents.battle import events as e
from sim.mad_killer_agents.battle.board import Army, Board, City, board_of
from sim.mad_killer_agents.battle.orders import Commander
from sim.mad_killer_agents.combat import BattleReport, Result
from sim.mad_killer_agents.map_picture import draw_map
from sim.mad_killer_agents.map_theme import COLORS, PLAYERS, line_color
from sim.mad_killer_agents.terrain import read_tile


def turns(events: Iterable[e.Event]) -> Iterator[tuple[Board, int, bool]]:
    """Yield the board before and after each turn begins, and at the end, with the round, and whether one is over.

    Always yields the same board, which changes afterwards. RuleError if an event doesn't follow from those before.
    """
    board: Board | None = None
    now = 0
    for event in _lasting(events):
        if isinstance(event, e.Began):
            # The newest edition of the rules forbids nothing that an earlier one allowed.
            board = Board.of(event.world, dict(event.players))
        elif board is not None and isinstance(event, e.TurnBegan):
            yield board, event.round, event.round > now
            now = event.round
            apply_event(board, event)
            yield board, now, False
        elif board is not None:
            apply_event(board, event)
    if board is not None:
        yield board, now, True


def _lasting(events: Iterable[e.Event]) -> list[e.Event]:
    """Return the events without those since the first of the orders that were undone."""
    kept: list[e.Event] = []
    for event in events:
        left = event.orders if isinstance(event, e.Undone) else 0
        while left and kept:
            last = kept.pop()
            if isinstance(last, e.Moved):
                ways = last.ways[: max(0, len(last.ways) - left)]
                left -= len(last.ways) - len(ways)
                kept += [last.model_copy(update={"ways": ways})] if ways else []
            else:
                left -= isinstance(last, e.DoneEvent)
        kept.append(event)
    return kept


def apply_event(board: Board, event: e.Event) -> None:
    """Change the board as an event tells that was not undone."""
    tile, player = partial(read_tile, width=board.width, height=board.height), partial(Commander, board)
    match event:
        case e.TurnBegan():
            board.start_turn(event.by, event.round)
        case e.Moved():
            commander = player(event.by)
            for at, to, units, lost in event.ways:
                (commander.march if lost else commander.move)(tile(at), tile(to), units)
        case e.Fought():
            player(event.by).attack(tile(event.at), tile(event.to), event.units)
        case e.Discovered():
            player(event.by).discover(tile(event.at), event.tech)
        case e.Shaped():
            commander = player(event.by)
            (commander.raise_tile if event.raised else commander.lower_tile)(tile(event.at))
        case e.Founded() | e.Grew() | e.Passed():
            commander = player(event.by)
            rules = {"founded": commander.found_city, "grew": commander.grow_city, "passed": commander.pass_army}
            rules[event.event](tile(event.at))
        case e.Resigned():
            board.disband(event.by)
        case e.Out():
            board.sides[event.by].out = True


class History:
    """A war that is over. `scores`: by player number, at the start and at the end of each round.

    `behind`: the last round in which the winner wasn't ahead before or after a turn began; None if there was none.
    """

    def __init__(self, state: State, events: Iterable[e.Event]) -> None:
        """Replay the events; RuleError if no game began."""
        self.state = state
        self.scores: dict[int, list[int]] = {player.number: [] for player in state.players}
        self.behind: int | None = None
        for at, (board, now, is_end) in enumerate(turns(events)):
            points = dict(board.scores())
            for number in points if is_end else ():
                self.scores[number].append(points[number])
            best = max(points, key=points.__getitem__)
            if at and (best != state.winner or list(points.values()).count(points[best]) > 1):
                self.behind = now
        if not any(self.scores.values()):
            raise RuleError("The game has not begun yet.")

    @property
    def ranked(self) -> list[int]:
        """The players' numbers, the winners first, then by their final scores."""
        first = {self.state.winner, *self.state.sharing}
        return sorted(self.scores, key=lambda number: (number not in first, -self.scores[number][-1], number))

    @property
    def headline(self) -> str:
        """Who won, and by how much."""
        names = [self.state.player(number).name for number in self.ranked]
        if self.state.winner is None:
            shared = " and ".join(names[: len(self.state.sharing)])
            return f"{shared} share the victory" if shared else "Nobody is left"
        if self.state.ending is Ending.ANNIHILATION:
            return f"{names[0]} wins: nobody else is left"
        first, second = (self.scores[number][-1] for number in self.ranked[:2])
        return f"{names[0]} wins by {quantity(first - second, 'point')}"

    def ahead_since(self) -> int | None:
        """Return the round from which the winner was ahead for good; None without a winner alone."""
        return None if self.state.winner is None else self.behind or 1

    def worst_blow(self) -> tuple[int, int, int] | None:
        """Return who lost the most points in a round, in which one, and how many; None if nobody lost any."""
        blows = [
            (number, at, before - after)
            for number, scores in self.scores.items()
            for at, (before, after) in enumerate(pairwise(scores), start=1)
            if after < before
        ]
        return max(blows, key=lambda blow: (blow[2], -blow[1]), default=None)

    def turning_points(self) -> list[str]:
        """Return what decided the war, in sentences that are short on a card; long names may be cut."""
        told = []
        if self.state.winner is not None:
            led = "all the way" if self.behind is None else f"for good from round {self.behind}"
            told.append(f"The winner led {led}.")
        if (blow := self.worst_blow()) is not None:
            number, at, points = blow
            told.append(f"Round {at}: {self.state.player(number).name} lost {quantity(points, 'point')}.")
        return told

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the card."""
        scores = ", ".join(f"{self.state.player(number).name} {self.scores[number][-1]:,}" for number in self.ranked)
        rounds = quantity(self.state.round, "round")
        return " ".join([f"{self.headline} after {rounds}.", *self.turning_points(), f"Points: {scores}."])


_AFTER = 3
"""The column of the attacker's tile after a battle; a free one lies between."""
_MOST_WINDOWS = 9
"""Size of a city from which its windows are not counted any more."""


class ClashCard(CardRequest):
    """Draws a battle as on the map: both tiles before it, and after it."""

    report: BattleReport

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the picture."""
        clash, result = self.report.clash, self.report.result
        defender = "Drafted units" if result.drafted else "Defender"
        told = [verdict(result), f"Attacker {_fate(result.attacker_left, clash.attackers)}"]
        told.append(f"{defender} {_fate(result.defender_left, clash.defenders + result.drafted)}")
        if clash.city:
            left = "" if result.city_left == clash.city else f" → {result.city_left}"
            told.append(f"City size {clash.city}{left}" if result.city_left else "City destroyed")
        return " ".join(f"{sentence}." for sentence in (*told, *self._notes()))

    def _notes(self) -> Iterator[str]:
        clash, result = self.report.clash, self.report.result
        theirs = clash.defenders + result.drafted + clash.defense_bonus
        yield f"Strength {clash.attackers + clash.attack_bonus:,} against {theirs:,}"
        if (advice := self.report.advice) is not None:
            yield f"Better in parts: {advice.outcome}"

    def board(self) -> Board:
        """Return a map of the tiles before and after the battle; players 1 and 2 attack and defend."""
        clash, result = self.report.clash, self.report.result
        values = (clash.attacker_tile, clash.defender_tile)
        board = Board(_AFTER + 2, 1, [*values, 0, *values])
        board.owners = [1, 2, 0, 1, 1 if result.taken else 2]
        ours = _AFTER + 1 if result.taken else _AFTER
        armies = [(0, 1, clash.attackers), (1, 2, clash.defenders + result.drafted)]
        armies += [(ours, 1, result.attacker_left), (_AFTER + 1, 2, result.defender_left)]
        board.armies = {tile: Army(owner, units, 0) for tile, owner, units in armies if units}
        cities = ((1, clash.city), (_AFTER + 1, result.city_left))
        board.cities = {tile: City(2, 1, min(size, _MOST_WINDOWS)) for tile, size in cities if size}
        return board

    @override
    def draw(self) -> Card:
        card = draw_map(self.board(), [(1, 0, 1)], bare=True)
        card.alt, top = self.alt(), card.height
        card.text((WIDTH + MARGIN) // 2, top // 2 + 20, "→", TITLE, SOFT, align="center")
        for words in letters.wrapped(verdict(self.report.result), HEAD, RIGHT - LEFT):
            top += HEAD
            card.text(LEFT, top, words, HEAD, INK)
        top += 22
        for note in self._notes():
            top = parts.paragraph(card, top, note)
        card.height = top + 28
        return card


def _fate(left: int, units: int) -> str:
    return "none left" if not left else f"{units:,}, no losses" if left == units else f"{units:,} → {left:,}"


def verdict(result: Result) -> str:
    """Return the result of a battle in a few words."""
    if result.taken:
        return f"The attacker takes the tile, {quantity(result.attacker_left, 'unit')} left"
    if not result.attacker_left and not result.defender_left:
        city = f", the city stands at size {result.city_left}" if result.city_left else ""
        return f"Both sides are wiped out{city}"
    if not result.attacker_left:
        return f"The attack fails, {quantity(result.defender_left, 'defender')} left"
    return f"The defenders fall, the city shrinks to {result.city_left}"


_CHART_TOP, _CHART = parts.TOP + 40, 200
_LABELS = _CHART_TOP + _CHART + 40
"""The base line of the rounds below the chart."""
_AXIS = 46
_ROW = 50
_TRACKS = 2
"""Players whose points are drawn as lines, the others have figures alone."""
_WON, _TRACK, _COURSE = 70, 96, 500
"""Pixels: the headline's height, that of a player's track, and its width without the name."""


def draw_war(history: History) -> Card:
    """Return the card: the map at the end, who won, the first players' points by round, and what decided it."""
    first, others = history.ranked[:_TRACKS], history.ranked[_TRACKS:]
    card = draw_map(board_of(history.state), bare=True)
    card.alt = history.alt()
    card.name(LEFT, card.height + 40, history.headline, RIGHT - LEFT, HEAD, INK)
    top = card.height + _WON
    for at, number in enumerate(first):
        _track(card, history, number, top + at * _TRACK)
    since, end = history.ahead_since(), top + len(first) * _TRACK
    if since is not None and since > 1:
        x = LEFT + round(since / history.state.round * _COURSE)
        card.box((x - 2, top, x + 2, end), SOFT, 0)
    card.text(LEFT, end + 34, "start", TEXT, SOFT)
    card.text(LEFT + _COURSE, end + 34, f"round {history.state.round}", TEXT, SOFT, align="right")
    rows = end + _AXIS + 8
    for sentence in history.turning_points():
        card.name(LEFT, rows + 30, sentence, RIGHT - LEFT, TEXT, SOFT, bold=False)
        rows += LINE
    card.height = rows + -(-len(others) // 2) * _ROW + 12
    for at, number in enumerate(others):
        ink = NEUTRAL if history.state.is_out(number) else INK
        left, top = LEFT + (RIGHT - LEFT) // 2 * (at % 2), rows + at // 2 * _ROW
        _name(card, left, top, number, history.state.player(number).name, f"{history.scores[number][-1]:,}", ink)
    return card


def _track(card: Card, history: History, number: int, top: int) -> None:
    """Draw a player's points as a line, all players' at the same scale, with the name where it ends."""
    scores = history.scores[number]
    most = max(1, *(max(other) for other in history.scores.values()))
    box = (LEFT, top, LEFT + _COURSE, top + _TRACK - 14)
    _draw_lines(card, box, [(number, scores)], most, 4)
    ink = NEUTRAL if history.state.is_out(number) else INK
    left = LEFT + _COURSE + 16
    card.name(left, top + 36, history.state.player(number).name, RIGHT - left, TEXT, ink)
    card.text(left, top + 78, f"{scores[-1]:,}", TEXT, SOFT)


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]], alt: str) -> Card:
    """Return the card of scores by round, such as the means of many games.

    `scores`: for each round, the score of each name, in the order of the players' colors.
    """
    rows_top = _CHART_TOP + _CHART + _AXIS + 20
    rows = -(-len(names) // 2)
    card = Card(rows_top + rows * _ROW + 14, alt, colors=COLORS)
    parts.headline(card, [("Points after each round", INK)], quantity(len(scores), "round"))
    courses = [(number, [row[number - 1] for row in scores]) for number in range(len(names), 0, -1)]
    most = max(1, *(max(course) for _, course in courses))
    box = (LEFT, _CHART_TOP, RIGHT, _CHART_TOP + _CHART)
    _draw_lines(card, box, courses, most, 6)
    card.text(LEFT, _CHART_TOP - 8, quantity(round(most), "point"), TEXT, SOFT)
    parts.at_edges(card, _LABELS, "round 1", f"round {len(scores)}")
    for at, name in enumerate(names):
        left = LEFT + (RIGHT - LEFT) // 2 * (at // rows)
        top = rows_top + at % rows * _ROW
        _name(card, left, top, at + 1, name, f"{scores[-1][at]:,.0f}", INK)
    return card


def _draw_lines(card: Card, box: Box, courses: Iterable[tuple[int, Sequence[float]]], most: float, foot: int) -> None:
    """Draw each player's scores, (number, scores), the last one on top; `foot`: pixels left free below."""
    width, high = size_of(box)
    layers = [(line(0, high - 1, width, high - 1, thickness=2), TROUGH)]
    for number, scores in courses:
        step = (width - 4) / max(1, len(scores) - 1)
        heights = (4 + (1 - value / most) * (high - 4 - foot) for value in scores)
        points = ((round(2 + at * step, 1), round(height, 1)) for at, height in enumerate(heights))
        layers.append((line(*chain.from_iterable(points), thickness=4), line_color(number)))
    card.add(Drawing(*box[:2], Picture(width, high, GROUND, tuple(layers), fine=2), high))


def _name(card: Card, left: int, top: int, number: int, name: str, figures: str, ink: str) -> None:
    """Write a player's name beside the color of the player's line and land, and figures behind it."""
    card.box((left, top + 12, left + 24, top + 36), line_color(number), 5)
    card.box((left + 3, top + 15, left + 21, top + 33), PLAYERS[number], 3)
    room = (RIGHT - LEFT) // 2 - 34 - 12 - letters.width(figures, TEXT) - 12
    right = left + 34 + card.name(left + 34, top + 36, name, room, TEXT, ink)
    card.text(right + 12, top + 36, figures, TEXT, SOFT)
