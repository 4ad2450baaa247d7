"""Boss fights as players read them: signs, colors and lines that all pages share, bosses, records, and the panel."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeVar

from bot.answers.document import Action, Document, Page, line_pages
from bot.battles.presenter import PanelContent
from bot.games.boss_fight.repositories import Board, Figure, ForgedBoss, Ranking
from bot.store.battle import Battle
from bot.ui import Picture, plain
from sim.boss_fight import battle as v
from sim.boss_fight.battle.rules import damage_text
from sim.boss_fight.hands import Attack, attacking, has_choice
from sim.boss_fight.tables import LADDER
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, Boss, Element, Stats, Trait, points, readable
from sim.core.battle import Seat
from sim.core.cards.stickers import icon
from sim.core.names import name_key, seen_name
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, Paused

BOSS, PARTY, FALLEN, AWAY, NEXT, DRAW = "👹", "🛡️", "💀", "🚪", "▶️", "⚖️"
MINUS = "\N{MINUS SIGN}"
DELETE = "delete"
"""The action of the button that deletes a boss, before its id."""
RED, BLUE, GREY = 0xE8590C, 0x339AF0, 0x868E96

ELEMENTS: Mapping[Element | None, str] = {
    None: "⚪",
    Element.WATER: icon("water", "💧"),
    Element.FIRE: icon("fire", "🔥"),
    Element.AIR: icon("air", "🌪️"),
    Element.LIGHTNING: icon("lightning", "⚡"),
    Element.EARTH: icon("earth", "⛰️"),
}


def element_text(element: Element | None) -> str:
    """Return an element with its emoji."""
    return f"{ELEMENTS[element]} {element or 'no element'}"


def flags_text(stats: Stats) -> str:
    """Return what a boss or a trait pierces and resists, "" for nothing."""
    kinds = {
        verb: [kind for kind in ("physical", "magical") if getattr(stats, f"{kind}_{flag}")]
        for verb, flag in (("pierces", "penetration"), ("resists", "resistance"))
    }
    return ", ".join(f"{icon(verb)}{verb} {' and '.join(found)}" for verb, found in kinds.items() if found)


def damages_text(stats: Stats) -> str:
    """Return the damage of a boss or a trait, "" for none."""
    kinds = {"physical": stats.physical_damage, "magical": stats.magical_damage}
    return ", ".join(f"{readable(damage)} {kind}" for kind, damage in kinds.items() if damage)


def trait_text(trait: Trait) -> str:
    """Return what a trait brings, without what is 0."""
    health = f"{readable(trait.health)} health" if trait.health else ""
    figures = ", ".join(filter(None, (health, damages_text(trait)))) or "nothing"
    flags = flags_text(trait)
    return f"{figures}; {flags}" if flags else figures


def boss_text(boss: Boss) -> str:
    """Return a boss's name and figures, in one line of markdown."""
    return f"{BOSS} **{plain(boss.name)}** {nature_text(boss, health=True)}"


def nature_text(boss: Boss, *, health: bool) -> str:
    """Return what a boss is like; `health`: with its health."""
    damage = damages_text(boss)
    parts = [
        f"level {boss.level}",
        element_text(boss.element),
        f"{readable(boss.health)} health" if health else "",
        f"{damage} damage" if damage else "no damage",
        flags_text(boss),
    ]
    return ", ".join(filter(None, parts))


ATTACKS: Mapping[Attack, str] = {
    Attack.BLADE: f"{icon('blade', '⚔️')} Blade",
    Attack.SPELL: f"{icon('spell', '✨')} Spell",
    Attack.FURY: f"{icon('fury', '💥')} Fury",
}

MAX_NAMES = 250
"""Characters of the names of an exchange's tokens."""


def attack_text(state: v.State, attack: Attack) -> str:
    """Return an attack with what it brings: "✨ Spell 4,500, Water"."""
    foe = attacking(state.setup.boss, attack)
    damage = " + ".join(points(kind) for kind in (foe.physical_damage, foe.magical_damage) if kind) or "0"
    return f"{ATTACKS[attack]} {damage}{f', {foe.element}' if foe.element and foe.magical_damage else ''}"


_MOMENTS = {"entry": "As it enters", "half": "At half health", "fall": "As it falls"}
_MEDALS = ("🥇", "🥈", "🥉")


def portrait_of(boss: Boss, data: bytes | None) -> Picture | None:
    """Return a boss's picture with its alt text."""
    return None if data is None else Picture("boss.png", data, f"{boss.name}, as its maker drew it")


def bosses_document(known: Sequence[Boss], forged: Sequence[ForgedBoss], portrait: bytes | None) -> Document:
    """Return all bosses in short, then a page for each with its words; it opens at the only one.

    `portrait`: a PNG of the only one, if it has one.
    """
    bosses = [*known, *(one.boss for one in forged)]
    here = f", {len(forged)} forged here" if forged else ""
    headline = f"### {BOSS} {quantity(len(bosses), 'boss', 'bosses')}{here}"
    pages = line_pages("All bosses", map(boss_text, bosses), headline)
    own = [Page(boss.name, partial(_boss_page, boss, None)) for boss in known]
    for one in forged:
        delete = Action(f"{DELETE}:{one.id}", "Delete", "🗑️")
        page = partial(_boss_page, one.boss, one.maker_id)
        own.append(Page(one.boss.name, page, portrait_of(one.boss, portrait), (delete,)))
    return Document(headline, RED, pages + own, opens=len(pages) if len(own) == 1 else 0)


def _boss_page(boss: Boss, maker_id: int | None) -> Iterator[str]:
    yield boss_text(boss)
    for moment, when in _MOMENTS.items():
        if words := getattr(boss, moment):
            yield f"- {when}: *{plain(words, MAX_WORDS)}*"
    if maker_id is not None:
        yield f"-# Forged by <@{maker_id}>"
    else:
        rung = f"Rung {LADDER.index(boss) + 1} of {len(LADDER)} of the ladder" if boss in LADDER else "Built in"
        yield f"-# {rung}"


def top_text(board: Board, scores: Ranking, damages: Ranking) -> str:
    """Return the records against a boss."""
    lines = [f"### 🏆 {BOSS} {plain(board.boss)}{_terms_text(board)}"]
    for title, ranking in (("Best score of an exchange", scores), ("Most damage in a fight", damages)):
        lines.append(f"**{title}**")
        lines += [
            f"{_MEDALS[at] if at < len(_MEDALS) else f'{at + 1}.'} <@{user_id}> {points(Fraction(figure))}"
            for at, (user_id, figure) in enumerate(ranking)
        ]
        lines += [] if ranking else ["Nobody yet"]
    return "\n".join(lines)


def _terms_text(board: Board) -> str:
    times = f" × {board.times}" if board.times > 1 else ""
    return f"{times}{'' if board.hands else ', whole decks'}"


def leaders_text(leaders: Sequence[tuple[Board, Mapping[Figure, Ranking]]], more: int) -> str:
    """Return who leads against each boss in what; `more`: the number of bosses left out."""
    lines = ["### 🏆 The best against each boss"]
    for board, best in leaders:
        lines.append(f"{BOSS} **{plain(board.boss)}**{_terms_text(board)}")
        lines += [f"- {by} {points(Fraction(figure))}: <@{user_id}>" for by in best for user_id, figure in best[by]]
    if not leaders:
        lines.append("Nobody yet: `/boss start` opens a fight.")
    if more:
        lines.append(f"-# … and {quantity(more, 'boss', 'bosses')} more")
    return "\n".join(lines)


_MAX_NAME = 24
"""UTF-16 units of a member's name, so that twelve fit."""

_HAPPENS = {"entry": "enters", "half": "is down to half its health", "fall": "falls"}


def fight_content(
    state: v.State, events: Sequence[v.Event], holders: Mapping[Seat, int], picture: Picture | None
) -> PanelContent:
    """Return the panel's content; `events`: the latest ones, `holders`: user ids by seat.

    Figures that the `picture` has stand in the text only where there is no picture.
    """
    lines = "\n".join(_lines(state, holders, figures=picture is None))
    latest = "\n".join(event_lines(events, figures=picture is None))
    colour = GREY if state.ending is not None and state.winner is None else BLUE if state.winner == "party" else RED
    return PanelContent(title(state), lines, latest, colour, picture, seats=None)


def title(state: v.State) -> str:
    """Return the end of the headline: the boss, and the progress or the end of the fight."""
    times = f" × {state.setup.times}" if state.setup.times > 1 else ""
    how, after = progress(state), f"after {quantity(state.round, 'round')}"
    if state.winner == "party":
        nobody = ", and nobody is left standing" if state.ending is Ending.MUTUAL else ""
        how = f"{PARTY} the party wins {after}{nobody}"
    elif state.ending is not None:
        how = f"{BOSS} the boss wins {after}" if state.winner else f"{DRAW} a stalemate {after}"
    return f"{plain(state.setup.boss.name)}{times}, {how}"


def progress(state: v.State) -> str:
    """Return the progress of a fight: its round, "over", or that it waits."""
    if state.ending is not None:
        return "over"
    if state.turn is None:
        return "waiting for players"
    return f"round {state.next_round}"


def _attack_lines(state: v.State) -> Iterator[str]:
    """Yield what the boss attacks with now and next, where that is known and hands are played."""
    if state.setup.edition != v.HANDS or state.ending is not None:
        return
    if not has_choice(state.setup.boss):
        yield f"Always **{attack_text(state, Attack.FURY)}**"
        return
    if state.attacks:
        now, then = attack_text(state, state.attack_on(None)), attack_text(state, state.next_attack)
        yield f"Now **{now}** · Next {then}"
    turn = state.turn
    if isinstance(turn, v.HandMember) and turn.missed:
        met = attack_text(state, Attack.FURY)
        yield f"But {plain(turn.name, _MAX_NAME)} missed a round and meets **{met}** first."


def _lines(state: v.State, holders: Mapping[Seat, int], *, figures: bool) -> Iterator[str]:
    """Return what the boss is like, who is who, whose turn is next; `figures`: and the health, which the card has."""
    who = partial(_who, holders=holders, figures=figures)
    if figures:
        left = "defeated" if state.boss_left <= 0 else f"{points(state.boss_left)} of {points(state.setup.health)}"
        yield f"{BOSS} **{plain(state.setup.boss.name)}** {left}"
    if state.ending is None:
        yield from _attack_lines(state)
        nature = nature_text(state.setup.boss, health=False)
        yield f"-# {nature[:1].upper()}{nature[1:]}"
    turn = state.turn
    if turn is not None:
        yield f"{NEXT} {who(turn)} is next"
    fighting = [member for member in state.members if member.fights and member is not turn]
    fighting.sort(key=lambda member: member.seat in state.acted)  # in the order of their next steps
    if fighting:
        then = "Then " if turn is not None else ""
        yield then + " · ".join(map(who, fighting))
    gone = [member for member in state.members if not member.fights]
    if gone:
        yield " · ".join(
            f"{FALLEN} {who(member)}" if member.fallen else f"{AWAY} {who(member)}, away" for member in gone
        )
    if not state.members and state.ending is None:
        yield "Press **Join** for a ready hand. Three make a good party."


def _who(member: v.Member, *, holders: Mapping[Seat, int], figures: bool) -> str:
    text = f"**{plain(member.name, _MAX_NAME)}**"
    text += f" <@{holders[member.seat]}>" if member.seat in holders else ""
    if not figures:
        return text
    done = f", dealt {points(member.dealt)}" if member.dealt else ""
    return f"{text} ({'down' if member.fallen else f'{points(member.left)} of {points(member.health)}'}{done})"


def event_lines(events: Sequence[v.Event], *, figures: bool) -> Iterator[str]:
    """Return the events as lines, except what comes next and how it ended; `figures`: with the health that is left."""
    for event in events:
        match event:
            case v.Joined():
                yield f"🙋 **{plain(event.name)}** joins with {points(event.health)} health"
            case v.Left():
                yield f"{AWAY} **{plain(event.name)}** leaves"
            case v.Returned():
                yield f"🙋 **{plain(event.name)}** comes back"
            case v.Fell():
                yield f"{FALLEN} **{plain(event.name)}** is down"
            case v.RoundBegan():
                yield f"**Round {event.number}**"
            case v.Exchanged() | v.Struck():
                yield from _exchange_lines(event, figures=figures)
            case v.BossMoment():
                words = f": *{plain(event.words, MAX_WORDS)}*" if event.words else ""
                yield f"{BOSS} **{plain(event.name)}** {_HAPPENS[event.moment]}{words}"
            case Paused():
                yield f"⏸️ {quantity(event.rounds, 'round')} played; the fight goes on."


def _exchange_lines(event: v.Exchanged | v.Struck, *, figures: bool) -> Iterator[str]:
    if isinstance(event, v.Struck):
        if event.absent:
            yield f"⏰ {plain(event.name)} is away; the party strikes for them"
        put_up = plain(", ".join(event.tokens), MAX_NAMES) or "no rested token"
        yield f"-# {put_up[:1].upper()}{put_up[1:]} against {ATTACKS[event.attack]}"
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


def shown_state(battle: Battle, state: v.State) -> v.State:
    """Return a state to show: members whose data were deleted have lost their names, which the journal's seal keeps."""
    forgotten = _forgotten(battle)
    if not forgotten:
        return state
    members = tuple(_shown(member, forgotten) for member in state.members)
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
