"""Questions of Marked for Death, `/mfd run`, `check`, `odds` and `change`; they name uploads by their hashes."""

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import discord

from bot.answers import UPLOADED, Answer, Changes, PagedQuery, json_of, reseeded
from bot.answers.document import EDIT, Action, action_buttons
from bot.battles import BattleService
from bot.client import Client, Interaction
from bot.games.marked_for_death import render as r
from bot.rosters import RosterKind, roster_content
from bot.rosters.sheets import MAX_LINK, is_link
from bot.store import OWN_WORK
from bot.store.battle import Battle
from bot.store.queries import RecentTextRepository, StoredQuery, UploadRepository
from bot.ui import drawn, text_view
from bot.ui.interactions import acknowledge, caller_of, defer, edit_reply, origin_of, reply
from bot.ui.options import Entry, Seed, Typed, Upload, form_file
from sim.core import RuleError
from sim.marked_for_death.battle import Reinforce, RoundCount
from sim.marked_for_death.cards import check_card, odds_card
from sim.marked_for_death.odds import OddsRequest, SensitivityRequest, report_of
from sim.marked_for_death.reports import ChangeReport
from sim.marked_for_death.requests import ChangeRequest, CheckRequest, ReadRequest, RunFilesRequest, RunRequest
from sim.marked_for_death.roster import Camp
from sim.workers.queue import Caller

KIND = RosterKind(
    name="mfd",
    title="Marked for Death roster",
    extension="csv",
    check=lambda content: CheckRequest(source=content),
    summarize=r.roster_summary,
)
REINFORCE = "reinforce"


class RunQuery(PagedQuery):
    """The options of `/mfd run`: two rosters, by the hashes of their files, with round limit and seed.

    The files of the answer are worked out by a job of their own. It has no form: other rosters need a new command.
    """

    stored_as = "mfd-run"
    checks_slowly = True
    has_form = False
    changes: ClassVar[Changes] = {r.AGAIN.action: reseeded}

    heroes: Annotated[str, UPLOADED]
    villains: Annotated[str, UPLOADED]
    max_rounds: RoundCount | None = None
    seed: Seed

    async def sides(self, bot: Client) -> dict[str, bytes]:
        """Return both files."""
        read = bot.services[UploadRepository].read
        return {"heroes": await read(self.heroes), "villains": await read(self.villains)}

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the battle's pages; as files the log and both final rosters."""
        sides = await self.sides(bot)
        request = RunRequest.model_validate({**sides, "max_rounds": self.max_rounds, "seed": self.seed})
        report = await bot.simulator.run(request, caller)
        document = r.run_document(report, await drawn(bot, report.card, "battle.png", caller))
        return Answer(document, lambda: bot.simulator.run(RunFilesRequest(battle=request), caller))


class CheckQuery(PagedQuery):
    """The options of `/mfd check`; `name`: the file's."""

    stored_as = "mfd-check"
    checks_slowly = True
    has_form = False

    roster: Annotated[str, UPLOADED]
    name: str

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the roster's pages; as files the fighters' lines and the warnings as text, and the numbers."""
        source = await bot.services[UploadRepository].read(self.roster)
        found = await bot.simulator.run(CheckRequest(source=source), caller)
        card = await drawn(bot, check_card(found, self.name), "roster.png", caller)

        def files() -> dict[str, bytes]:
            lines = [*(card.line() for card in found.cards), *(f"Warning: {warning}" for warning in found.warnings)]
            return {"roster.txt": "\n".join([*lines, ""]).encode(), "roster.json": json_of(found)}

        return Answer(r.check_document(self.name, found, card), files)


class OddsQuery(RunQuery):
    """The options of `/mfd odds`; `weigh`: also who matters most; `later`: added by the button, so open there.

    It is answered in many jobs if it takes long.
    """

    stored_as = "mfd-odds"
    changes: ClassVar[Changes] = {r.WEIGH.action: {"weigh": True, "later": True}}

    weigh: bool = False
    later: bool = False

    async def check(self, bot: Client, caller: Caller) -> OddsRequest:
        """Read both rosters; the odds may take long."""
        files = ReadRequest.model_validate(await self.sides(bot))
        sides = await bot.simulator.run(files, caller)
        rosters = {"heroes": sides.heroes.roster, "villains": sides.villains.roster}
        return OddsRequest(**rosters, max_rounds=self.max_rounds, seed=self.seed)

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the pages of the odds, if asked also of who matters most; as files the reports and the chart."""
        request = await self.check(bot, caller)
        if request.duel() is not None:
            odds = await bot.simulator.run(request, caller)
        else:
            odds = report_of(await bot.simulator.in_parts(request, caller))
        weights = None
        if self.weigh:
            weights = report_of(await bot.simulator.in_parts(SensitivityRequest(odds=request), caller))
        card = await drawn(bot, odds_card(odds), "odds.png", caller)

        def files() -> dict[str, bytes]:
            more = {} if weights is None else {"who-matters.json": json_of(weights)}
            return {"odds.json": json_of(odds), card.name: card.data, **more}

        return Answer(r.odds_document(odds, card, weights, later=self.later), files)


_SHEET = "mfd-sheet"
"""The kind of recent texts that are battles' sheets: `<battle> <side> <link>`."""


async def remember_sheet(interaction: Interaction, battle: Battle, camp: Camp, typed: str | None) -> None:
    """Keep the link of a side's sheet for the next round of a battle, if what was typed is one."""
    if typed is not None and is_link(typed):
        text = f"{battle.id} {camp} {typed.strip()}"
        await interaction.client.services[RecentTextRepository].remember(interaction.user.id, _SHEET, text)


async def _sheets(interaction: Interaction, battle_id: int) -> dict[Camp, str]:
    """Return the links of a battle's sheets that the user gave, the newest of each side."""
    texts = await interaction.client.services[RecentTextRepository].list(interaction.user.id, _SHEET)
    found = (text.split(" ", 2) for text in reversed(texts))
    return {Camp(camp): link for of, camp, link in found if of == str(battle_id)}


ADD, WHOLE = "add", "whole"
HOW = {ADD: "Add its fighters", WHOLE: "Replace the whole roster"}
"""What a roster's file does to a side; one with fighters of the same names replaces these."""


class ChangeQuery(PagedQuery):
    """A changed roster for one side of a battle; `sha256` is None before the upload.

    It is applied when the referee confirms what it would change. `how`: those of earlier versions replaced the whole
    roster.
    """

    stored_as = "mfd-change"
    form_title = "Change a roster"
    checks_slowly = True
    changes: ClassVar[Changes] = {how: {"how": how} for how in HOW}

    battle_id: int
    version: int
    camp: Annotated[Camp, Entry("Whose roster?", choices={camp.value: camp.capitalize() for camp in Camp})] = (
        Camp.HEROES
    )
    sha256: Annotated[
        str | None,
        Entry("The roster as a CSV file", hint="such as Heroes-final.csv with your changes", is_file=True, id="roster"),
        UPLOADED,
    ] = None
    saved: Annotated[str | None, Entry("Or a saved roster, or a sheet's link", MAX_LINK)] = None
    how: Annotated[str, Entry("What to do with it", choices=HOW)] = WHOLE

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return the changes, and the uploaded roster as a file."""
        battle, data, report = await self.changed(bot, caller)
        whole, stale = self.how == WHOLE, battle.version != self.version
        document = r.change_document(battle.number, self.camp, report, stale=stale, whole=whole)
        return Answer(document, lambda: {f"{self.camp.capitalize()}.csv": data})

    async def changed(self, bot: Client, caller: Caller) -> tuple[Battle, bytes, ChangeReport]:
        """Return the battle, the roster, and what it would change; TableError lists everything wrong with it."""
        if self.sha256 is None:
            raise RuleError("There is no roster yet: upload one.")
        data = await bot.services[UploadRepository].read(self.sha256)
        battle = await bot.services[BattleService].find(self.battle_id, OWN_WORK)
        request = ChangeRequest(state_json=battle.state_json, camp=self.camp, data=data, whole=self.how == WHOLE)
        return battle, data, await bot.simulator.once(request, caller)

    @classmethod
    def of(cls, interaction: Interaction, battle: Battle, camp: Camp, upload: Upload, how: str) -> Self:
        """Return the query for what an uploaded roster would change."""
        sha256 = interaction.client.services[UploadRepository].keep(upload.data)
        return cls(battle_id=battle.id, version=battle.version, camp=camp, sha256=sha256, how=how, private=True)

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Apply the roster, or show another one."""
        bot = interaction.client
        if action in list(Camp):
            await defer(interaction, private=True)
            battle = await bot.services[BattleService].find(self.battle_id, origin_of(interaction))
            upload = await changed_roster(interaction, battle, Camp(action), None)
            await ChangeQuery.of(interaction, battle, Camp(action), upload, self.how).ask(interaction)
        elif action != r.APPLY.action:
            await super().act(interaction, stored, action)
        else:
            await acknowledge(interaction)
            _, _, report = await self.changed(bot, caller_of(interaction))
            change = Reinforce(camp=self.camp, roster=report.roster)
            await bot.services[BattleService].act(interaction, self.battle_id, self.version, REINFORCE, change)
            await edit_reply(interaction, "✅ The roster is changed.")

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Read the submitted file, and show what it would change."""
        query = await self.read_form(interaction, values)
        await defer(interaction, private=True)
        async with query.fixable(interaction):
            battle = await interaction.client.services[BattleService].find(query.battle_id, origin_of(interaction))
            file = form_file(interaction, "roster")
            upload = await changed_roster(interaction, battle, query.camp, file, query.saved)
        await ChangeQuery.of(interaction, battle, query.camp, upload, query.how).ask(interaction)


async def open_change(interaction: Interaction, battle: Battle) -> None:
    """Open the form for a changed roster, or offer the battle's sheets; the interaction must be unanswered."""
    query = ChangeQuery(battle_id=battle.id, version=battle.version, how=ADD, private=True)
    stored = await query.store(interaction)
    if not (sheets := await _sheets(interaction, battle.id)):
        await query.send_form(interaction, stored)
        return
    again = (Action(camp, f"Read the {camp}' sheet again", "🔄") for camp in Camp if camp in sheets)
    buttons = action_buttons(stored.id, (*again, replace(EDIT, label="Somewhere else")))
    await reply(interaction, text_view(["### Where is the changed roster?"], buttons=buttons))


async def changed_roster(
    interaction: Interaction, battle: Battle, camp: Camp, file: discord.Attachment | None, saved: str | None = None
) -> Upload:
    """Return a side's changed roster, by default its sheet, read again; the interaction must be deferred."""
    if file is None and saved is None:
        saved = (await _sheets(interaction, battle.id)).get(camp)
    upload = await roster_content(interaction, KIND.name, file, saved)
    await remember_sheet(interaction, battle, camp, saved)
    return upload
