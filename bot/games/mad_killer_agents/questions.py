"""Questions of Mad Killer Agents, `/mka map`, `battle` and `simulate`: their options, forms and answers."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import discord
from discord import app_commands
from pydantic import Field

from bot.answers import UPLOADED, Answer, Changes, PagedQuery, json_of, reseeded
from bot.client import Client, Interaction
from bot.games.mad_killer_agents import render as r
from bot.rosters import RosterKind, roster_content, saved_roster
from bot.store.queries import UploadRepository
from bot.ui import drawn, shorten
from bot.ui import options as o
from bot.ui.interactions import defer
from sim.core import RuleError
from sim.core.cards.values import DrawnCard
from sim.core.names import nearest
from sim.mad_killer_agents import combat
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import RulesVersion
from sim.mad_killer_agents.cards import ClashCard
from sim.mad_killer_agents.requests import BattleRequest, FilmRequest, MapRequest, ReadMapRequest, map_csv
from sim.mad_killer_agents.simulate import MAX_GAMES, SimulateReport, SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import Caller

KIND = RosterKind(
    name="mka",
    title="Mad Killer Agents map",
    extension="csv",
    check=lambda content: ReadMapRequest(data=content),
    summarize=r.map_summary,
)

MAX_SECONDS = 1200.0
"""Limit on the estimated seconds of all games of AIs together; the estimate is far above the real time."""

SIZES = ("10x10", "12x12", "16x16", "20x20", "24x16", "30x30", "40x40")
"""Sizes suggested while a player types."""

MAX_SIZE_TEXT, MAX_AIS_TEXT = 10, 120
"""Characters of the options for a size and for AIs."""

_PIECES = re.compile(r"[\s,;+&]+|\bvs\b\.?|\band\b")
_TIMES = re.compile(r"(?P<count>[1-9])x?|x(?P<after>[1-9])", re.ASCII)
_CHOICE = f"Choose from {', '.join(c.AiKind)}."


@partial(o.CompletedBy, MAX_SIZE_TEXT)
async def _usual_sizes(_interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    return o.text_choices(size for size in SIZES if size.startswith(typed.strip()))


MAP_SIZE = o.Option("Columns x rows of the map, 8 to 40 each, such as 20x16", _usual_sizes)

_KINDS = {kind.value: kind.capitalize() for kind in c.MapKind}

Size = Annotated[str, MAP_SIZE, o.Entry("Columns x rows", MAX_SIZE_TEXT)]
KindName = Annotated[
    str, o.Option("How the map is drawn (default mountains)", choices=_KINDS), o.Entry("Kind of map", choices=_KINDS)
]
Without = Annotated[
    int | None,
    Field(ge=0, le=9),
    o.Option(
        "The tile value that plateaus leave out (default: drawn)",
        app_commands.Range[int, c.MIN_VALUE + 1, c.MAX_VALUE - 1],
        rank=1,
    ),
    o.Entry("Plateaus without TV", hint="empty: drawn"),
]
MapFile = Annotated[
    discord.Attachment | None,
    o.Option("A map as a CSV file: a line for each row, a tile value from 1 to 6 in each cell", rank=1),
    o.Transient,
]
SavedMap = Annotated[
    str | None,
    o.Option("Or the name of a saved map, or a published sheet's link", saved_roster(KIND.name), rank=1),
    o.Transient,
]


class RulesQuery(PagedQuery):
    """Base of questions with the `edition` of the rules that answer them; the oldest queries have none."""

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question by today's rules."""
        return await super().read(interaction, {"edition": c.RULES_VERSION, **given})

    def filled(self, values: o.Typed) -> Self:
        """Return the query with the form's values, by today's rules."""
        return super().filled(values).model_copy(update={"edition": c.RULES_VERSION})


class MapQuery(RulesQuery):
    """Options of `/mka map`. `sha256` and `name`: of an uploaded map to show instead of drawing one."""

    stored_as = "mka-map"
    checks_slowly = True
    changes: ClassVar[Changes] = {
        r.ANOTHER.action: lambda query: query.model_copy(update={"seed": o.new_seed(), "edition": c.RULES_VERSION})
    }

    size: Size = "20x20"
    kind: KindName = c.MapKind.MOUNTAINS.value
    without: Without = None
    seed: Annotated[o.Seed, o.seed_option("Decides the map: the same seed gives the same map"), o.Entry("Seed")] = 0
    edition: RulesVersion = 1
    sha256: Annotated[str | None, UPLOADED] = None
    name: str | None = None
    file: MapFile = None
    saved: SavedMap = None

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question, with the file kept if there is one."""
        await defer(interaction, private=given.get("private", False))
        file, saved = given.pop("file", None), given.pop("saved", None)
        if file is not None or saved is not None:
            upload = await roster_content(interaction, KIND.name, file, saved, "file")
            sha256 = interaction.client.services[UploadRepository].keep(upload.data)
            given |= {"sha256": sha256, "name": upload.name}
        return await super().read(interaction, given)

    @property
    def drawing(self) -> Drawing:
        """How to draw the map; RuleError if an option is wrong."""
        return Drawing.read(self.size, self.kind, self.without)

    def filled(self, values: o.Typed) -> Self:
        """Return the query with the form's values; a drawn map replaces a file."""
        return super().filled(values).model_copy(update={"sha256": None})

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the map's page; as files the map as CSV, its picture and its statistics."""
        drawing = data = None
        if self.sha256 is None:
            drawing = self.drawing
            request = MapRequest(drawing=drawing, seed=self.seed, rules_version=self.edition)
        else:
            data = await bot.services[UploadRepository].read(self.sha256)
            request = MapRequest(terrain=await bot.simulator.run(ReadMapRequest(data=data), caller))
        report = await bot.simulator.run(request, caller)
        seed = self.seed if self.edition == c.RULES_VERSION else None
        return Answer(
            r.map_document(report, drawing, seed, self.name),
            lambda: {
                "map.csv": map_csv(report.terrain),
                "map.png": report.picture.data,
                "map.json": json_of(report.statistics),
            },
        )


@partial(o.CompletedBy, combat.MAX_BATTLE_TEXT)
async def _recent_battles(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    return o.text_choices(await o.recent_texts(interaction, typed, "mka-battle"))


class ClashQuery(RulesQuery):
    """Options of `/mka battle`; by the rules before the third edition anybody can be on a mountain."""

    stored_as = "mka-battle"

    battle: Annotated[
        str,
        o.Option("Attacker vs defender, units@tile value, such as: 5@3 vs 2@1", _recent_battles),
        o.Entry("The battle", combat.MAX_BATTLE_TEXT, hint=f"as in: {combat.BATTLE_EXAMPLE}"),
    ]
    edition: RulesVersion = 1
    city: Annotated[
        int | None,
        o.Option("Size of the defender's city, if there is one", app_commands.Range[int, 0, combat.MAX_CITY]),
        o.Transient,
    ] = None
    drill: Annotated[bool, o.Option("The attacker knows Drill"), o.Transient] = False
    masonry: Annotated[bool, o.Option("The defender knows Masonry"), o.Transient] = False
    mountaineering: Annotated[
        bool, o.Option("Armies on a mountain (TV 6), or going there, know Mountaineering"), o.Transient
    ] = False

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question with its options in the text, where the form has them."""
        typed = await super().read(interaction, given)
        techs = [tech for tech in combat.BATTLE_TECHS if getattr(typed, tech)]
        text = combat.add_options(typed.battle, typed.city, techs)
        return typed.model_copy(update={"battle": text})

    @property
    def recent_text(self) -> str:
        """The battle."""
        return self.battle

    def request(self) -> BattleRequest:
        """Return the request; TextError with every mistake and its span."""
        return BattleRequest(clash=combat.parse_battle(self.battle, climbing=self.edition < 3))  # noqa: PLR2004 - as said above

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the result of the battle and the best split; its file is the report."""
        request = self.request()
        report = await bot.simulator.run(request, caller)
        card = await drawn(bot, ClashCard(report=report), "battle.png", caller)
        document = r.clash_document(report, card, combat.read_as(self.battle, request.clash))
        return Answer(document, lambda: {"battle.json": json_of(report)})


def _count(label: str, most: int, told: str) -> tuple[Any, ...]:
    """Return how a form and a command take a number from 1 to `most`; `told` has {} for these limits."""
    limits = f"1 to {most}"
    return Field(ge=1, le=most), o.Option(told.format(limits)), o.Entry(label, hint=limits)


class SimulateQuery(RulesQuery):
    """Options of `/mka simulate`; several games are played at a time."""

    stored_as = "mka-simulate"
    changes: ClassVar[Changes] = {r.AGAIN.action: reseeded}

    players: Annotated[
        str,
        o.Option("AIs, such as: marshal, 2 pillager, barbarian, random"),
        o.Entry("AIs", MAX_AIS_TEXT, hint="such as: marshal, 2 pillager"),
    ]
    games: Annotated[int, *_count("Games", MAX_GAMES, "How many games ({}); a single one comes with a film")] = 1
    rounds: Annotated[int, *_count("Rounds", c.MAX_ROUNDS, "Rounds of each game ({}, default 100)")] = 100
    size: Size = "20x20"
    kind: KindName = c.MapKind.MOUNTAINS.value
    seed: Annotated[o.Seed, o.seed_option("Decides maps and dice: the same seed gives the same games")]
    edition: RulesVersion = 1

    def request(self) -> SimulateRequest:
        """Return the request; RuleError if the AIs can't play with each other or the games would take too long."""
        request = SimulateRequest(
            players=read_ais(self.players),
            drawing=Drawing.read(self.size, self.kind, None),
            rounds=self.rounds,
            games=self.games,
            seed=self.seed,
            rules_version=self.edition,
        )
        if request.cost() > MAX_SECONDS:
            raise RuleError("These games would take too long together: fewer games, rounds, players or tiles, please.")
        return request

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the table, the chart and, for a single game, the film; they are files, too."""
        request = self.request()

        async def play() -> tuple[SimulateReport, DrawnCard | None]:
            report: SimulateReport = await bot.simulator.in_parts(request, caller)
            if report.game is None:
                return report, None
            film = FilmRequest(event_batches=report.game.event_batches, rounds=report.game.state.round)
            try:
                return report, await bot.simulator.once(film, caller)
            except RuleError:
                return report, None  # the game is too long for a film; the table and the chart are enough

        report, film = await bot.simulator.through(("mka-simulate", request), play)

        def files() -> dict[str, bytes]:
            pictures = {"scores.png": report.chart, "war.gif": film}
            drawn = {name: picture.data for name, picture in pictures.items() if picture is not None}
            return {"simulation.json": json_of(report), **drawn}

        return Answer(r.simulate_document(report, self.seed, film), files)


def read_ais(text: str) -> tuple[c.AiKind, ...]:
    """Return the AIs in `marshal vs pillager`, `2 marshal, random` or `marshal x2, random`.

    RuleError, with a suggestion where possible, for anything else.
    """
    names = {name: kind for kind in c.AiKind for name in (kind.value, f"{kind.value}s")}
    found: list[c.AiKind] = []
    times: int | None = None
    for word in filter(None, _PIECES.split(text.strip().lower())):
        count = _TIMES.fullmatch(word)
        if word in names:
            found += [names[word]] * (times or 1)
            times = None
        elif count is None:
            near = nearest(word, names)
            hint = f"Did you mean {near}?" if near else _CHOICE
            raise RuleError(f"Players: there is no AI {shorten(word, 20)}. {hint}")
        elif times is not None:
            raise RuleError(f"Players: how many {shorten(word, 20)}? Write a number and an AI, such as: 2 pillager.")
        elif count["after"] and found:
            found += found[-1:] * (int(count["after"]) - 1)
        else:
            times = int(count["count"] or count["after"])
    if times is not None:
        raise RuleError(f"Players: {times} of which AI? {_CHOICE}")
    if not c.MIN_PLAYERS <= len(found) <= c.MAX_PLAYERS:
        needed = f"{c.MIN_PLAYERS} to {c.MAX_PLAYERS} AIs are needed, such as: marshal, 2 pillager."
        raise RuleError(f"Players: {needed} {_CHOICE}")
    return tuple(found)
