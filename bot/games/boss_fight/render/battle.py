"""The panel of a party's fight, and what its members are called."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from bot.battles.presenter import PanelContent
from bot.games.boss_fight import render as r
from bot.store.battle import Battle
from bot.ui.text import Picture, plain
from sim.boss_fight.battle import values as v
from sim.boss_fight.battle.rules import damage_text
from sim.boss_fight.hands import Attack, has_choice
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, points
from sim.core.battle import Seat
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key, seen_name
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, Paused

_MAX_NAME = 24
"""UTF-16 units of a member's name, so that twelve fit."""

_MOMENTS = {v.Moment.ENTRY: "enters", v.Moment.HALF: "is down to half its health", v.Moment.FALL: "falls"}
_LONELY = "Press **Join** for a ready hand. Three make a good party."


def fight_content(
    state: v.State,
    events: Sequence[v.Event],
    holders: Mapping[Seat, int],
    picture: Picture | None,
    portrait: Picture | None,
) -> PanelContent:
    """Return the panel's content; `events`: the latest ones, `holders`: user ids by seat.

    Figures that the `picture` has stand in the text only where there is no picture.
    """
    lines = _figures_lines(state, holders) if picture is None else _lines(state, holders)
    colour = (
        r.GREY if state.ending is not None and state.winner is None else r.BLUE if state.winner == "party" else r.RED
    )
    return PanelContent(
        title=title(state),
        state="\n".join(lines),
        events="\n".join(event_lines(events, figures=picture is None)),
        colour=colour,
        picture=picture,
        portrait=portrait,
        seats=False,
    )


def title(state: v.State) -> str:
    """Return the end of the headline: the boss, and the progress or the end of the fight."""
    name = plain(state.setup.boss.name)
    times = f" × {state.setup.times}" if state.setup.times > 1 else ""
    if state.ending is None:
        return f"{name}{times}, {progress(state)}"
    return f"{name}{times}, {_ending_text(state.ending, state.winner, state.round)}"


def progress(state: v.State) -> str:
    """Return the progress of a fight: its round, "over", or that it waits."""
    if state.ending is not None:
        return "over"
    if state.turn is None:
        return "waiting for players"
    return f"round {state.next_round}"


def _ending_text(ending: Ending, winner: str | None, rounds: int) -> str:
    after = f"after {quantity(rounds, 'round')}"
    if winner == "party":
        return f"{r.PARTY} the party wins {after}" + (
            ", and nobody is left standing" if ending is Ending.MUTUAL else ""
        )
    return f"{r.BOSS} the boss wins {after}" if winner else f"{r.DRAW} a stalemate {after}"


def _figures_lines(state: v.State, holders: Mapping[Seat, int]) -> Iterator[str]:
    """Return the health of the boss and of all members, and what these have dealt."""
    boss, turn = state.setup.boss, state.turn
    left = "defeated" if state.boss_left <= 0 else f"{points(state.boss_left)} of {points(state.setup.health)}"
    yield f"{r.BOSS} **{plain(boss.name)}** {left}"
    yield from _attack_lines(state)
    yield _nature_line(state)
    for number, member in enumerate(_turn_order(state), start=1):
        sign = r.NEXT if member is turn else r.FALLEN if member.fallen else r.AWAY if member.away else f"{number}."
        left = "down" if member.fallen else f"{points(member.left)} of {points(member.health)}"
        done = f", dealt {points(member.dealt)}" if member.dealt else ""
        yield f"{sign} {_who(member, holders)} {left}{done}" + (
            ", next" if member is turn else ", away" if member.away else ""
        )
    if not state.members and state.ending is None:
        yield _LONELY


def _attack_lines(state: v.State) -> Iterator[str]:
    """Yield what the boss attacks with now and next, where that is known and hands are played."""
    if state.setup.edition != v.HANDS or state.ending is not None:
        return
    if not has_choice(state.setup.boss):
        yield f"Always **{r.attack_text(state, Attack.FURY)}**"
        return
    if state.attacks:
        now, then = r.attack_text(state, state.attack_on(None)), r.attack_text(state, state.next_attack)
        yield f"Now **{now}** · Next {then}"
    turn = state.turn
    if isinstance(turn, v.HandMember) and turn.missed:
        met = r.attack_text(state, Attack.FURY)
        yield f"But {plain(turn.name, _MAX_NAME)} missed a round and meets **{met}** first."


def _nature_line(state: v.State) -> str:
    text = r.nature_text(state.setup.boss, health=False)
    return f"-# {text[:1].upper()}{text[1:]}"


def _lines(state: v.State, holders: Mapping[Seat, int]) -> Iterator[str]:
    """Return what the card doesn't have: what the boss is like, who is who, whose turn is next."""
    if state.ending is None:
        yield from _attack_lines(state)
        yield _nature_line(state)
    turn = state.turn
    if turn is not None:
        yield f"{r.NEXT} {_who(turn, holders)} is next"
    fighting = [member for member in _turn_order(state) if member.fights and member is not turn]
    if fighting:
        then = "Then " if turn is not None else ""
        yield then + " · ".join(_who(member, holders) for member in fighting)
    gone = [member for member in state.members if not member.fights]
    if gone:
        yield " · ".join(
            f"{r.FALLEN} {_who(member, holders)}" if member.fallen else f"{r.AWAY} {_who(member, holders)}, away"
            for member in gone
        )
    if not state.members and state.ending is None:
        yield _LONELY


def _who(member: v.Member, holders: Mapping[Seat, int]) -> str:
    mention = f" <@{holders[member.seat]}>" if member.seat in holders else ""
    return f"**{plain(member.name, _MAX_NAME)}**{mention}"


def _turn_order(state: v.State) -> list[v.Member]:
    """Return the members in the order of their next steps, those without one last."""
    waiting = [member for member in state.members if member.fights and member.seat not in state.acted]
    done = [member for member in state.members if member.fights and member.seat in state.acted]
    return [*waiting, *done, *(member for member in state.members if not member.fights)]


def event_lines(events: Sequence[v.Event], *, figures: bool) -> Iterator[str]:
    """Return the events as lines; `figures`: with the health that is left."""
    for event in events:
        match event:
            case v.Joined() | v.Left() | v.Returned() | v.Fell():
                yield _membership_line(event)
            case v.RoundBegan():
                yield f"**Round {event.number}**"
            case v.Foretold():
                pass  # it stands above
            case v.Exchanged() | v.Struck():
                yield from _exchange_lines(event, figures=figures)
            case v.BossMoment():
                words = f": *{plain(event.words, MAX_WORDS)}*" if event.words else ""
                yield f"{r.BOSS} **{plain(event.name)}** {_MOMENTS[event.moment]}{words}"
            case Paused():
                yield f"⏸️ {quantity(event.rounds, 'round')} played; the fight goes on."
            case v.Ended():
                pass  # it is in the headline


def _membership_line(event: v.Joined | v.Left | v.Returned | v.Fell) -> str:
    name = f"**{plain(event.name)}**"
    if isinstance(event, v.Joined):
        return f"🙋 {name} joins with {points(event.health)} health"
    if isinstance(event, v.Fell):
        return f"{r.FALLEN} {name} is down"
    return f"{r.AWAY} {name} leaves" if isinstance(event, v.Left) else f"🙋 {name} comes back"


def _exchange_lines(event: v.Exchanged | v.Struck, *, figures: bool) -> Iterator[str]:
    if isinstance(event, v.Struck):
        if event.absent:
            yield f"⏰ {plain(event.name)} is away; the party strikes for them"
        yield f"-# {plain(', '.join(event.tokens), r.MAX_NAMES) or 'No rested token'} against {r.ATTACKS[event.attack]}"
    dealt, taken = (
        f"{damage_text(damage, mark='**') if damage.total else 'no'} damage"
        for damage in (event.to_boss, event.to_player)
    )
    boss = f"; the boss has {points(event.boss_left)} left" if figures and event.boss_left > 0 else ""
    own = f"; {points(event.left)} of {points(event.health)} left" if figures and event.left > 0 else ""
    yield f"⚔️ **{plain(event.name)}** deals {dealt}{boss}"
    yield f"🩸 and takes {taken}{own}"
    if event.score > 0:
        yield f"🏅 Score {points(event.score)}"


def suggested_name(display_name: str, state: v.State) -> str:
    """Return a name for the form, near somebody's name on Discord; "" if that shows nothing."""
    if not (name := seen_name(display_name, MAX_NAME)):
        return ""
    taken = {name_key(member.name) for member in state.members}
    numbered = (f"{name[: MAX_NAME - 3].strip()} {number}" for number in range(2, len(taken) + 2))
    return next(each for each in (name, *numbered) if name_key(each) not in taken)


def checked_name(typed: str, state: v.State) -> str | None:
    """Return a typed name, None for none; RuleError for one that is taken or not valid."""
    name = " ".join(typed.split())
    if not name:
        return None
    if (wrong := check_name(name, MAX_NAME)) is not None:
        raise RuleError(f"The name {wrong}.")
    if any(name_key(member.name) == name_key(name) for member in state.members):
        raise RuleError(f"A member of this fight is called {name} already.")
    return name


def shown_state(battle: Battle, state: v.State) -> v.State:
    """Return a state to show: members whose data were deleted have lost their names, which the journal's seal keeps."""
    forgotten = _forgotten(battle)
    if not forgotten:
        return state
    members = tuple(
        member.model_copy(update={"name": v.default_name(member.seat)}) if member.seat in forgotten else member
        for member in state.members
    )
    last = None if state.last is None else _shown(state.last, forgotten)
    return state.model_copy(update={"members": members, "last": last})


def shown_events(battle: Battle, events: Iterable[v.Event]) -> tuple[v.Event, ...]:
    """Return events to show, without the names of members whose data were deleted."""
    forgotten = _forgotten(battle)
    return tuple(_shown(event, forgotten) for event in events)


def _forgotten(battle: Battle) -> frozenset[Seat]:
    return frozenset(place.seat for place in battle.places if place.user_id is None)


EventT = TypeVar("EventT", bound=Frozen)


def _shown(event: EventT, forgotten: frozenset[Seat]) -> EventT:
    seat = getattr(event, "seat", None)
    return event.model_copy(update={"name": v.default_name(seat)}) if seat in forgotten else event
