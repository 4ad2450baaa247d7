"""Duels, dungeons, characters, messages and odds as markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from discord.utils import as_chunks

from bot.answers.document import EDIT_ACTION, Action, Document, Page, numbered
from bot.battles.presenter import PanelContent
from bot.games.duel.repositories import ScoreEntry
from bot.ui import Picture, code_block, list_inline, plain, read_as_line
from sim.core import WIDTH, visible
from sim.core.numbers import ROUNDING, percent, percent_range, quantity, rounded_percent
from sim.core.values import Ending
from sim.duel.battle import GROUP_1, GROUP_2, GROUPS
from sim.duel.battle import State as DuelState
from sim.duel.battle.dungeon_values import Phase
from sim.duel.battle.dungeon_values import State as DungeonState
from sim.duel.cards import PRONOUNS, signed
from sim.duel.critter import MODIFIERS, Critter
from sim.duel.monsters import count_text
from sim.duel.reports import DuelOdds
from sim.duel.tables import MAX_NAMES, Roster, group_name
from sim.duel.words import Message, Words, preview

KEEP = Action("keep", "Use these", "✅")
CHANGE = Action(EDIT_ACTION, "Change", "✏️")
RESET = Action("reset", "Reset all", "↩️")

ICONS = {GROUP_1: "🔵", GROUP_2: "🟠"}
COLOURS: dict[str | None, int] = {GROUP_1: 0x4DABF7, GROUP_2: 0xFF922B, None: 0x868E96}

_ALIVE, _DEAD = "❤️", "💀"
_EXPERIENCE = "✨"
_STALEMATE = "🤝"
_MEDALS = ("🥇", "🥈", "🥉")

_HEADING = re.compile(r"Round [0-9]+!|Room [0-9]+ of [0-9]+", re.ASCII)
_BLANKS = re.compile(r"\n{3,}")
_MAX_LINES = 120  # of a page; a message holds fewer
_MAX_LINE = 700  # a server's longest message with the longest names
_MAX_MESSAGE = 400
_MAX_LISTED = 20
_MAX_PREVIEWS = 4  # of a message, on the page of all
_ROWS_PER_PAGE = 25
_BAR = 14


def _story_page(lines: Sequence[str]) -> str:
    """Return the end of a page as escaped markdown, headings in bold, without consecutive blank lines."""
    last = lines[-_MAX_LINES:]
    shown = (f"\n**{plain(text)}**" if _HEADING.fullmatch(text) else plain(text, _MAX_LINE) for text in last)
    return _BLANKS.sub("\n\n", "\n".join(shown)).strip("\n")


def duel_content(state: DuelState, lines: Sequence[str]) -> PanelContent:
    """Return the content of a duel's panel; `lines`: the last page, none before the first."""
    story = _story_page(lines) if lines else "\n".join(_introduction(state))
    survivors = "\n".join(text for at in range(len(GROUPS)) for text in _group_status(state, at))
    winner = GROUP_1 if state.ending is None else state.winner
    seats = {seat: f"{ICONS[seat]} {plain(state.setup.side_name(seat, MAX_NAMES))}" for seat in GROUPS}
    return PanelContent(title=_duel_title(state), state=survivors, events=story, colour=COLOURS[winner], seats=seats)


def with_card(content: PanelContent, card: Picture | None, *, many: bool = False) -> PanelContent:
    """Return the content with its card, which shows all hit points unless `many` fight; without one the words stay."""
    return content if card is None else replace(content, picture=card, state=content.state if many else "")


def _duel_title(state: DuelState) -> str:
    if state.ending is None:
        return f"round {state.round}" if state.round else "the opening" if state.site else "before the fight"
    after = f"after {quantity(state.round, 'round')}"
    if state.winner is None:
        return f"{_STALEMATE} nobody wins {after}"
    group = state.setup.groups[state.winner]
    if state.setup.sides:
        return f"{ICONS[state.winner]} victory for {plain(state.setup.side_name(state.winner, 0))} {after}"
    win = "wins" if len(group) == 1 else "win"
    return f"{ICONS[state.winner]} {plain(group_name(group, MAX_NAMES))} {win} {after}"


def _group_status(state: DuelState, at: int) -> Iterator[str]:
    critters, numbers, icon = state.setup.critters, state.setup.members[at], ICONS[GROUPS[at]]
    if len(numbers) == 1:
        (number,) = numbers
        yield f"{icon} {_fighter_status(critters[number].name, state.hp[number], critters[number].hp)}"
        return
    alive = [f"{plain(critters[who].name)} {state.hp[who]}" for who in numbers if state.hp[who]]
    fallen = [plain(critters[who].name) for who in numbers if not state.hp[who]]
    yield f"{icon} **{len(alive)} of {len(numbers)} standing**"
    if alive:
        yield f"{_ALIVE} {list_inline(alive)}"
    if fallen:
        yield f"-# {_DEAD} {list_inline(fallen)}"


def _fighter_status(name: str, hp: int, max_hp: int) -> str:
    return f"**{plain(name)}** {_ALIVE} {hp} of {max_hp}" if hp else f"**{plain(name)}** {_DEAD}"


def _introduction(state: DuelState) -> Iterator[str]:
    setup = state.setup
    for seat, group in setup.groups.items():
        if setup.sides:
            yield f"{ICONS[seat]} **{plain(setup.side_name(seat, 0))}**"
        if len(group) == 1:
            yield f"{ICONS[seat]} {critter_line(group[0])}"
    if setup.morale:
        yield "-# 🏃 Morale counts: the faint-hearted may run when the first falls, and when half have fallen."


def dungeon_content(state: DungeonState, lines: Sequence[str], *, is_open: bool) -> PanelContent:
    """Return the content of a dungeon's panel; `lines` as for a duel."""
    status = []
    for hero in state.heroes:
        gained = f" · {_EXPERIENCE} {hero.experience} XP" if hero.experience else ""
        status.append(f"{ICONS[GROUP_1]} {_fighter_status(hero.critter.name, hero.hp, hero.critter.hp)}{gained}")
    if state.foes is not None and state.phase is Phase.FIGHT:
        left = [str(points) for points in state.foes.hp if points]
        status.append(f"{ICONS[GROUP_2]} {count_text(state.foes.met.monster, len(left))} {_ALIVE} {', '.join(left)}")
    where = f"{quantity(state.setup.rooms, 'room')} of level {state.setup.level}"
    hint = f"-# {where}. Anyone can join until you enter. Going in alone? Few come back."
    if state.setup.plan:
        hint = f"-# {where}, the same ones whenever you enter."
    gathers = is_open and state.phase is Phase.GATHERING
    story = _story_page(lines) or (hint if gathers else "")
    title = "who goes in?" if gathers else _dungeon_title(state)
    seats = {seat: plain(hero.critter.name) for seat, hero in state.party.items()}
    return PanelContent(title, "\n".join(status), story, COLOURS[GROUP_1 if state.alive else None], seats=seats)


def _dungeon_title(state: DungeonState) -> str:
    where = f"room {state.room} of {state.setup.rooms}"
    titles = {
        Phase.GATHERING: "before room 1",
        Phase.FIGHT: f"{where}, round {state.round}" if state.round else where,
        Phase.CLEARED: f"{where} won",
    }
    if state.phase in titles:
        return titles[state.phase]
    if state.fled and state.alive:
        return f"🏃 fled from room {state.room}"
    if state.ending is Ending.RETREAT:
        return f"🚪 home after room {state.room}"
    return "🏆 all rooms won" if state.alive else f"{_DEAD} nobody came back from room {state.room}"


def sheet(critter: Critter) -> str:
    """Return a character sheet, at most 28 columns wide."""
    rows = []
    for short, ability in MODIFIERS.items():
        score = "" if critter.abilities is None else f"{getattr(critter.abilities, ability):>3}"
        rows.append(f"{ability.capitalize():<13}{score:>3}  {signed(getattr(critter, short)):>3}")
    figures = {"Armor class": critter.armour_class, "To hit AC 0": critter.to_hit, "Damage": str(critter.damage)}
    figures |= {"Attacks": critter.attacks} if critter.attacks > 1 else {}
    rows += ["", *(visible(f"{what:<13}{figure:>3}") for what, figure in figures.items())]
    return "\n".join([character_line(critter), code_block("\n".join(rows))])


def character_line(critter: Critter) -> str:
    """Return who a character is, in one line of markdown."""
    who = f"**{plain(critter.name)}** · {PRONOUNS[critter.gender]} · {critter.alignment.capitalize()}"
    return f"{who} · {_ALIVE} {critter.hp} HP"


def critter_line(critter: Critter) -> str:
    """Return a critter's statistics for a fight as a line of markdown."""
    modifiers = (("STR", critter.str_mod), ("DEX", critter.dex_mod))
    parts = [f"**{plain(critter.name)}** {critter.hp} HP"]
    parts += [f"{name} {signed(value)}" for name, value in modifiers if value]
    parts.append(f"AC {critter.armour_class}")
    attacks = f" ×{critter.attacks}" if critter.attacks > 1 else ""
    return " · ".join([*parts, f"{critter.damage}{attacks}"])


def roster_summary(roster: Roster) -> str:
    """Summarize a saved roster in a few lines."""
    lines = []
    for side in roster.sides:
        points = sum(critter.hp for critter in side.critters)
        lines.append(f"**{plain(side.name)}** {quantity(len(side.critters), 'fighter')}, {points:,} HP")
        lines.append(list_inline([plain(critter.name) for critter in side.critters]))
    return "\n".join(lines)


def odds_document(
    report: DuelOdds, groups: Sequence[Sequence[Critter]], chart: bytes, actions: Sequence[Action], told: str | None
) -> Document:
    """Return the pages of the odds of two groups; `told`: how they were read, None if they were typed plainly."""
    names = [group_name(group, MAX_NAMES) for group in groups]
    first, second = (rounded_percent(chance, exact=report.method == "exact") for chance, _ in report.sides)
    bars = f"Bars show how many {'hit points' if report.first.hp_left else 'fighters'} each side has left"
    picture = Picture("odds.png", chart, f"Chances: {names[0]} {first}, {names[1]} {second}. {bars}")
    pages = [Page("Chances", lambda: _chances(report, names), picture)]
    rounds = [(str(number), chance) for number, chance in enumerate(report.rounds, start=1)]
    rounds += [("more", report.rounds_beyond)] if report.rounds_beyond > ROUNDING else []
    pages += _table_pages("Rounds", f"-# Ends in round …, {report.mean_rounds:.1f} on average", rounds)
    for name, (_, side) in zip(names, report.sides, strict=True):
        what = "hit points left" if side.hp_left else "survivors"
        left = [(str(count), chance) for count, chance in enumerate(side.hp_left or side.survivors)]
        pages += _table_pages(f"{name}: {what}", f"-# {plain(name)}: {what}", left)
    pages.append(Page("Who fights", lambda: _fighter_lists(groups, (first, second))))
    # Who fights whom: the card says who wins how often.
    head = [" vs ".join(f"{ICONS[seat]} **{plain(name)}**" for seat, name in zip(GROUPS, names, strict=True))]
    if report.p_never > 0:
        head.append(f"{_STALEMATE} It may end in a stalemate: neither side can hit the other")
    how = report.simulation
    head.append("-# Exact odds" if how is None else f"-# 🎲 {how.battles:,} simulated battles (seed {how.seed})")
    headline = "\n".join(head) + read_as_line(told)
    return Document(headline, COLOURS[GROUPS[report.p_win_first < report.p_win_second]], pages, actions)


def _chances(report: DuelOdds, names: Sequence[str]) -> Iterator[str]:
    for seat, name, (_, side) in zip(GROUPS, names, report.sides, strict=True):
        yield f"{ICONS[seat]} **{plain(name)}** {_ALIVE} {side.mean_hp_left:.1f} HP left on average"
    if report.simulation is not None:
        yield "**With 95% confidence**"
        known = report.simulation.intervals
        sides = {"first": ICONS[GROUP_1], "second": ICONS[GROUP_2]}
        yield from (f"{icon} wins {percent_range(known[f'p_win_{side}'])}" for side, icon in sides.items())
        figures = {"mean_rounds": "rounds"}
        figures |= {f"{side}.mean_hp_left": f"HP left of {icon}" for side, icon in sides.items()}
        yield from ("{} {:.2f} to {:.2f}".format(what, *known[key]) for key, what in figures.items())
    if report.p_given_up > 0:
        yield f"-# {percent(report.p_given_up)} of the battles took too long and were stopped."


def _table_pages(title: str, head: str, rows: Sequence[tuple[str, float]]) -> list[Page]:
    """Return the pages of a table of chances with bars, narrow enough for a phone."""
    highest = max((chance for _, chance in rows), default=0) or 1.0
    lines = [f"{name:>4} {percent(chance):>6} {'█' * round(_BAR * chance / highest)}"[:WIDTH] for name, chance in rows]
    tables = [code_block("\n".join(part)) for part in as_chunks(lines, _ROWS_PER_PAGE)]
    return numbered(title, [[head, table] for table in tables])


def _fighter_lists(groups: Sequence[Sequence[Critter]], chances: Sequence[str]) -> Iterator[str]:
    for seat, group, chance in zip(GROUPS, groups, chances, strict=True):
        yield f"{ICONS[seat]} {quantity(len(group), 'fighter')}: {chance} to win"
        yield from (f"- {critter_line(critter)}" for critter in group[:_MAX_LISTED])
        if len(group) > _MAX_LISTED:
            yield f"-# … and {len(group) - _MAX_LISTED:,} more"


def words_document(words: Words, replaced: frozenset[Message], where: str, *, draft: bool) -> Document:
    """Return the messages with previews; `draft`: they aren't in use yet."""
    head = f"### 💬 {'Preview: what duels will say' if draft else 'What duels say'} {where}"
    key = "-# Brenna acts, a goblin is her target, the number is 4"
    pages = [Page("How they sound", lambda: _previews(words, replaced))]
    pages += [Page(f"{message.capitalize()} as written", partial(_templates, words, message)) for message in Message]
    actions = (KEEP, CHANGE) if draft else (CHANGE, *((RESET,) if replaced else ()))
    return Document(f"{head}\n{key}", 0xF08C00 if draft else COLOURS[GROUP_1], pages, actions)


def _previews(words: Words, replaced: frozenset[Message]) -> Iterator[str]:
    for at, message in enumerate(Message):
        if at:
            yield ""
        yield f"**{message.capitalize()}**{' (your own)' if message in replaced else ''}"
        texts = words.variants(message)
        yield from (_preview(message, text) for text in texts[:_MAX_PREVIEWS])
        if len(texts) > _MAX_PREVIEWS:
            yield f"-# and {len(texts) - _MAX_PREVIEWS} more"


def _preview(message: Message, text: str) -> str:
    return f"- {plain(preview(message, text), _MAX_MESSAGE)}"


def _templates(words: Words, message: Message) -> Iterator[str]:
    # Not limited to 28 columns: players copy whole lines from here.
    yield f"**{message.capitalize()}**"
    for text in words.variants(message):
        yield from (_preview(message, text), code_block(visible(text)))


def top_text(scores: Sequence[ScoreEntry], where: str) -> str:
    """Return the list of the best scores."""
    if not scores:
        return f"Nobody has brought experience out of a dungeon {where} yet. `/duel dungeon` starts one."
    lines = [f"### 🏆 The best dungeon heroes {where}"]
    for at, score in enumerate(scores):
        place = _MEDALS[at] if at < len(_MEDALS) else f"{at + 1}\\."
        lines.append(f"{place} **{plain(score.name)}** {_EXPERIENCE} {score.points:,} XP")
        lines.append(f"-# {plain(score.told)} · <@{score.user_id}>")
    return "\n".join(lines)
