"""Options that questions share: casualty methods, editions, army texts with saved armies: `saved:fleet vs 10 inf`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

from discord import app_commands
from discord.utils import as_chunks
from pydantic import BeforeValidator, Field

from bot.answers import Query
from bot.client import Asker, Interaction
from bot.games.axis_allies.render import armies_text
from bot.result_cache import CachingSimulator
from bot.rosters import Roster, RosterKind, RosterLibrary, RosterRepository, matching
from bot.store.database import Repository, Value
from bot.store.personal_data import PersonalTable
from bot.ui import MAX_CHOICE, MAX_CHOICES, plain, read_as_line, shorten, utf16_length
from bot.ui.options import CompletedBy, Entry, Option, recent_texts, text_choices
from sim.axis_allies import parse as p
from sim.axis_allies.answers import CheckRequest
from sim.axis_allies.battle import MANUAL
from sim.axis_allies.casualties import Method
from sim.axis_allies.editions import DEFAULT, EDITIONS, EditionName, edition_named
from sim.axis_allies.odds import OrderSearch, Searches, SearchFirst, found_by
from sim.axis_allies.parse.words import MAX_TEXT
from sim.core import RuleError
from sim.core.names import VERSUS
from sim.core.staged_job import R_co
from sim.workers.queue import Caller

EDITION_TABLE = PersonalTable(
    table="aa_editions",
    user_column="user_id",
    guild_column="guild_id",
    label=("edition", "editions"),
    kept="of Axis & Allies you play; until you change it",
    deleted=("default edition", "default editions"),
    exported={"edition": "edition"},
)


class EditionRepository(Repository):
    """The default editions of users and of servers, by the ids of these owners."""

    async def get(self, owner: Literal["user", "guild"], owner_id: int) -> str | None:
        """Return the name of the default edition, None if there is none."""
        sql = f"SELECT edition FROM aa_editions WHERE {owner}_id = ?"  # noqa: S608  # one of two constant columns
        return await self._db.fetch_value(str, sql, [owner_id])

    async def put(self, owner: Literal["user", "guild"], owner_id: int, edition: str | None) -> None:
        """Set the default edition, or remove it with None."""
        whose: dict[str, Value] = {f"{owner}_id": owner_id}
        if edition is None:
            await self._db.drop("aa_editions", **whose)
        else:
            await self._db.put("aa_editions", *whose, **whose, edition=edition)


CHOICES = {edition.name: edition.title for edition in EDITIONS.values()}

Source = Literal["user", "guild", "saved"]
"""Whose edition it is: the player's default, the server's, or that of a saved army."""

SOURCES: Mapping[Source | None, str] = {
    "user": "your default",
    "guild": "this server's default",
    "saved": "as saved",
    None: "default (`/aa edition`)",
}


async def default_edition(asker: Asker) -> tuple[str, Source | None]:
    """Return the player's default edition, else the server's, else 1941, and whose it is, None for nobody's."""
    editions = asker.client.services[EditionRepository]
    own = await editions.get("user", asker.user.id)
    if own in EDITIONS:
        return own, "user"
    shared = None if asker.guild_id is None else await editions.get("guild", asker.guild_id)
    return (shared, "guild") if shared in EDITIONS else (DEFAULT, None)


MAX_TYPED = MAX_TEXT - 20
"""Maximum characters of a typed army; swapping the sides and naming the edition adds a few."""

METHOD_NAMES = {
    "score": "Lowest score first",
    "lives-first": "Damage two-hit ships first, then lowest score",
    "smart": "Smart: the order that wins most often",
    "thrifty": "Thrifty: the order with the best IPC swing",
}

POLICY_NAMES = METHOD_NAMES | {
    "lives-first": "Damage ships first, then lowest score",
    MANUAL: "By hand: both sides choose in secret",
}


async def _name_edition(interaction: Interaction, content: bytes) -> bytes:
    """Return an army that names its edition, so that it stays of it; one of 1941 needn't."""
    text = content.decode("utf-8-sig", errors="replace")
    if len(text) > MAX_TYPED or p.named_edition(text):
        return content
    default, _ = await default_edition(interaction)
    edition = p.fitting_edition(text, default)
    return content if edition == DEFAULT else f"{edition}: {text}".encode()


KIND = RosterKind(
    name="aa",
    title="Axis & Allies army",
    extension="txt",
    check=lambda content: CheckRequest(content=content),
    summarize=armies_text,
    complete=_name_edition,
)

_REFERENCE = re.compile(r'(?<!\S)saved:(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s,;&+>()"]+))', re.IGNORECASE)
_VERSUS = re.compile(
    rf"(?<!\S)(?:{'|'.join(sorted(map(re.escape, VERSUS), key=len, reverse=True))})(?!\S)\s*", re.IGNORECASE
)


def chosen_among(names: Iterable[str], value: str | None) -> str | None:
    """Return a choice of a method, None for the edition's; RuleError for an unknown one of an old client."""
    if value is not None and value not in names:
        raise RuleError(f"Choose losses by one of these: {', '.join(names)}.")
    return value


async def completion_choices(interaction: Interaction, typed: str) -> Sequence[app_commands.Choice[str]]:
    """Return the typed text with its last word completed by the units of its edition, the option's or the default."""
    chosen = getattr(interaction.namespace, "edition", None)
    named = p.named_edition(typed) or (chosen if chosen in EDITIONS else None)
    edition = named or (await default_edition(interaction))[0]
    return text_choices(p.completions(typed, edition))


UNITS = CompletedBy(MAX_TYPED, completion_choices)
"""Units or an army; completes the last word."""


async def read_armies(asker: Asker, edition: str | None, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a question about armies: its texts, with saved armies written out, and its edition.

    `edition`: the option, which wins over what the texts name. RuleError for what can't be used here.
    """
    chosen = None if edition is None else edition_named(edition).name  # an old client may send an unknown one
    saved: dict[str, str | None] = {}
    typed = {name: await _expand_saved_armies(asker, text, saved) for name, text in texts.items()}
    own = next(filter(None, saved.values()), None)
    fields = {"saved": {name: named or DEFAULT for name, named in saved.items()}}
    if chosen is not None:
        typed = {name: p.without_edition(text) for name, text in typed.items()}
        return {**typed, **fields, "edition": chosen, "source": "said"}
    default, source = await default_edition(asker) if own is None else (own, "saved")
    return {**typed, **fields, "edition": default, "source": source}


async def _expand_saved_armies(asker: Asker, text: str, saved: dict[str, str | None]) -> str:
    """Replace each reference to a saved army with its text; RuleError for one that can't be used here.

    `saved` gets the edition of each by its name, None if its text names none.
    """
    whole, *references = _REFERENCE.split(text)
    for quoted, word, after in as_chunks(references, 3):
        roster = await asker.client.services[RosterLibrary].find(asker, quoted or word or "", KIND.name)
        content = await _content(asker, roster)
        saved[roster.name] = p.named_edition(content)
        whole += p.without_edition(content) + after
    if references and len(whole) > MAX_TYPED:
        raise RuleError(f"With the saved armies, the text has {len(whole):,} characters; {MAX_TYPED:,} is the most.")
    return whole


async def _choices(interaction: Interaction, typed: str, *, battles: bool) -> Iterable[app_commands.Choice[str]]:
    """Complete the last word and saved armies; of `battles` also offer the player's recent ones."""
    found = [*await completion_choices(interaction, typed)]
    found += await _saved_choices(interaction, typed, battles=battles)
    if battles:
        found += text_choices(await recent_texts(interaction, typed, "aa", "aa-retreat", "aa-luck"))
    by_value: dict[str | int | float, app_commands.Choice[str]] = {}
    for choice in found:  # a recent battle may be a saved one
        by_value.setdefault(choice.value, choice)
    return by_value.values()


ARMY = CompletedBy(MAX_TYPED, partial(_choices, battles=False))
"""An army; completes the last word and saved armies."""


async def _saved_choices(interaction: Interaction, typed: str, *, battles: bool) -> list[app_commands.Choice[str]]:
    """Return the saved armies that match the text after the last `vs`; `battles`: saved battles, too."""
    cut = max((found.end() for found in _VERSUS.finditer(typed)), default=0) if battles else 0
    head, name = typed[:cut], typed[cut:].removeprefix("saved:")
    usable = await interaction.client.services[RosterLibrary].list_usable(interaction, KIND.name)
    choices = []
    for roster in matching(usable, name)[:MAX_CHOICES]:
        army = await _content(interaction, roster)
        if p.is_battle(army) and (head or not battles):
            continue
        value = head + army
        if utf16_length(value) > MAX_CHOICE or (head and p.named_edition(army)):
            own = roster.owner_id == interaction.user.id and re.fullmatch(r"[^\W_]+", roster.name)
            value = f"{head}saved:{roster.name if own else f'#{roster.id}'}"
        if utf16_length(value) <= MAX_CHOICE:
            label = shorten(f"{head}💾 {roster.name}: {army}", MAX_CHOICE)
            choices.append(app_commands.Choice(name=label, value=value))
    return choices


async def _content(asker: Asker, roster: Roster) -> str:
    return p.decode_text(await asker.client.services[RosterRepository].read(roster))


BATTLES = CompletedBy(MAX_TYPED, partial(_choices, battles=True))
"""A battle; completes the last word, saved armies and battles, and the player's recent ones."""
BATTLE = Option("Attacker vs defender, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr", BATTLES)
BATTLE_ENTRY = Entry("Battle", MAX_TEXT, f"attacker vs defender, such as: {p.EXAMPLE}", long=True)
CASUALTIES = "How to choose losses (usually as the edition does)"

BattleField = Annotated[str, BATTLE, BATTLE_ENTRY]
EditionField = Annotated[
    EditionName, Option("The edition; your default if you leave it out (/aa edition)", choices=CHOICES)
]
CasualtiesField = Annotated[
    Method | None, BeforeValidator(partial(chosen_among, METHOD_NAMES)), Option(CASUALTIES, choices=METHOD_NAMES)
]
TakeTerritory = Annotated[bool, Option("The attacker needs a land unit left to win")]


class EditionQuery(Query):
    """Base of questions about armies.

    `edition`: of texts that name none; `source`: whose edition that is, "said" if the player chose it, None for
    nobody's. `saved`: the editions of the saved armies in the texts, by their names.
    """

    naming: ClassVar[Sequence[str]] = ("battle",)
    """The texts that may name an edition."""
    others: ClassVar[Sequence[str]] = ()
    """The other texts about armies."""

    edition: EditionField = DEFAULT
    source: Source | Literal["said"] | None = None
    saved: dict[str, str] = Field(default_factory=dict)

    @classmethod
    async def read(cls, interaction: Interaction, given: dict[str, Any]) -> Self:
        """Return the question, with its saved armies written out."""
        texts = {name: given[name] for name in (*cls.naming, *cls.others) if name in given}
        armies = await read_armies(interaction, given.pop("edition", None), texts)
        return await super().read(interaction, given | armies)

    async def written_out(self, asker: Asker) -> Self:
        """Return the question with its saved armies written out."""
        texts = {name: text for name in (*self.naming, *self.others) if (text := getattr(self, name))}
        if not any(map(_REFERENCE.search, texts.values())):
            return self  # its edition stays, no matter who edits it
        return self.model_copy(update=await read_armies(asker, self.edition if self.source == "said" else None, texts))

    @property
    def edition_line(self) -> str:
        """The line that names the edition of the answer, and where that is known from unless the player said it."""
        line = f"-# 📖 {EDITIONS[self.fitting].title}"
        if self._named or self.source == "said":
            return line
        whence = SOURCES[self.source] if self.fitting == self.edition else "the nearest with all these units"
        return f"{line} · {whence}"

    @property
    def saved_notes(self) -> list[str]:
        """A sentence for each saved army of another edition."""
        edition = self.fitting
        return [
            f"the saved army {plain(name)} is of {EDITIONS[own].title}; here it fights by {EDITIONS[edition].title}"
            for name, own in self.saved.items()
            if own in EDITIONS and own != edition
        ]

    def recent(self, text: str) -> str:
        """Return a text to offer again, with the edition that was chosen besides it."""
        return text if self.source != "said" or self._named else f"{self.edition}: {text}"

    @property
    def fitting(self) -> str:
        """The edition of the answer: the one named or chosen, else the default, or the nearest that has all units."""
        if self._named or self.source in {"said", "saved"}:
            return self._named or self.edition
        texts = (getattr(self, name) for name in (*self.others, *self.naming))
        return p.fitting_edition(", ".join(filter(None, texts)), self.edition)

    @property
    def _named(self) -> str | None:
        return next(filter(None, (p.named_edition(getattr(self, name)) for name in self.naming)), None)


class OneBattleQuery(EditionQuery):
    """Base of questions about one text of a battle."""

    battle: BattleField

    @property
    def edition_line(self) -> str:
        """The line that names the edition, and one that tells what was read where it isn't typed plainly."""
        return super().edition_line + read_as_line(p.read_as(self.battle, self.fitting))

    @property
    def recent_text(self) -> str:
        """The battle."""
        return self.recent(self.battle)


async def answered(simulator: CachingSimulator, request: Searches[R_co], caller: Caller | None) -> R_co:
    """Return the report of a request: of one job, or of a search side by side and a job with the orders found."""
    first = await simulator.run(SearchFirst(request), caller)
    if not isinstance(first, OrderSearch):
        return first
    so_far = await simulator.in_parts(first, caller)
    return await simulator.run(request.with_found(found_by(so_far)), caller)
