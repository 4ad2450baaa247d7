"""A war on a map as its panel shows it."""

from collections.abc import Iterator, Mapping, Sequence

from bot.battles.render import PanelContent
from bot.games.mad_killer_agents.render.signs import AI, AWAY, CITY, COLOURS, OUT, TURN, sign
from bot.ui.layout import Picture
from bot.ui.text import counted, plain
from sim.mad_killer_agents.battle.overview import PlayerView, overview
from sim.mad_killer_agents.battle.values import Phase, Player, Setup, State
from sim.mad_killer_agents.constants import LEAST_PLAYERS

MOST_EVENTS = 14
"""Lines of what happened last; the log has all."""

_MOST_LINE = 180


def war_content(
    state: State, holders: Mapping[int, int], lines: Sequence[str], picture: Picture | None, due_at: float | None
) -> PanelContent:
    """Return what the panel shows.

    `holders`: the people by the numbers of their players. `lines`: the log of what happened last, as the rules tell it.
    `due_at`: when the turn's time is up, in Unix seconds, None for never.
    """
    if state.phase is Phase.LOBBY:
        state_lines = list(_lobby(state, holders))
    else:
        state_lines = list(_standings(state, holders))
        if due_at is not None:
            state_lines.append(f"-# ⏰ Time is up <t:{int(due_at)}:R>; then {_deputy(state)} plays.")
    events = "\n".join(plain(line.strip(), _MOST_LINE) for line in lines[-MOST_EVENTS:])
    on_turn = state.winner if state.phase is Phase.OVER else state.turn
    return PanelContent(
        title=title(state),
        state="\n".join(state_lines),
        events=events,
        colour=COLOURS[on_turn or 0],
        picture=picture,
        seats=False,
    )


def title(state: State) -> str:
    """Return the end of the headline."""
    if state.phase is Phase.LOBBY:
        return "who plays?"
    if state.phase is Phase.PLAYING:
        player = state.player(state.turn)
        return f"{round_of(state)}, {sign(player)} {plain(player.name)}"
    after = f"after {counted(state.round, 'round')}"
    if state.winner is not None:
        player = state.player(state.winner)
        return f"🏆 {sign(player)} {plain(player.name)} wins {after}"
    if state.sharing:
        names = " and ".join(plain(state.player(number).name) for number in state.sharing)
        return f"🤝 {names} share the victory {after}"
    return f"⚰️ nobody is left {after}"


def round_of(state: State) -> str:
    """Return "round 3 of 100", or without the end where there is none."""
    limit = "" if state.setup.rounds is None else f" of {state.setup.rounds}"
    return f"round {state.round}{limit}"


def who(player: Player, holders: Mapping[int, int]) -> str:
    """Return who plays: a mention that pings nobody, or the AI."""
    if player.ai is not None:
        return AI if player.name.casefold().startswith(player.ai) else f"{AI} {player.ai}"
    person = holders.get(player.number)
    mention = "*free*" if person is None else f"<@{person}>"
    return f"{mention}, {AWAY} {player.deputy}" if player.away else mention


def setup_lines(setup: Setup) -> Iterator[str]:
    """Tell what is played."""
    drawing = setup.drawing
    if setup.terrain is not None:
        yield f"🗺️ {setup.terrain.width} x {setup.terrain.height} tiles"
    else:
        without = "" if drawing.omitted is None else f" without TV {drawing.omitted}"
        yield f"🗺️ {drawing.width} x {drawing.height} tiles, {drawing.kind}{without}, drawn when it begins"
    limit = "no limit of rounds" if setup.rounds is None else counted(setup.rounds, "round")
    clock = "no hurry" if setup.turn_minutes is None else f"{span(setup.turn_minutes)} a turn"
    yield f"⏱️ {limit}, {clock}"


def span(minutes: int) -> str:
    """Return a time such as "5 minutes" or "1 day"."""
    for unit, length in (("day", 24 * 60), ("hour", 60)):
        if minutes >= length and minutes % length == 0:
            return counted(minutes // length, unit)
    return counted(minutes, "minute")


def _lobby(state: State, holders: Mapping[int, int]) -> Iterator[str]:
    yield from setup_lines(state.setup)
    for player in state.players:
        yield f"{sign(player)} **{plain(player.name)}** {who(player, holders)}"
    missing = LEAST_PLAYERS - len(state.players)
    if missing > 0:
        yield f"-# {counted(missing, 'more player')}, people or AIs, and it can begin."


def _standings(state: State, holders: Mapping[int, int]) -> Iterator[str]:
    for player, view in zip(state.players, overview(state), strict=True):
        if view.out:
            yield f"{OUT} {plain(player.name)}"
            continue
        mark = f"{TURN} " if player.number == state.turn and state.phase is Phase.PLAYING else ""
        name = f"{mark}{sign(player)} **{plain(player.name)}** {who(player, holders)}"
        yield f"{name}: {_might(view)}, {view.score:,} pts"


def _might(view: PlayerView) -> str:
    armies = f"{view.units:,} in {counted(len(view.armies), 'army', 'armies')}"
    return f"{armies}, {CITY} {len(view.cities)} +{view.income:,}" if view.cities else armies


def _deputy(state: State) -> str:
    return f"the {state.player(state.turn).deputy}"
