import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_
from hypothesis import strategies as st

from sim.__main__ import main
from sim.boss_fight.console import read_exchange
from sim.boss_fight.exchange import exchange, transcript
from sim.core.errors import RuleError
from tests.sim.boss_fight.builders import Worked, worked_exchanges

HERO: dict[str, Any] = {"kind": "hero", "element": "fire", "traits": ["V", "Assassin", "Elixir", "Epic", "Fair"]}
FIELDS = ("health", "physical_damage", "magical_damage")
FLAGS = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exchange.json"


def given(path: Path, data: object) -> list[str]:
    """Write a file and return the arguments that read it."""
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return ["boss-exchange", str(path)]


def as_data(worked: Worked) -> dict[str, Any]:
    """Return a worked exchange as other programs write it."""

    def fighting(source: object) -> dict[str, Any]:
        figures = {name: getattr(source, name) for name in (*FIELDS, *FLAGS)}
        figures["hp"] = figures.pop("health")
        return figures

    tokens = [{"element": token.element, "traits": list(map(fighting, token.traits))} for token in worked.deck.tokens]
    return {"boss": {"element": worked.boss.element, **fighting(worked.boss)}, "tokens": tokens}


@pytest.mark.parametrize("worked", worked_exchanges())
def test_the_figures_of_worked_exchanges(worked: Worked, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*given(path, as_data(worked)), "--json"]) == 0
    report = json.loads(capsys.readouterr().out, parse_float=Decimal)
    assert list(report) == [
        *("player_hp", "physical_damage_to_boss", "magical_damage_to_boss", "damage_to_boss", "boss_hp_left"),
        *("stacked_physical", "stacked_magical", "stacked_element", "damage_to_player", "player_hp_left"),
    ]
    assert (report["player_hp"], report["damage_to_player"]) == (worked.health, worked.to_player)
    assert (report["physical_damage_to_boss"], report["magical_damage_to_boss"]) == worked.to_boss
    assert report["damage_to_boss"] == sum(worked.to_boss)
    assert (report["stacked_physical"], report["stacked_magical"], report["stacked_element"]) == worked.stacked
    assert (report["boss_hp_left"], report["player_hp_left"]) == worked.left


def test_what_a_named_trait_leaves_out_is_looked_up(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traits = [{"name": "Assassin", "hp": 7.0}, {"trait": "Fang", "hp": 1, "phy_res": 1}, {"hp": 2}]
    data = {"boss": {"hp": 100, "physical_damage": 16}, "tokens": [{"traits": traits}]}
    assert main([*given(path, data), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["player_hp"], report["damage_to_boss"], report["stacked_physical"]) == (10, 1500, 0.25)


def test_without_json_the_arithmetic_is_printed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worked = worked_exchanges()[0]
    assert main(given(path, as_data(worked))) == 0
    output = capsys.readouterr().out
    assert output.splitlines()[-6:] == transcript(exchange(worked.boss, worked.deck)).splitlines()[-6:]


def test_figures_beyond_any_float_are_written_digit_by_digit(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tough = [{"traits": [{"hp": 1, "physical_resistance": True}] * 320}] * 20
    assert main([*given(path, {"boss": {"hp": 5, "physical_damage": 1}, "tokens": tough}), "--json"]) == 0
    report = json.loads(capsys.readouterr().out, parse_float=Decimal)
    assert report["damage_to_player"] * 2**6400 == 1


def test_a_file_that_is_no_text_has_status_2(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(b"\xff\xfe{}")
    assert main(["boss-exchange", str(path)]) == 2
    assert capsys.readouterr().err == "exchange.json is not UTF-8: byte 1 is none.\n"


def test_a_deck_may_be_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of the game's README for this token and boss: 500 physical, and half of 2,000 in return."""
    deck = ["boss-exchange", "hero: V, Epic @Fire", "--boss", "inu dogemon"]
    assert main([*deck, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["physical_damage_to_boss"], figures["boss_hp_left"]) == (500, 500)
    assert (figures["damage_to_player"], figures["player_hp_left"]) == (1000, 0)
    assert main(deck) == 0
    told = capsys.readouterr().out
    token = {"name": "hero", "element": "Fire", "traits": ["V", "Epic"]}
    for boss, options in (("Inu Dogemon", []), ("Mossback", ["--boss", "Inu Dogemon"])):
        assert main([*given(path, {"boss": boss, "tokens": [token]}), *options]) == 0
        assert capsys.readouterr().out == told


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["V", "Fairy", "Water", "", "x;"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["boss", "tokens", "traits", "element", "name", "kind", "hp", "health", "level", FLAGS[0]]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given_(st.one_of(anything, st.fixed_dictionaries({"boss": anything, "tokens": st.lists(anything, max_size=3)})))
def test_any_json_is_an_exchange_or_refused_in_a_sentence(data: object) -> None:
    try:
        request = read_exchange(json.dumps(data))
    except RuleError as error:
        assert str(error).endswith((".", "?"))
        return
    assert request.deck.tokens
