"""Shows campaigns: in words, with buttons, as a picture, and as files with each battle's log and the sides after it.

People have their names and emblems; the picture has a column for each battle, and how both ranks stand.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bot import ui
from bot.campaigns.repository import Campaign, CampaignRepository, CampaignRow
from bot.client import Client
from bot.store.battles import BattleRepository
from bot.store.database import cooperative
from bot.store.people import PeopleRepository
from sim.core.campaign import CampaignRules, CampaignSide, Deed, Veteran
from sim.core.cards.people import MAX_BANNERS, MAX_TOKENS, Banner, Crest, DiaryCard, Fighter, Rank
from sim.core.numbers import quantity
from sim.csv import Cell, write_table
from sim.jobs.campaign import ForcesFiles
from sim.workers.queue import Caller

AnyRules = CampaignRules[Any, Any, Any, Any]

MAX_SHOWN = 12
"""What happened last, on the history page; all of it is in the files."""

_MAX_FIGHTERS = 12
_MAX_FALLEN = 6
_MAX_TEXT = 300
_MOST_TEXT = 700
"""UTF-16 units that the texts around the history take at most, beside the fighters."""


def now_text(rules: AnyRules, veterans: Sequence[Veteran]) -> str:
    """Return how the fighters stand, side by side, as markdown."""
    lines = []
    for side in rules.sides:
        own = [one for one in veterans if one.side == side.name]
        standing = sorted((one for one in own if not one.fallen), key=lambda one: -one.experience)
        fallen = [one for one in own if one.fallen]
        there = ui.list_inline(standing, _MAX_FIGHTERS, markdown=lambda one: veteran_text(one, rules.unit))
        gone = f"💀 {ui.list_inline(fallen, _MAX_FALLEN, markdown=lambda one: ui.plain(one.name))}" if fallen else ""
        if own:
            lines.append(f"**{side.title}** · " + "\n".join(filter(None, (there, gone))))
    return "\n".join(lines)


def veteran_text(one: Veteran, unit: str) -> str:
    """Return how a fighter stands: "Tom 3/5 HP, level 2"."""
    left = f"{max(0, one.left):,}/{one.most:,}{f' {unit}' if unit else ''}"
    level = f", level {one.level}" if one.level else ""
    xp = f", {one.experience:,} XP" if one.experience else ""
    return f"{ui.plain(one.name)} {left}{level}{xp}"


def history_text(campaign: Campaign, harm: str, rows: Sequence[CampaignRow], room: int) -> str:
    """Return what happened, the newest last, as far as `room` (UTF-16 units) and `MAX_SHOWN` allow."""
    lines: list[str] = []
    number = 0
    down: Mapping[tuple[str, str], Veteran] = {}
    for row in rows:
        if not row.is_battle:
            lines.append(f"🩹 {ui.plain_sentence(row.text, _MAX_TEXT)}")
        else:
            number += 1
            how = "goes on" if row.is_open else ui.plain_sentence(row.text, _MAX_TEXT)
            parts = []
            if not row.is_open:
                if fell := [key[1] for key in row.fallen if key not in down]:
                    parts.append(f"💀 {ui.list_inline(fell, _MAX_FALLEN, markdown=ui.plain)}")
                if (best := row.best) is not None:
                    done = f"{best.damage:,} {harm}" if harm == "damage" else quantity(best.damage, harm)
                    deeds = [quantity(best.kills, "kill")] * bool(best.kills) + [done] * bool(best.damage)
                    parts.append(f"⭐ {ui.plain(best.name)}: {', '.join(deeds)}")
            more = f"\n-# {' · '.join(parts)}" if parts else ""
            link = ui.numbered_link(row.number, campaign.guild_id, row.channel_id, row.panel_id)
            lines.append(f"**{number}.** {link} {how}{more}")
        down = row.fallen
    shown = ui.fitting(lines[-MAX_SHOWN:][::-1], room + 1)[::-1]  # the last line has no end
    left_out = len(lines) - len(shown)
    before = [f"-# {quantity(left_out, 'entry', 'entries')} before that: press Files"] if left_out else []
    return "\n".join([*before, *shown])


def campaign_parts(campaign: Campaign, title: str, rules: AnyRules, rows: Sequence[CampaignRow]) -> list[str]:
    """Return the history page as markdown, part by part; the last one says what can be done next."""
    ended = [] if campaign.is_open else [f"ended <t:{campaign.ended_at}:d>"]
    game = [] if campaign.name.startswith(title) else [title]
    head = " · ".join([f"🚩 **{ui.plain(campaign.name)}**", *game, f"founded by <@{campaign.founder_id}>", *ended])
    over = [row for row in rows if not row.is_open]  # what enters a battle may be hidden, as in the fog
    now = ""
    if over:
        sums = f"\n{ui.plain_sentence(over[-1].forces.summary, _MAX_TEXT)}" if over[-1].forces.summary else ""
        now = ui.shorten(now_text(rules, over[-1].forces.veterans), ui.LAYOUT_TEXT // 2) + sums
    room = ui.LAYOUT_TEXT - ui.utf16_length(head) - ui.utf16_length(now) - _MOST_TEXT
    history = history_text(campaign, rules.harm, rows, room) if rows else "No battle yet."
    hint = "-# `/campaign next` can bring another side, such as new foes, into the next battle."
    if not rows:
        options = zip(("own", "foe"), rules.sides, strict=True)
        needed = " and ".join(f"`{name}` ({side.title})" for name, side in options if side.kind or side.typed)
        hint = f"-# `/campaign next` opens the first battle: give {needed}."
    elif rows[-1].is_open:
        hint = "-# What is left at the end of this battle enters the next one, even when it is closed early."
    return [*filter(None, (head, now, history)), *([hint] if campaign.is_open else [])]


GOES_ON, FILES, END = ("next", "rest", "heal"), "files", "end"
_BUTTONS = {
    "next": ("Next battle", "⚔️"),
    "rest": ("Rest", "🏕️"),
    "heal": ("Heal", "🩹"),
    FILES: ("Files", "📄"),
    END: ("End it", "🏁"),
}


def campaign_buttons(campaign: Campaign, wanted: Sequence[str] = GOES_ON) -> list[ui.Button]:
    """Build buttons of a campaign, all but the files for who leads it; by default those of one that goes on."""
    return [
        ui.id_button(f"c1:{campaign.id}:{what}", label, emoji)
        for what, (label, emoji) in _BUTTONS.items()
        if what in wanted
    ]


def list_text(campaigns: Sequence[Campaign], titles: dict[str, str]) -> str:
    """Return a server's campaigns as markdown."""
    lines = ["### 🚩 Campaigns"]
    for one in campaigns:
        over = "" if one.is_open else ", ended"
        title = titles.get(one.system, one.system)
        lines.append(f"- **{ui.plain(one.name)}** · {title}, {quantity(one.battles, 'battle')}{over}")
    return ui.shorten("\n".join(lines), ui.LAYOUT_TEXT - _MOST_TEXT)


_COLUMNS = (
    *("Entry", "Battle", "What", "Side", "Name", "Left", "Most", "Experience", "Level"),
    *("Kills", "Damage", "Lost", "Worth", "Learned"),
)


async def campaign_files(
    bot: Client, campaign: Campaign, rows: Sequence[CampaignRow], caller: Caller
) -> dict[str, bytes]:
    """Return all files by their paths."""
    rows = [row for row in rows if not row.is_open]  # what enters a battle may be hidden
    files: dict[str, bytes] = {"history.csv": history_csv(rows)}
    jobs = {}
    for number, row in enumerate((row for row in rows if row.is_battle), start=1):
        steps = () if row.battle_id is None else await bot.services[BattleRepository].latest_steps(row.battle_id)
        events = tuple([step.events_json async for step in cooperative(steps)]) or None
        jobs[f"{number:03}"] = ForcesFiles(
            system=campaign.system, forces_json=row.forces.forces_json, seed=row.seed, events=events
        )
    if rows:
        jobs["now"] = ForcesFiles(system=campaign.system, forces_json=rows[-1].forces.forces_json)
    for folder, job in jobs.items():
        files |= {f"{folder}/{name}": data for name, data in (await bot.simulator.once(job, caller)).items()}
    return files


def history_csv(rows: Sequence[CampaignRow]) -> bytes:
    """Return a row for each fighter after each battle and each adjustment."""
    lines = []
    battle = 0
    for row in rows:
        battle += row.is_battle
        deeds = {(deed.side, deed.name): deed for deed in row.deeds}
        for one in row.forces.veterans:
            deed = deeds.get((one.side, one.name))
            done: tuple[Cell, ...] = ("",) * 5
            if deed is not None:
                done = (deed.kills, deed.damage, deed.lost, deed.worth, deed.experience)
            stands = (one.side, one.name, one.left, one.most, one.experience, one.level)
            lines.append((row.n, battle if row.is_battle else "", row.text, *stands, *done))
    return write_table(_COLUMNS, lines)


Key = tuple[str, str]
"""A fighter's side and name."""

OneT = TypeVar("OneT", Veteran, Deed)


@dataclass(frozen=True, slots=True)
class Cast:
    """What happened, told with people's names; the emblems of the fighters, and of who won each battle, by its row."""

    rows: Sequence[CampaignRow]
    emblems: Mapping[Key, str]
    winners: Mapping[int, str]


async def cast_of(bot: Client, campaign: Campaign, rules: AnyRules, rows: Sequence[CampaignRow]) -> Cast:
    """Return the rows with the names of those who had the fighters' seats, as far as they are still known."""
    holders = await bot.services[CampaignRepository].holders(campaign.id)
    chosen = await bot.services[PeopleRepository].chosen({*holders.values()})
    emblem_of = {user_id: (chosen.get(user_id) or Crest.of(user_id)).emblem for user_id in holders.values()}
    seats = {(one.side, one.name): rules.seat_of(one) for row in rows for one in row.forces.veterans}
    asked = [user_id for (_, seat), user_id in holders.items() if seat in seats.values()]
    names = await bot.services[ui.PeopleNames].of(campaign.guild_id, asked)
    emblems: dict[Key, str] = {}
    battle_id: int | None = None
    told = []
    for row in rows:
        battle_id = row.battle_id or battle_id  # after a rest, they are those of the battle before
        called: dict[Key, str] = {}
        sides: dict[str, str] = {}
        for one in row.forces.veterans:
            if (seat := seats[one.side, one.name]) is not None:
                number, user_id = seat.rpartition("-")[2], holders.get((battle_id or 0, seat))
                name = names.get(user_id or 0, f"Player {number}")
                name = f"{name} ({number})" if name in called.values() else name  # two people may have the same one
                called[one.side, one.name], sides[seat] = name, one.side
                if user_id is not None:
                    emblems[one.side, name] = emblem_of[user_id]
        veterans, deeds = _named(row.forces.veterans, called), _named(row.deeds, called)
        forces, winner = row.forces.model_copy(update={"veterans": veterans}), sides.get(row.winner or "", row.winner)
        told.append(replace(row, forces=forces, deeds=deeds, winner=winner))
    won = {row.n: holders.get((row.battle_id or 0, row.winner or "")) for row in rows}
    return Cast(told, emblems, {n: emblem_of[user_id] for n, user_id in won.items() if user_id is not None})


def _named(some: Sequence[OneT], called: Mapping[Key, str]) -> tuple[OneT, ...]:
    return tuple(one.model_copy(update={"name": called.get((one.side, one.name), one.name)}) for one in some)


def campaign_card(campaign: Campaign, rules: AnyRules, cast: Cast) -> DiaryCard | None:
    """Return what the picture shows; None before the first battle is over."""
    rows = [row for row in cast.rows if not row.is_open]  # what enters a battle may be hidden
    over = [*enumerate((row for row in rows if row.is_battle), start=1)]
    if not over:
        return None
    done: Counter[Key] = Counter()
    latest: dict[Key, Veteran] = {}
    for row in rows:
        gone = {key: one for key, one in latest.items() if one.fallen}  # the living who left are elsewhere
        latest = gone | {(one.side, one.name): one for one in row.forces.veterans}
        for deed in row.deeds:
            done[deed.side, deed.name] += deed.damage + deed.kills
    number, last = over[-1]
    most = MAX_TOKENS if len({side for side, _ in latest}) > 1 else 2 * MAX_TOKENS
    return DiaryCard(
        title=campaign.name,
        aside=f"after battle {number}",
        banners=tuple(_banner(at, row, rules, cast) for at, row in over[-MAX_BANNERS:]),
        ranks=tuple(rank for side in rules.sides if (rank := _rank(side, latest, done, cast, most)).tokens)[:2],
        caption=_caption(rules, last, {} if last is rows[0] else rows[rows.index(last) - 1].fallen),
    )


def _banner(number: int, row: CampaignRow, rules: AnyRules, cast: Cast) -> Banner:
    side = next((side for side in rules.sides if side.name == row.winner), None)
    if side is None:
        return Banner(label=str(number))
    return Banner(label=str(number), winner=side.title, color=side.color, emblem=cast.winners.get(row.n))


def _rank(side: CampaignSide, latest: Mapping[Key, Veteran], done: Mapping[Key, int], cast: Cast, most: int) -> Rank:
    """Return a side's tokens, `most` of them or one more: the living first, then who did the most."""
    keys = [key for key in latest if key[0] == side.name]
    most += len(keys) == most + 1  # "and 1 more" would take its place
    keys.sort(key=lambda key: (latest[key].fallen, -done.get(key, 0)))
    tokens = [
        Fighter(
            name=key[1],
            instead=f"{side.title} {number}",
            left=min(1.0, max(0.0, one.left / one.most)),
            level=one.level,
            emblem=cast.emblems.get(key),
        )
        for number, key in enumerate(keys[:most], start=1)
        for one in [latest[key]]
    ]
    return Rank(title=side.title, color=side.color, tokens=tuple(tokens), more=len(keys) - len(tokens))


def _caption(rules: AnyRules, last: CampaignRow, down: Mapping[Key, Veteran]) -> str:
    """Return a sentence about the last battle: whom the sides lost, else who did the most; `down`: who was before."""
    losses = []
    for side in rules.sides:
        if names := [name for of, name in last.fallen if of == side.name and (of, name) not in down]:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            gone = more and all(one.fallen for one in last.forces.veterans if one.side == side.name)
            losses.append((side.name == last.winner, f"{side.title} lost {'everyone' if gone else names[0] + more}."))
    if losses:
        return "Nobody came back." if all(one.fallen for one in last.forces.veterans) else min(losses)[1]
    best = last.best
    return "Everyone came back." if best is None else f"{best.name[:1].upper()}{best.name[1:]} did the most."
