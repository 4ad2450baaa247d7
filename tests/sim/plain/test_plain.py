import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sim.axis_allies.small_odds import small_answer
from sim.boss_fight.battle import Join as JoinParty
from sim.boss_fight.battle import Setup as Party
from sim.core.battle import ANYONE, REFEREE, Seat
from sim.core.cards.fonts import advance_table
from sim.core.journal_file import dump
from sim.core.replay import Session
from sim.duel.battle import Continue
from sim.duel.battle.dungeon_values import PlainAction
from sim.duel.battle.dungeon_values import Setup as Dungeon
from sim.jobs import system, systems
from sim.mad_killer_agents.battle import AddAi, Join
from sim.mad_killer_agents.constants import AiKind
from sim.marked_for_death.battle import NextRound
from sim.marked_for_death.battle import Setup as Rosters
from tests.conformance.example import plays
from tests.sim.boss_fight.builders import RUN, boss, simple
from tests.sim.duel.builders import critter, setup
from tests.sim.mad_killer_agents.builders import Begin
from tests.sim.mad_killer_agents.builders import setup as war
from tests.sim.marked_for_death.builders import roster

HOSTILE = ("<script>alert(1)</script>", '"]]><b onload=x>', "&lt;i&gt;&#9;'")
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"rect", "text", "use", "path", "polygon", "polyline", "ellipse"}
ALLOWED = SHAPES | {"svg", "desc", "defs", "g", "mask", "clipPath", "pattern"}


def played() -> Iterator[tuple[str, Session]]:
    """Yield a battle of every setup of every game's examples."""
    for name in systems():
        for number, play in enumerate(plays(name)):
            session = Session(system(name), play.setup, play.seed)
            for turn in play.turns:
                session.act(turn.action, turn.seat)
            yield f"{name}-{number}", session


def hostile() -> Iterator[tuple[str, Session]]:
    """Yield battles of people with names that are more than names."""
    one, two, three = HOSTILE
    steps: dict[str, tuple[str, Any, list[tuple[object, Seat]]]] = {
        "duel": ("duel", setup([critter(one), critter(two)], [critter(three)]), [(Continue(), REFEREE)] * 3),
        "dungeon": (
            "dungeon",
            Dungeon(rooms=1, heroes=tuple(critter(name, 30) for name in HOSTILE)),
            [(PlainAction(do="enter"), REFEREE), (Continue(), REFEREE)],
        ),
        "boss": (
            "boss-fight",
            Party(boss=boss(400, 30, name=one)),
            [(JoinParty(name=name, deck=simple(90, 15)), ANYONE) for name in (two, three)] + [(RUN, REFEREE)],
        ),
        "rosters": (
            "mfd-battle",
            Rosters(heroes=roster(one, two), villains=roster(three)),
            [(NextRound(), REFEREE)] * 2,
        ),
        "war": (
            "mka",
            war(rounds=2),
            [(Join(name=name), ANYONE) for name in HOSTILE] + [(AddAi(ai=AiKind.RANDOM), REFEREE), (Begin(), REFEREE)],
        ),
    }
    for title, (name, begun, actions) in steps.items():
        session = Session(system(name), begun, b"hostile")
        for action, seat in actions:
            if session.outcome is None:
                session.act(action, seat)
        yield f"hostile-{title}", session


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - what the program printed
    folder = tmp_path_factory.mktemp("plain")
    table = folder / "widths.json"
    table.write_text(advance_table().model_dump_json())
    paths = []
    for name, session in (*played(), *hostile()):
        session.end(REFEREE)
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text(dump(session.journal()))
    root = Path(__file__).parents[3]
    command = [sys.executable, "-m", "tests.sim.plain.program", str(table), *map(str, paths)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]) | {"names": [path.stem for path in paths]}


def read(card: dict[str, str]) -> ET.Element:
    return ET.fromstring(card["svg"])  # noqa: S314 - our own


def test_journals_are_verified_where_there_is_nothing_but_pydantic(shown: Any) -> None:  # noqa: ANN401
    assert shown["verified"] == dict.fromkeys(shown["names"], 0)
    assert not shown["loaded"]


def test_a_question_is_answered_there_and_a_typo_gets_a_hint(shown: Any) -> None:  # noqa: ANN401
    answer, refused = shown["asked"]
    assert answer["lines"] == small_answer("1942: 2 sub, 1 dd vs 1 bb")
    assert "Did you mean tanks?" in refused["error"]


def test_every_battle_has_cards(shown: Any) -> None:  # noqa: ANN401
    with_cards = {card["card"].rpartition("-")[0] for card in shown["cards"]}
    assert with_cards == set(shown["names"])
    assert len(shown["cards"]) > 2.5 * len(shown["names"])


def test_cards_are_svg_that_fetches_and_runs_nothing(shown: Any) -> None:  # noqa: ANN401
    for card in shown["cards"]:
        root = read(card)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        assert all(str(name).startswith(f"card{card['card'].rpartition('-')[2]}-") for name in ids)
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in ALLOWED
            for key, value in element.attrib.items():
                assert not key.startswith("on")
                assert key != "style"
                for target in [value] if key == "href" else re.findall(r"url\(([^)]*)\)", value):
                    assert target.startswith("#")
                    assert target[1:] in ids


def test_cards_show_what_their_words_say(shown: Any) -> None:  # noqa: ANN401
    for card in shown["cards"]:
        root = read(card)
        description = root.find(f"{SVG}desc")
        assert description is not None
        assert description.text == card["alt"]
        assert root.get("aria-labelledby") == description.get("id")
        texts = [element.text for element in root.iter(f"{SVG}text")]
        assert all(texts)
        if card["card"].startswith(("duel", "dungeon", "mfd-battle")):
            shown_words = f" {_words(' '.join(map(str, texts)))} "
            said = re.sub(r"[^.]*: \S+% to win\.", "", card["alt"])  # a narrow bar has no room for it
            as_shapes = r"[\d,]+ of [\d,]+ HP(?:, [\d,]+ lost)?| taken down(?= by)| fell(?= with)|Most(?= takedowns)"
            said = re.sub(as_shapes, "", said)  # hearts, names struck out, the largest token
            missing = [word for word in _words(said).split() if f" {word} " not in shown_words]
            assert set(missing) <= {"next"}, card["card"]


def _words(text: str) -> str:
    return re.sub(r"[^\w%]+", " ", text).strip().casefold()


def test_names_stay_names(shown: Any) -> None:  # noqa: ANN401
    for name in HOSTILE:
        cards = [card for card in shown["cards"] if card["card"].startswith("hostile") and name in card["alt"]]
        assert len({card["card"].split("-")[1] for card in cards}) == 5, name
        for card in cards:
            texts = [str(element.text) for element in read(card).iter(f"{SVG}text")]
            assert any(name[:8] in text for text in texts), (name, texts)
