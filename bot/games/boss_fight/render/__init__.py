"""Boss fights as players read them: signs, colors and lines that all pages share, bosses, and the records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from bot.answers.document import Action, Document, Page, line_pages
from bot.games.boss_fight.repositories import Board, Figure, Ranking
from bot.ui.text import Picture, plain
from sim.boss_fight.battle.values import State
from sim.boss_fight.hands import Attack, attacking
from sim.boss_fight.tables import LADDER
from sim.boss_fight.values import MAX_WORDS, Boss, Element, Stats, Trait, points, readable
from sim.core.cards.stickers import icon
from sim.core.numbers import quantity

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

_VERBS = {"pierces": "penetration", "resists": "resistance"}


def element_text(element: Element | None) -> str:
    """Return an element with its emoji."""
    return f"{ELEMENTS[element]} {element or 'no element'}"


def flags_text(stats: Stats) -> str:
    """Return what a boss or a trait pierces and resists, "" for nothing."""
    kinds = {
        verb: [kind for kind in ("physical", "magical") if getattr(stats, f"{kind}_{flag}")]
        for verb, flag in _VERBS.items()
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


def attack_text(state: State, attack: Attack) -> str:
    """Return an attack with what it brings: "✨ Spell 4,500, Water"."""
    foe = attacking(state.setup.boss, attack)
    damage = " + ".join(points(kind) for kind in (foe.physical_damage, foe.magical_damage) if kind) or "0"
    return f"{ATTACKS[attack]} {damage}{f', {foe.element}' if foe.element and foe.magical_damage else ''}"


_MOMENTS = {"entry": "As it enters", "half": "At half health", "fall": "As it falls"}
_MEDALS = ("🥇", "🥈", "🥉")


@dataclass(frozen=True, slots=True)
class ListedBoss:
    """A boss in the list; `maker_id` is None for one of the game's own, `portrait` is a PNG, `id` as it is stored."""

    boss: Boss
    maker_id: int | None
    portrait: bytes | None
    id: int | None = None


def portrait_of(boss: Boss, data: bytes | None) -> Picture | None:
    """Return a boss's picture with its alt text."""
    return None if data is None else Picture("boss.png", data, f"{boss.name}, as its maker drew it")


def bosses_document(bosses: Sequence[ListedBoss]) -> Document:
    """Return all bosses in short, then a page for each with its words and its picture; it opens at the only one."""
    forged = sum(listed.maker_id is not None for listed in bosses)
    headline = f"### {BOSS} {quantity(len(bosses), 'boss', 'bosses')}" + (f", {forged} forged here" if forged else "")
    pages = line_pages("All bosses", [boss_text(listed.boss) for listed in bosses], headline)
    own = [
        Page(
            listed.boss.name,
            partial(_boss_page, listed),
            portrait_of(listed.boss, listed.portrait),
            () if listed.id is None else (Action(f"{DELETE}:{listed.id}", "Delete", "🗑️"),),
        )
        for listed in bosses
    ]
    return Document(headline, RED, pages + own, opens=len(pages) if len(own) == 1 else 0)


def _boss_page(listed: ListedBoss) -> str:
    boss, origin = listed.boss, "-# Built in"
    spoken = {when: words for moment, when in _MOMENTS.items() if (words := getattr(boss, moment))}
    if listed.maker_id is not None:
        origin = f"-# Forged by <@{listed.maker_id}>"
    elif boss in LADDER:
        origin = f"-# Rung {LADDER.index(boss) + 1} of {len(LADDER)} of the ladder"
    lines = (f"- {when}: *{plain(words, MAX_WORDS)}*" for when, words in spoken.items())
    return "\n".join([boss_text(boss), *lines, origin])


def top_text(board: Board, scores: Ranking, damages: Ranking) -> str:
    """Return the records against a boss."""
    lines = [f"### 🏆 {BOSS} {plain(board.boss)}{_terms_text(board)}"]
    for title, ranking in (("Best score of an exchange", scores), ("Most damage in a fight", damages)):
        lines.append(f"**{title}**")
        lines += [
            f"{_MEDALS[at] if at < len(_MEDALS) else f'{at + 1}.'} <@{user_id}> {_figure_text(figure)}"
            for at, (user_id, figure) in enumerate(ranking)
        ]
        lines += [] if ranking else ["Nobody yet"]
    return "\n".join(lines)


def _terms_text(board: Board) -> str:
    times = f" × {board.times}" if board.times > 1 else ""
    return f"{times}{'' if board.hands else ', whole decks'}"


def _figure_text(stored: str) -> str:
    return points(Fraction(stored))


def leaders_text(leaders: Sequence[tuple[Board, Mapping[Figure, Ranking]]], more: int) -> str:
    """Return who leads against each boss in what; `more`: the number of bosses left out."""
    lines = ["### 🏆 The best against each boss"]
    for board, best in leaders:
        lines.append(f"{BOSS} **{plain(board.boss)}**{_terms_text(board)}")
        lines += [f"- {by} {_figure_text(figure)}: <@{user_id}>" for by in best for user_id, figure in best[by]]
    if not leaders:
        lines.append("Nobody yet: `/boss start` opens a fight.")
    if more:
        lines.append(f"-# … and {quantity(more, 'boss', 'bosses')} more")
    return "\n".join(lines)
