"""Jobs of campaigns, of any game that has them: read a side, make the next battle, take up a battle's end, heal."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import override

from sim.core.battle import AnySystem, Seat
from sim.core.campaign import CampaignRules, Care, Deed, HasCampaign, Veteran
from sim.core.canonical_json import canonical
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.values import Frozen, Number, Request
from sim.jobs.discovery import system

_SECONDS = 0.05
_SECONDS_A_CHARACTER = 2e-6  # measured, rounded up

LOG_FILE = "BattleLog.txt"


def campaign_rules(rules: AnySystem) -> CampaignRules[Any, Any, Any, Any]:
    """Return how a system's battles are linked; RuleError if they can't be."""
    if not isinstance(rules, HasCampaign):
        raise RuleError("This game has no campaigns.")
    return rules.campaign


class Mustered(Frozen):
    """A muster as canonical JSON, its fighters, and a sentence about both sides."""

    muster_json: str
    veterans: tuple[Veteran, ...]
    sums: str = ""


class _MusterRequest(Request):
    system: str

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_CHARACTER * sum(map(len, self._texts()))

    def _texts(self) -> Iterator[str | bytes]:
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, str | bytes):
                yield value

    def _rules(self) -> CampaignRules[Any, Any, Any, Any]:
        return campaign_rules(system(self.system))


class Enlist(_MusterRequest):
    """Make the muster of a campaign's first battle from its setup."""

    setup_json: str

    def run(self) -> Mustered:
        """Return both sides."""
        setup = system(self.system).setups.read_json(self.setup_json)
        return _mustered(self._rules(), self._rules().enlist(setup))


class ReadSides(_MusterRequest):
    """Put given sides into a muster, each (side, content); None for that of a new campaign."""

    muster_json: str | None
    given: tuple[tuple[str, bytes], ...]

    def run(self) -> Mustered:
        """Return the muster; RuleError with all that is wrong with a side."""
        rules = self._rules()
        muster = None if self.muster_json is None else rules.musters.read_json(self.muster_json)
        for side, data in self.given:
            muster = rules.read(muster, side, data)
        if muster is None:
            raise RuleError("Nobody is there yet: give both sides.")
        return _mustered(rules, muster)


class NextSetup(Frozen):
    """A battle's setup as JSON; `seating`: as `CampaignRules.seating` has it."""

    setup_json: str
    seating: Mapping[Seat, Seat | None] | None


class NextBattle(_MusterRequest):
    """Make the setup of the next battle; `last_json`: the last battle's setup, if there was one."""

    muster_json: str
    last_json: str | None = None

    def run(self) -> NextSetup:
        """Return the setup; RuleError if a side can't fight."""
        whole = system(self.system)
        last = None if self.last_json is None else whole.setups.read_json(self.last_json)
        muster = self._rules().musters.read_json(self.muster_json)
        setup_json = whole.setups.write_json(self._rules().setup(muster, last))
        return NextSetup(setup_json=setup_json, seating=self._rules().seating(muster))


class Taken(Mustered):
    """What is left after a battle, and what each fighter did in it."""

    deeds: tuple[Deed, ...]


class TakeUp(_MusterRequest):
    """Take up a battle's end: `events` are those of its steps that weren't undone, as JSON.

    `seed`, `step`: of the dice for what is learned; no step of the battle used them.
    """

    muster_json: str
    state_json: str
    events: tuple[str, ...]
    seed: Annotated[bytes, Field(repr=False)]
    step: Number

    @override
    def _texts(self) -> Iterator[str | bytes]:
        yield from super()._texts()
        yield from self.events

    def run(self) -> Taken:
        """Return what flows on."""
        whole, rules = system(self.system), self._rules()
        muster, state = rules.musters.read_json(self.muster_json), whole.states.read_json(self.state_json)
        events = [whole.events.read(event) for text in self.events for event in json.loads(text)]
        after = rules.after(muster, state, SeededDice(self.seed, self.step))
        before = {(one.side, one.name): one.experience for one in rules.veterans(muster)}
        mustered = _mustered(rules, after)
        gained = {
            (one.side, one.name): one.experience - before[one.side, one.name]
            for one in mustered.veterans
            if (one.side, one.name) in before
        }
        deeds = tuple(
            deed.model_copy(update={"experience": gained.get((deed.side, deed.name), 0)})
            for deed in rules.deeds(muster, state, events)
        )
        return Taken(**dict(mustered), deeds=deeds)


class Heal(_MusterRequest):
    """Heal a muster: by rule for None, else as given by hand."""

    muster_json: str
    care: tuple[Care, ...] | None

    def run(self) -> Mustered:
        """Return the muster after it."""
        rules = self._rules()
        muster = rules.musters.read_json(self.muster_json)
        return _mustered(rules, rules.rested(muster) if self.care is None else rules.cared(muster, self.care))


class MusterFiles(_MusterRequest):
    """Write the files of a battle of a campaign: the sides after it, and its log unless its journal is gone."""

    muster_json: str
    seed: Annotated[str | None, Field(repr=False)] = None
    events: tuple[str, ...] | None = None

    @override
    def _texts(self) -> Iterator[str | bytes]:
        yield from super()._texts()
        yield from self.events or ()

    def run(self) -> dict[str, bytes]:
        """Return the files by name."""
        rules = self._rules()
        files = dict(rules.files(rules.musters.read_json(self.muster_json)))
        if self.events is not None:
            whole = system(self.system)
            events = tuple(whole.events.read(event) for text in self.events for event in json.loads(text))
            lines = [*([] if self.seed is None else [f"Seed: {self.seed}"]), *whole.lines(events)]
            files[LOG_FILE] = "".join(f"{line}\n" for line in lines).encode()
        return files


def _mustered(rules: CampaignRules[Any, Any, Any, Any], muster: object) -> Mustered:
    veterans: Sequence[Veteran] = rules.veterans(muster)
    muster_json = canonical(rules.musters.write(muster))
    return Mustered(muster_json=muster_json, veterans=tuple(veterans), sums=rules.sums(muster))
