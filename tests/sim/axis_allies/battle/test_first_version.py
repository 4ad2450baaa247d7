"""Battles by the first version of the rules: replayed as they were fought, to the last character.

`first_version.json` has battles of version 0.1.0: setups, actions, and the SHA-256 of all states and events. In more
than half of them hits fell otherwise than they do in battles that begin today.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sim.axis_allies.battle.values import VERSION
from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from tests.sim.axis_allies.battle.builders import BATTLE

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("first_version.json").read_text(encoding="utf-8"))


def replay(case: dict[str, Any], version: int) -> str:
    """Return the SHA-256 of the states and events of a battle; a setup of the first version doesn't say so."""
    setup = BATTLE.setups.read(case["setup"] | ({} if version == 1 else {"version": version}))
    if version == 1:
        assert BATTLE.setups.write(setup) == case["setup"]
    state = BATTLE.begin(setup)
    digest = hashlib.sha256(BATTLE.states.write_json(state).encode())
    for number, (seat, action) in enumerate(case["actions"], start=1):
        step = BATTLE.apply(state, BATTLE.actions.read(action), seat, SeededDice(b"old %d" % case["dice"], number))
        state = step.state
        digest.update(BATTLE.states.write_json(state).encode())
        digest.update(json.dumps([BATTLE.events.write(event) for event in step.events]).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["dice"])
def test_an_old_battle_is_replayed_as_it_was_fought(case: dict[str, Any]) -> None:
    assert replay(case, version=1) == case["digest"]


def test_some_old_choices_would_be_refused_today() -> None:
    """They wasted hits that could have taken effect."""
    refused = 0
    for case in CASES:
        try:
            replay(case, VERSION)
        except IllegalActionError:
            refused += 1
    assert refused
