"""Jobs of campaigns, of any game that has them: read a side, make the next battle, take up a battle's end, heal."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from sim.core import RuleError
from sim.core.battle import AnySystem, Seat
from sim.core.campaign import Adjustment, CampaignRules, Deed, ForcesReport, Veteran
from sim.core.dice import SeededDice
from sim.core.names import name_key
from sim.core.values import Number, Request, canonical
from sim.jobs import system

LOG_FILE = "BattleLog.txt"


def campaign_rules(rules: AnySystem) -> CampaignRules[Any, Any, Any, Any]:
    """Return how a system's battles are linked; RuleError if they can't be."""
    campaign: CampaignRules[Any, Any, Any, Any] | None = rules.campaign
    if campaign is None:
        raise RuleError("This game has no campaigns.")
    return campaign


class _ForcesRequest(Request):
    max_seconds = 0.05
    character_seconds = 2e-6  # measured, rounded up
    system: str

    def _rules(self) -> CampaignRules[Any, Any, Any, Any]:
        return campaign_rules(system(self.system))


class FirstForces(_ForcesRequest):
    """Make the forces of a campaign's first battle from its setup."""

    setup_json: str

    def run(self) -> ForcesReport:
        """Return both sides."""
        setup = system(self.system).setups.read_json(self.setup_json)
        return _report(self._rules(), self._rules().from_setup(setup))


class ReadSides(_ForcesRequest):
    """Put given sides into the forces, each (side, content); None for those of a new campaign.

    `revive`: fallen fighters who are named again come back.
    """

    forces_json: str | None
    given: tuple[tuple[str, bytes], ...]
    revive: bool = False

    def run(self) -> tuple[ForcesReport, tuple[str, ...]]:
        """Return the forces, and which dead fighters were named again and stay dead; RuleError with all faults."""
        rules = self._rules()
        forces = None if self.forces_json is None else rules.forces.read_json(self.forces_json)
        before = () if forces is None else rules.veterans(forces)
        for side, data in self.given:
            forces = rules.read(forces, side, data)
        if forces is None:
            raise RuleError("Nobody is there yet: say who fights, with own and foe.")
        stayed: list[Veteran] = []
        if rules.dead_stay and not self.revive:
            dead = {(one.side, name_key(one.name)) for one in before if one.fallen}
            now = (one for one in rules.veterans(forces) if not one.fallen)
            stayed = [one for one in now if (one.side, name_key(one.name)) in dead]
            felled = [Adjustment(side=one.side, name=one.name, healing=-one.left) for one in stayed]
            forces = rules.adjusted(forces, felled)
        return _report(rules, forces), tuple(one.name for one in stayed)


class NextBattle(_ForcesRequest):
    """Make the setup of the next battle; `last_json`: the last battle's setup, if there was one."""

    forces_json: str
    last_json: str | None = None

    def run(self) -> tuple[str, Mapping[Seat, Seat | None] | None]:
        """Return the setup as JSON, and who sits where, as `CampaignRules.seating`; RuleError if a side can't fight."""
        whole, rules = system(self.system), self._rules()
        last = None if self.last_json is None else whole.setups.read_json(self.last_json)
        forces = rules.forces.read_json(self.forces_json)
        return whole.setups.write_json(rules.setup(forces, last)), rules.seating(forces)


class Taken(ForcesReport):
    """What is left after a battle, and what each fighter did in it."""

    deeds: tuple[Deed, ...]


class TakeUp(_ForcesRequest):
    """Take up a battle's end: `events` are those of its steps that weren't undone, as JSON.

    `seed`, `step`: of the dice for what is learned; no step of the battle used them.
    """

    forces_json: str
    state_json: str
    events: tuple[str, ...]
    seed: Annotated[bytes, Field(repr=False)]
    step: Number

    def run(self) -> Taken:
        """Return what flows on."""
        whole, rules = system(self.system), self._rules()
        forces, state = rules.forces.read_json(self.forces_json), whole.states.read_json(self.state_json)
        events = whole.events.read_lists(self.events)
        after = rules.after(forces, state, SeededDice(self.seed, self.step))
        report = _report(rules, after)
        had, has = (
            {(one.side, one.name): one.experience for one in veterans}
            for veterans in (rules.veterans(forces), report.veterans)
        )
        gained = {fighter: has[fighter] - had[fighter] for fighter in had.keys() & has.keys()}
        deeds = tuple(
            deed.model_copy(update={"experience": gained.get((deed.side, deed.name), 0)})
            for deed in rules.deeds(forces, state, events)
        )
        return Taken(**dict(report), deeds=deeds)


class Heal(_ForcesRequest):
    """Heal the forces: by rule for None, else as given by hand."""

    forces_json: str
    adjustments: tuple[Adjustment, ...] | None

    def run(self) -> ForcesReport:
        """Return the forces after it."""
        rules = self._rules()
        forces = rules.forces.read_json(self.forces_json)
        if self.adjustments is None:
            return _report(rules, rules.rested(forces))
        return _report(rules, rules.adjusted(forces, self.adjustments))


class ForcesFiles(_ForcesRequest):
    """Write the files of a battle of a campaign: the sides after it, and its log unless its journal is gone."""

    forces_json: str
    seed: Annotated[str | None, Field(repr=False)] = None
    events: tuple[str, ...] | None = None

    def run(self) -> dict[str, bytes]:
        """Return the files by name."""
        rules = self._rules()
        files = dict(rules.files(rules.forces.read_json(self.forces_json)))
        if self.events is not None:
            whole = system(self.system)
            log = whole.lines(tuple(whole.events.read_lists(self.events)))
            lines = [*([] if self.seed is None else [f"Seed: {self.seed}"]), *log]
            files[LOG_FILE] = "".join(f"{line}\n" for line in lines).encode()
        return files


def _report(rules: CampaignRules[Any, Any, Any, Any], forces: object) -> ForcesReport:
    return ForcesReport(
        forces_json=canonical(rules.forces.write(forces)),
        veterans=rules.veterans(forces),
        summary=rules.summary(forces),
    )
