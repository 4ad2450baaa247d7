"""A duel, or a dungeon, that lives in a channel, as its panel shows it: one page of the tale at a time."""

import re
from collections.abc import Iterator, Sequence

from bot.battles.render import PanelContent
from bot.games.duel.render.sheet import line
from bot.games.duel.render.signs import ALIVE, COLOURS, DEAD, EXPERIENCE, ICONS, MOST_TALE, STALEMATE
from bot.ui.text import counted, listed, plain
from sim.core.battle import Seat
from sim.core.outcomes import Ending
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.battle import State as DuelState
from sim.duel.dungeon import Hero, Phase
from sim.duel.dungeon import State as DungeonState
from sim.duel.monsters import counted as of_them

MOST_LINES = 120
"""Lines of a page that are made ready; a message holds fewer."""

_GROUPS = (GROUP_1, GROUP_2)
_HEADING = re.compile(r"Round [0-9]+!|Room [0-9]+ of [0-9]+", re.ASCII)


def page(lines: Sequence[str]) -> str:
    """Return the end of a page of the tale as markdown, every name and sentence as it was written.

    Blank lines never come in a row; the headings of rounds and rooms stand out.
    """
    page_lines: list[str] = []
    for text in lines[-MOST_LINES:]:
        if _HEADING.fullmatch(text):
            page_lines += [*([""] if page_lines and page_lines[-1] else []), f"**{plain(text)}**"]
        elif text or (page_lines and page_lines[-1]):
            page_lines.append(plain(text, MOST_TALE))
    return "\n".join(page_lines).strip("\n")


def duel_content(state: DuelState, lines: Sequence[str]) -> PanelContent:
    """Return what the panel of a duel shows; `lines`: the page that was turned last, none before the first."""
    story = page(lines) if lines else "\n".join(_introduction(state))
    survivors = "\n".join(text for seat in _GROUPS for text in _group(state, seat))
    return PanelContent(title=_title(state), state=survivors, events=story, colour=COLOURS[_leading(state)])


def _title(state: DuelState) -> str:
    if state.ending is None:
        return f"round {state.round}" if state.round else "the opening" if state.site else "before the fight"
    after = f"after {counted(state.round, 'round')}"
    if state.winner is None:
        return f"{STALEMATE} nobody wins {after}"
    return f"{ICONS[state.winner]} {_called(state, state.winner)} {_wins(state, state.winner)} {after}"


def _wins(state: DuelState, seat: Seat) -> str:
    return "wins" if len(_members(state, seat)) == 1 else "win"


def _called(state: DuelState, seat: Seat) -> str:
    numbers = _members(state, seat)
    if len(numbers) == 1:
        return plain(state.setup.critters[numbers[0]].name)
    return f"the {'blue' if seat == GROUP_1 else 'orange'} ones"


def _members(state: DuelState, seat: Seat) -> range:
    size = len(state.setup.group1)
    return range(size) if seat == GROUP_1 else range(size, len(state.setup.critters))


def _leading(state: DuelState) -> Seat | None:
    return state.winner if state.ending is not None else GROUP_1


def _group(state: DuelState, seat: Seat) -> Iterator[str]:
    critters, numbers = state.setup.critters, _members(state, seat)
    if len(numbers) == 1:
        (number,) = numbers
        yield f"{ICONS[seat]} {_fighter(critters[number].name, state.hp[number], critters[number].hp)}"
        return
    alive = [f"{plain(critters[who].name)} {state.hp[who]}" for who in numbers if state.hp[who]]
    fallen = [plain(critters[who].name) for who in numbers if not state.hp[who]]
    yield f"{ICONS[seat]} **{len(alive)} of {len(numbers)} stand**"
    if alive:
        yield f"{ALIVE} {listed(alive)}"
    if fallen:
        yield f"-# {DEAD} {listed(fallen)}"


def _fighter(name: str, points: int, most: int) -> str:
    return f"**{plain(name)}** {ALIVE} {points} of {most}" if points else f"**{plain(name)}** {DEAD}"


def _introduction(state: DuelState) -> Iterator[str]:
    for seat in _GROUPS:
        numbers = _members(state, seat)
        if len(numbers) == 1:
            yield f"{ICONS[seat]} {line(state.setup.critters[numbers[0]])}"


def dungeon_content(state: DungeonState, lines: Sequence[str]) -> PanelContent:
    """Return what the panel of a dungeon shows; `lines` as for a duel."""
    survivors = "\n".join([*map(_hero, state.heroes), *_foes(state)])
    hint = f"-# {counted(state.setup.rooms, 'room')} of level {state.setup.level}. Others can join until it begins."
    story = page(lines) or (hint if state.phase is Phase.GATHERING else "")
    return PanelContent(
        title=_dungeon_title(state), state=survivors, events=story, colour=COLOURS[GROUP_1 if state.alive else None]
    )


def _hero(hero: Hero) -> str:
    gained = f" · {EXPERIENCE} {hero.experience} XP" if hero.experience else ""
    return f"{ICONS[GROUP_1]} {_fighter(hero.critter.name, hero.hp, hero.critter.hp)}{gained}"


def _foes(state: DungeonState) -> Iterator[str]:
    if state.foes is None or state.phase is not Phase.FIGHT:
        return
    left = [str(points) for points in state.foes.hp if points]
    yield f"{ICONS[GROUP_2]} {of_them(state.foes.met.monster, len(left))} {ALIVE} {', '.join(left)}"


def _dungeon_title(state: DungeonState) -> str:
    where = f"room {state.room} of {state.setup.rooms}"
    match state.phase:
        case Phase.GATHERING:
            return "who goes in?"
        case Phase.FIGHT:
            return f"{where}, round {state.round}" if state.round else where
        case Phase.CLEARED:
            return f"{where} is won"
        case Phase.OVER:
            return _ended(state)


def _ended(state: DungeonState) -> str:
    if state.ending is Ending.RETREAT:
        return f"🚪 home after room {state.room}"
    if state.alive:
        return "🏆 every room is won"
    return f"{DEAD} nobody came back from room {state.room}"
