"""Report of several waves from what became of them."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.layout import Floats
from sim.axis_allies.odds.summary import OUTCOMES, every_chance, impossible_outcomes, unit_key
from sim.axis_allies.odds.waves import Campaign, Fought
from sim.axis_allies.odds_report import OutcomeName
from sim.axis_allies.question import Wave
from sim.axis_allies.reports import WaveOdds, WaveReport
from sim.core.numbers import probability


def wave_report(
    campaign: Campaign,
    waves: Sequence[Wave],
    defender: Army,
    *,
    must_take: bool,
    counter: Wave | None,
    p_lost: float,
    notes: Iterable[str] = (),
) -> WaveReport:
    """Summarize what became of waves; `p_lost`: the chance that the counterattack takes the territory back.

    `notes`: besides those on the armies.
    """
    fought = [each.fought for each in campaign.waves if each.fought is not None]
    p_wins = math.fsum(each.p_wins for each in campaign.waves)
    p_takes = math.fsum(each.p_takes for each in campaign.waves)
    p = {name: probability(campaign.waves[-1].chance(code)) for name, code in _CHANCES.items()}
    p["p_takes"] = probability(p_takes)
    p["p_attacker"] = p["p_takes"] if must_take else probability(p_wins)
    p["p_not_taken"] = probability(p_wins - p["p_takes"]) if must_take else 0.0
    p["p_none"] = probability(p["p_stalemate"] + p["p_retreat"] + p["p_round_limit"] + p["p_not_taken"])
    every = all(every_chance(solution) for solution in fought)
    never = {name for name in OUTCOMES if p["p_none" if name == "nobody" else f"p_{name}"] == 0.0}
    ruled_out = _impossible(campaign, must_take=must_take)
    defenders, chances = campaign.defenders, campaign.left.moments[0]
    lost = defenders.order.ipc - defenders.ipc
    def_ipc_lost = float(chances @ lost)
    att_ipc_lost, att_ipc_lost_sd = campaign.left.mean_and_deviation
    return WaveReport(
        **p,
        exp_rounds=math.fsum(solution.mean_rounds for solution in fought),
        lost_mass=abs(1.0 - float(chances.sum())),
        impossible=tuple(name for name in OUTCOMES if name in never and (every or name in ruled_out)),
        every_chance=every,
        waves=tuple(_wave_odds(*pair) for pair in zip(waves, campaign.waves, strict=True)),
        defender=defender,
        counter=counter,
        p_holds=None if counter is None else probability(p_takes - p_lost),
        def_left=_means(defenders, chances),
        att_ipc_lost=att_ipc_lost,
        att_ipc_lost_sd=att_ipc_lost_sd,
        def_ipc_lost=def_ipc_lost,
        def_ipc_lost_sd=math.sqrt(max(0.0, float(chances @ (lost - def_ipc_lost) ** 2))),
        must_take=must_take,
        notes=tuple(dict.fromkeys((*(n for wave in waves for n in battle_notes(wave.army, defender)), *notes))),
    )


_CHANCES = {
    "p_defender": layout.DEFENDER,
    "p_tie": layout.TIE,
    "p_stalemate": layout.STALEMATE,
    "p_retreat": layout.RETREAT,
    "p_round_limit": layout.ROUND_LIMIT,
}


def _impossible(campaign: Campaign, *, must_take: bool) -> set[OutcomeName]:
    """Return the outcomes that no wave can produce by itself."""
    ruled_out = [impossible_outcomes(wave.terms, must_take=must_take) for wave in campaign.waves]
    return {name for name in ruled_out[0] if all(name in each for each in ruled_out)}


def _wave_odds(wave: Wave, fought: Fought) -> WaveOdds:
    army = fought.army
    left = _means(army, np.array([1.0 - fought.p_fights]))
    ipc_lost = 0.0
    if fought.fought is not None:
        armies, chances = fought.fought.sides[0], fought.left()
        left = {unit: left.get(unit, 0.0) + mean for unit, mean in _means(armies, chances).items()}
        ipc_lost = float(chances @ (army.ipc[0] - armies.ipc))
    return WaveOdds(
        wave=wave,
        p_fights=probability(fought.p_fights),
        p_wins=probability(fought.p_wins),
        p_takes=probability(fought.p_takes),
        left=left,
        ipc_lost=ipc_lost,
    )


def _means(armies: Armies, chances: Floats) -> dict[str, float]:
    """Return the mean counts of armies by `unit_key`."""
    return {unit_key(slot): float(chances @ counts) for slot, counts in armies.kinds.items()}
