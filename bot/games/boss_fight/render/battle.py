"""The panel of a party's fight."""

from collections.abc import Iterator, Mapping, Sequence

from bot.battles.render import PanelContent
from bot.games.boss_fight.render import (
    AWAY,
    BLUE,
    BOSS,
    DRAW,
    FALLEN,
    GREY,
    NEXT,
    PARTY,
    RED,
    element_text,
    flags_text,
)
from bot.ui.layout import Picture
from bot.ui.text import counted, plain
from sim.boss_fight.battle.log import damage_text
from sim.boss_fight.battle.values import (
    BossMoment,
    Ended,
    Event,
    Exchanged,
    Fell,
    Joined,
    Left,
    Member,
    Moment,
    Paused,
    Returned,
    RoundBegan,
    State,
)
from sim.boss_fight.exact import readable
from sim.boss_fight.values import MAX_WORDS
from sim.core.battle import Seat
from sim.core.values import Ending

_MAX_NAME = 24
"""UTF-16 units of a member's name, so that twelve fit."""

_MOMENTS = {Moment.ENTRY: "enters", Moment.HALF: "has half its health or less", Moment.FALL: "falls"}


def fight_content(
    state: State,
    events: Sequence[Event],
    holders: Mapping[Seat, int],
    picture: Picture | None,
    portrait: Picture | None,
) -> PanelContent:
    """Return the panel's content; `events`: the latest ones, `holders`: user ids by seat."""
    lines = [_boss_text(state), *_member_lines(state, holders)]
    colour = GREY if state.ending is not None and state.winner is None else BLUE if state.winner == "party" else RED
    return PanelContent(
        title=title(state),
        state="\n".join(lines),
        events="\n".join(event_lines(events)),
        colour=colour,
        picture=picture,
        portrait=portrait,
        seats=False,
    )


def title(state: State) -> str:
    """Return the end of the headline: the boss, and the progress or the end of the fight."""
    name = plain(state.setup.boss.name)
    times = f" × {state.setup.times}" if state.setup.times > 1 else ""
    if state.ending is None:
        return f"{name}{times}, {progress(state)}"
    return f"{name}{times}, {_ending_text(state.ending, state.winner, state.round)}"


def progress(state: State) -> str:
    """Return the progress of a fight: its round, "over", or that it waits."""
    if state.ending is not None:
        return "over"
    if state.turn is None:
        return "waiting for somebody to join"
    return f"round {state.round if state.acted else state.round + 1}"


def _ending_text(ending: Ending, winner: str | None, rounds: int) -> str:
    after = f"after {counted(rounds, 'round')}"
    if winner == "party":
        return f"{PARTY} the party wins {after}" + (", with nobody left standing" if ending is Ending.MUTUAL else "")
    return f"{BOSS} the boss wins {after}" if winner else f"{DRAW} a stalemate {after}"


def _boss_text(state: State) -> str:
    boss = state.setup.boss
    flags = flags_text(boss)
    lines = [
        f"{BOSS} **{plain(boss.name)}** {readable(state.boss_left)} of {state.setup.health}",
        f"-# Level {boss.level}, {element_text(boss.element)}, {boss.physical_damage} physical and "
        f"{boss.magical_damage} magical damage" + (f", {flags}" if flags else ""),
    ]
    return "\n".join(lines)


def _member_lines(state: State, holders: Mapping[Seat, int]) -> Iterator[str]:
    turn = state.turn
    for number, member in enumerate(_turn_order(state), start=1):
        sign = NEXT if member is turn else FALLEN if member.fallen else AWAY if member.away else f"{number}."
        who = f" <@{holders[member.seat]}>" if member.seat in holders else ""
        done = f", dealt {readable(member.dealt)}" if member.hits else ""
        yield (
            f"{sign} **{plain(member.name, _MAX_NAME)}**{who} {readable(member.left)} of {member.health}{done}"
            + (", next" if member is turn else ", away" if member.away else "")
        )


def _turn_order(state: State) -> list[Member]:
    """Return the members in the order of their next steps, those without one last."""
    waiting = [member for member in state.members if member.fights and member.seat not in state.acted]
    done = [member for member in state.members if member.fights and member.seat in state.acted]
    return [*waiting, *done, *(member for member in state.members if not member.fights)]


def event_lines(events: Sequence[Event]) -> Iterator[str]:
    """Return the events as lines."""
    for event in events:
        match event:
            case Joined() | Left() | Returned() | Fell():
                yield _membership_line(event)
            case RoundBegan():
                yield f"**Round {event.number}**"
            case Exchanged():
                yield from _exchange_lines(event)
            case BossMoment():
                words = f": *{plain(event.words, MAX_WORDS)}*" if event.words else ""
                yield f"{BOSS} **{plain(event.name)}** {_MOMENTS[event.moment]}{words}"
            case Paused():
                yield f"⏸️ {counted(event.rounds, 'round was', 'rounds were')} fought; it can go on."
            case Ended():
                pass  # it is in the headline


def _membership_line(event: Joined | Left | Returned | Fell) -> str:
    name = f"**{plain(event.name)}**"
    if isinstance(event, Joined):
        return f"🙋 {name} joins with {event.health} health"
    if isinstance(event, Fell):
        return f"{FALLEN} {name} is down"
    return f"{AWAY} {name} leaves" if isinstance(event, Left) else f"🙋 {name} comes back"


def _exchange_lines(event: Exchanged) -> Iterator[str]:
    dealt, taken = (damage_text(damage, mark="**") for damage in (event.to_boss, event.to_player))
    yield f"⚔️ **{plain(event.name)}** deals {dealt}; the boss has {readable(event.boss_left)} left"
    yield f"🩸 and takes {taken}; {readable(event.left)} of {event.health} left"
    if event.score > 0:
        yield f"🏅 Score {readable(event.score)}"
