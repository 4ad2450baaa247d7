"""Panels and pages of Mad Killer Agents: games, battles, maps, games of AIs, and the rules in words."""

from collections.abc import Iterator, Mapping, Sequence

from bot.answers.document import EDIT, Action, Document, Page
from bot.battles.clocks import duration_text
from bot.battles.presenter import PanelContent
from bot.battles.timetable import MINUTE
from bot.ui import Picture, code_block, plain, read_as_line
from sim.core.cards.values import DrawnCard
from sim.core.numbers import percent, quantity
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import Phase, Player, Setup, State
from sim.mad_killer_agents.battle.board import PlayerFigures, board_of
from sim.mad_killer_agents.battle.events import ENDINGS
from sim.mad_killer_agents.cards import verdict
from sim.mad_killer_agents.combat import BattleReport
from sim.mad_killer_agents.map_picture import fitting, map_lines
from sim.mad_killer_agents.requests import MapReport
from sim.mad_killer_agents.simulate import SimulateReport
from sim.mad_killer_agents.terrain import Drawing, MapStatistics, Terrain

POINTS = f"1 for each unit, {c.CITY_SCORE} for each city (+ units spent on growing it)"
"""What counts at the end."""

_AROUND, _ONCE_AROUND = (2 * c.rules_of(edition).city_reach + 1 for edition in (c.RULES_VERSION, 1))
_COSTS = f"TV 1 costs ½ MP, TV 2 to {c.MOUNTAIN - 1} cost 1 MP, mountains (TV {c.MOUNTAIN}) are closed"


def short_rules(setup: Setup) -> list[str]:
    """Return the rules in three lines, for those who have never played."""
    last = "be the last one left"
    win = last if setup.rounds is None else f"have the most points after {quantity(setup.rounds, 'round')}, or {last}"
    return [
        f"🏆 **Win:** {win}. Points: {POINTS}.",
        f"🏠 **Build:** {c.FOUND_UNITS} units become a city. It makes new units every turn, more among high tiles.",
        "⚔️ **Fight:** step onto an enemy. There are no dice: units + TV decide, and the weaker side is wiped out.",
    ]


RULES = (
    f"""### How a war works
Players take turns; in a round, each player has one. Chance decides who plays first. You begin with an army of \
{c.START_UNITS} units; those who play later get up to {c.LATER_UNITS} more.
**Points:** {POINTS}. The most points win when the rounds are over, or after {c.QUIET_ROUNDS} rounds in a row without \
an attack, a new city or a growth. The last one left wins at once.""",
    f"""**Your turn**
First your cities make units and every army gets 1 movement point (MP). Then choose an army, and move it with the \
arrows or let it build. Orders count at once; you can undo them until you end the turn.
- **Move:** entering a tile costs MP by its tile value (TV): {_COSTS}.
- **Split and join:** send all, half or any number. Armies that meet become one, with the lower MP.
- **Forced march:** TV 2 to {c.MOUNTAIN - 1} for ½ MP, but you lose {c.MARCH_LOSS}% of the units for each TV \
above 1.""",
    f"""**Build, paid with units of the army on the tile**
- **Found a city:** {c.FOUND_UNITS} units and 1 MP. The {_AROUND} x {_AROUND} tiles around must have no other city \
({_ONCE_AROUND} x {_ONCE_AROUND} in wars begun by earlier rules).
- Every turn a city makes as many units as its own TV and the TV of its best neighbor tiles together; its size says \
how many neighbors count.
- **Grow a city** by 1: {", ".join(str(c.growth_cost(size)) for size in range(1, 6))} … units, no MP.
- **Lower or raise the tile** by 1: {c.LOWER_UNITS} or {c.RAISE_UNITS} units, and 1 MP.
- **Discover:** {c.FIRST_DISCOVERY} units the first time, {c.LATER_DISCOVERY} more each time, no MP:
{"; ".join(f"**{tech.capitalize()}**: {effect}" for tech, effect in c.EFFECTS.items())}.""",
    f"""**Battle**
Strength = units + TV of their tile, + the size of the city they defend. There are no dice: you see the result before \
you attack.
- The weaker side is wiped out, and so are both if they are equal. The stronger side loses as many units as the enemy \
was strong, less its own TV and city.
- With {c.STOMP_FACTOR} times the enemy's units you lose none.
- When the defenders fall, you take the tile. A city shrinks first, by the difference of strengths (at least 1); you \
enter when it is destroyed. An undefended city raises 1 unit.""",
)
"""The page of rules, in parts."""


PLAYERS = ("", "🟠", "🔵", "🟢", "🟡", "🟣", "🟤", "🩵", "🌑")
"""By a player's number, in the colors of the map."""

COLORS = (0x868E96, 0xFF922B, 0x4DABF7, 0x009E73, 0xF0E442, 0xC850C8, 0x8C1E28, 0x78DCEB, 0x232378)
"""By a player's number, those of the map."""

AIS: Mapping[str, str] = {
    c.AiKind.MARSHAL.value: "Marshal: the strong one",
    c.AiKind.PILLAGER.value: "Pillager: ruins the land around enemy cities",
    c.AiKind.BARBARIAN.value: "Barbarian: no cities, attacks each player once",
    c.AiKind.RANDOM.value: "Random: founds, grows, wanders about",
}
"""The AIs by name and character."""

AI, AWAY, TURN, OUT = "🤖", "💤", "▶️", "💀"
ATTACK, CITY, MARCH = "⚔️", "🏠", "🥾"

ANOTHER = Action("another", "Draw another", "🎲")
AGAIN = Action("again", "Run again", "🎲")

MAX_LINES = 8
"""Lines about what just happened on the panel; the log has all of them."""
MAX_FILM_BYTES = 8 * 1024 * 1024
"""A larger film is only in the files, if Discord accepts it."""

MAX_PAGE = 3900
"""Characters of the map in words: what a message takes, and some to spare."""

_MAX_LINE = 180
_QUIET_WARNING = 30
"""Quiet rounds after which the panel says when they end the game."""
_BAR = 10  # what 28 columns leave
_TAKEN_COLOR, _HELD_COLOR, _MAP_COLOR, _SIMULATE_COLOR = 0x2F9E44, 0xE03131, 0x7A875C, 0x4C6EF5


def units(count: int) -> str:
    """Return "1 unit", "12 units"."""
    return quantity(count, "unit")


def war_content(
    state: State, holders: Mapping[int, int], lines: Sequence[str], picture: Picture | None, *, ended: bool = False
) -> PanelContent:
    """Return the content of a game's panel.

    `holders`: user ids by player number. `lines`: the log of the last events. `ended`: the game was ended early.
    """
    if state.phase is Phase.LOBBY:
        state_lines = list(_lobby(state, holders))
    else:
        state_lines = [*_standings(state, holders, ended=ended)]
        quiet = 0 if state.world is None else state.world.quiet - 1
        if quiet >= _QUIET_WARNING and state.phase is Phase.PLAYING:
            calm = f"No attack, new city or growth for {quantity(quiet, 'round')}"
            state_lines.append(f"-# {calm}; after {c.QUIET_ROUNDS} the most points win.")
        met = dict.fromkeys(player.ai for player in state.players if state.round == 1)
        state_lines += [f"-# {AI} {AIS[ai]}" for ai in met if ai is not None]
        state_lines.append(short_rules(state.setup)[0] if state.round == 1 else f"-# Points: {POINTS}.")
    events = "\n".join(plain(line.strip(), _MAX_LINE) for line in lines[-MAX_LINES:])
    colour = COLORS[(state.winner if state.phase is Phase.OVER else state.turn) or 0]
    return PanelContent(title(state, ended=ended), "\n".join(state_lines), events, colour, picture, seats=None)


def title(state: State, *, ended: bool = False) -> str:
    """Return the end of the headline; `ended`: the game was ended early."""
    if ended and state.phase is Phase.PLAYING:
        return round_label(state)
    if state.phase is Phase.LOBBY:
        return "who plays?"
    if state.phase is Phase.PLAYING:
        player = state.player(state.turn)
        return f"{round_label(state)}, {PLAYERS[player.number]} {plain(player.name)}'s turn"
    after = f"after {quantity(state.round, 'round')}"
    if state.winner is not None:
        player = state.player(state.winner)
        return f"🏆 {PLAYERS[player.number]} {plain(player.name)} wins {after}"
    if state.sharing:
        names = " and ".join(plain(state.player(number).name) for number in state.sharing)
        return f"🤝 {names} share the victory {after}"
    return f"⚰️ nobody is left {after}"


def round_label(state: State) -> str:
    """Return "round 3 of 100", or "round 3" if there is no limit."""
    limit = "" if state.setup.rounds is None else f" of {state.setup.rounds}"
    return f"round {state.round}{limit}"


def controller_text(player: Player, holders: Mapping[int, int]) -> str:
    """Return who plays: a mention that pings nobody, or the AI."""
    if player.ai is not None:
        return AI if player.name.casefold().startswith(player.ai) else f"{AI} {player.ai.capitalize()}"
    person = holders.get(player.number)
    mention = "*free*" if person is None else f"<@{person}>"
    return f"{mention}, {AWAY} {player.deputy.capitalize()}" if player.away else mention


def _lobby(state: State, holders: Mapping[int, int]) -> Iterator[str]:
    setup, drawing = state.setup, state.setup.drawing
    if setup.terrain is not None:
        yield f"🗺️ {setup.terrain.width} x {setup.terrain.height} tiles"
    else:
        without = "" if drawing.omitted is None else f" without TV {drawing.omitted}"
        yield f"🗺️ {drawing.width} x {drawing.height} tiles, {drawing.kind}{without}; the map appears at the start"
    limit = "no round limit" if setup.rounds is None else quantity(setup.rounds, "round")
    clock = "no time limit" if setup.turn_minutes is None else f"{duration_text(setup.turn_minutes * MINUTE)} a turn"
    yield f"⏱️ **{limit}, {clock}**"
    yield from short_rules(setup)
    for player in state.players:
        yield f"{PLAYERS[player.number]} **{plain(player.name)}** {controller_text(player, holders)}"
    if len(state.players) < c.MIN_PLAYERS:
        yield f"-# Needs {c.MIN_PLAYERS} players, people or AIs."


def _standings(state: State, holders: Mapping[int, int], *, ended: bool) -> Iterator[str]:
    board = board_of(state)
    for player in state.in_order:
        if board.sides[player.number].out:
            yield f"{OUT} {plain(player.name)}"
            continue
        figures = board.figures(player.number)
        mark = f"{TURN} " if player.number == state.turn and state.phase is Phase.PLAYING and not ended else ""
        name = f"{mark}{PLAYERS[player.number]} **{plain(player.name)}** {controller_text(player, holders)}"
        cities = f", {CITY} {quantity(figures.cities, 'city', 'cities')} (+{figures.income:,} a turn)"
        strength = armies_text(figures) + (cities if figures.cities else "")
        yield f"{name}: **{quantity(figures.score, 'point')}**, {strength}"


def armies_text(figures: PlayerFigures) -> str:
    """Return "12 units in 2 armies"."""
    return f"{units(figures.units)} in {quantity(figures.armies, 'army', 'armies')}" if figures.armies else "no army"


def map_text(number: int, state: State, player: int) -> str:
    """Return the map in words for a player, 0 for a spectator."""
    board = board_of(state)
    places, tiles = map_lines(board, player)
    head, foot = f"### 🗺️ #{number}, {round_label(state)}", "\n".join(tiles)
    room = MAX_PAGE - len(head) - len(foot)
    return "\n".join([head, *fitting([plain(place) for place in places], room, 1), foot])


def clash_document(report: BattleReport, card: Picture, told: str | None = None) -> Document:
    """Return the page of a battle; `told`: how its text was read, None if it is as plain."""
    lines = [*strength_lines(report), *(split_lines(report) or ["-# Attacking in parts does no better."])]
    headline = f"### {ATTACK} {verdict(report.result)}{read_as_line(told)}"
    color = _TAKEN_COLOR if report.result.taken else _HELD_COLOR
    return Document(headline, color, [Page("The battle", lines, card)], (EDIT,))


def strength_lines(report: BattleReport) -> Iterator[str]:
    """Yield the strength of both sides: units and bonuses."""
    clash, result = report.clash, report.result
    ours, theirs = clash.attack_bonus, clash.defense_bonus
    drill = " + 1 (Drill)" if clash.drill else ""
    attackers = f"{units(clash.attackers)} + {clash.attacker_tile} (tile value){drill}"
    yield f"{ATTACK} {attackers} = strength **{clash.attackers + ours:,}**"
    defenders = clash.defenders + result.drafted
    who = quantity(defenders, "drafted unit" if result.drafted else "unit")
    wall = "city with Masonry" if clash.masonry else "city"
    city = f" + {theirs - clash.defender_tile:,} ({wall})" if clash.city else ""
    yield f"🛡️ {who} + {clash.defender_tile} (tile value){city} = strength **{defenders + theirs:,}**"
    if clash.attackers >= c.STOMP_FACTOR * defenders or defenders >= c.STOMP_FACTOR * clash.attackers:
        yield f"-# {c.STOMP_FACTOR} times as many units: the larger side loses no units."


def outcome_lines(report: BattleReport) -> Iterator[str]:
    """Yield the losses of both sides."""
    clash, result = report.clash, report.result
    losses = {
        ATTACK: (result.attacker_loss, clash.attackers),
        "🛡️": (result.defender_loss, clash.defenders + result.drafted),
    }
    for side, (lost, count) in losses.items():
        yield f"{side} loses {f'**{lost:,}** of {count:,}' if lost else 'nobody'}"
    if clash.city != result.city_left:
        yield f"{CITY} city {clash.city} → {result.city_left or 'destroyed'}"


def split_lines(report: BattleReport) -> list[str]:
    """Return how to split best; nothing if an attack by all at once is as good."""
    if (advice := report.advice) is None:
        return []
    idle = [] if advice.idle is None else [f"-# {advice.idle}"]
    return ["", f"✂️ **Better in parts:** {advice.parts}", advice.outcome, *idle]


def map_document(report: MapReport, drawing: Drawing | None, seed: int | None, name: str | None) -> Document:
    """Return the page of a map.

    `drawing` is None for a map from a file called `name`, `seed` if it no longer gives this map.
    """
    terrain = report.terrain
    heading = f"{terrain.width} x {terrain.height} {drawing.kind}" if drawing is not None else plain(name or "A map")
    head = [f"### 🗺️ {heading}"]
    if drawing is not None and seed is not None:
        without = "" if drawing.omitted is None else f" without:{drawing.omitted}"
        size = f"{terrain.width}x{terrain.height}"
        head.append(f"-# The same again: size:{size} kind:{drawing.kind}{without} seed:{seed}")
    lines = "\n".join(statistics_lines(terrain, report.statistics))
    picture = Picture.of("map.png", report.picture)
    actions = (EDIT, ANOTHER) if drawing is not None else (EDIT,)
    return Document("\n".join(head), _MAP_COLOR, [Page("The map", lambda: lines, picture)], actions)


def statistics_lines(terrain: Terrain, figures: MapStatistics) -> Iterator[str]:
    """Yield the statistics of a map."""
    tiles = terrain.width * terrain.height
    highest = max(figures.counts)
    rows = []
    for value, count in enumerate(figures.counts, start=c.MIN_VALUE):
        bar = "█" * round(_BAR * count / highest)
        rows.append(f"TV {value} {count:>4} {percent(count / tiles):>7} {bar}".rstrip())
    yield code_block("\n".join(rows))
    yield f"The tile value (TV) is {figures.mean:.1f} on average; TV {c.MOUNTAIN} is a mountain, closed to armies."
    share = percent(figures.land / tiles)
    yield f"The largest land is {quantity(figures.land, 'tile')} ({share}), {quantity(figures.longest, 'step')} across."
    if figures.regions > 1:
        yield f"-# Mountains cut the land into {figures.regions:,} pieces."


def map_summary(terrain: Terrain) -> str:
    """Return a one-line summary of a map."""
    counts = [sum(row.count(str(value)) for row in terrain.rows) for value in range(c.MIN_VALUE, c.MOUNTAIN + 1)]
    shares = ", ".join(f"{count} of TV {value}" for value, count in enumerate(counts, start=c.MIN_VALUE) if count)
    return f"{terrain.width} x {terrain.height} tiles: {shares}"


def simulate_document(report: SimulateReport, seed: int, film: DrawnCard | None) -> Document:
    """Return the pages of games of AIs. `film`: of a single game, else None."""
    best = max(report.standings, key=lambda result: (result.wins, result.shared))
    name = report.names[report.standings.index(best)].capitalize()
    headline = f"{name} wins {best.wins:,} of {quantity(report.games, 'game')}"
    if report.games == 1:
        ending = f"{name} wins" if best.wins else "The victory is shared" if best.shared else "Nobody is left"
        headline = f"{ending} after {quantity(round(report.rounds), 'round')}"
    picture = None if report.chart is None else Picture.of("scores.png", report.chart)
    pages = [Page("Results", lambda: _simulate_lines(report, seed), picture)]
    if film is not None and len(film.data) <= MAX_FILM_BYTES:
        pages.append(Page("The war", lambda: f"-# {film.alt}", Picture.of("war.gif", film)))
    return Document(f"### {AI} {headline}", _SIMULATE_COLOR, pages, (EDIT, AGAIN))


def _simulate_lines(report: SimulateReport, seed: int) -> Iterator[str]:
    results = list(zip(report.names, report.standings, strict=True))
    endings = {ENDINGS.get(ending, ending): count for ending, count in report.endings.items()}
    if report.games == 1:
        yield code_block("\n".join(f"{name:<16}{result.mean_score:>8,.0f}" for name, result in results))
        yield f"-# Points. The war ended because {next(iter(endings))}."
    else:
        shared = any(result.shared for result in report.standings)
        rows = [f"{'':<12}{'won':>4}{'tied' if shared else '':>5}{'points':>7}"]
        rows += [
            f"{name:<12}{result.wins:>4}{result.shared if shared else '':>5}{result.mean_score:>7,.0f}"
            for name, result in results
        ]
        yield code_block("\n".join(rows))
        for name, result in results:
            low, high = (f"{100 * end:.0f}%" for end in result.interval)
            yield f"**{name}** wins {percent(result.chance)} of the games (95% sure: {low} to {high})"
        counted = ", ".join(f"{count:,} x {ending}" for ending, count in endings.items())
        yield f"{report.rounds:.1f} rounds on average; {counted}"
    yield f"-# 🎲 Seed {seed}"
