"""The site in a real browser: it verifies what is good, finds what is changed, and survives what is hostile."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.replay_site import served
from sim.axis_allies.small_odds import small_answer
from sim.core.beacon import QUICKNET
from sim.core.journal import Journal
from sim.core.journal_file import dump, fragment, load
from sim.core.replay import Session
from sim.jobs.replay_page import ReplayPage
from sim.mad_killer_agents.battle.rules import MapWar
from tests.beacon import SIGNED
from tests.bot.replay_site.conftest import PATIENCE, Visit
from tests.conformance.example import plays, registered
from tests.conformance.test_attacks import ROUND, SEALED
from tests.conformance.test_mutations import closed, reseal
from tests.sim.jobs.test_replay_page import message, sealed, shown
from tests.sim.mad_killer_agents.builders import EndTurn, setup, terrain


def long_war(rows: int) -> Journal:
    """Return a closed war of two people with so many rows: half of it is fought again whenever it is over."""
    war = Session(MapWar(), setup("Anna", "Ben", rounds=500, ground=terrain(side=12)), b"a long war")
    while len(war.entries) < rows - 1:
        offers = {offer.name: offer for offer in war.system.legal(war.state)}
        if offers:
            offer = offers.get("begin") or offers["end-turn"]
            war.act(offer.action or EndTurn(), offer.seats[0])
        else:
            war.undo(len(war.entries) // 2, "referee")
    war.end("referee")
    return war.journal()


pytestmark = pytest.mark.browser

ROWS = 5000
FAIR = "Verified: every roll matches the seed."


def battle(name: str, number: int = 0) -> str:
    return dump(closed(name, plays(name)[number], undone=True))


@pytest.fixture(scope="module")
def page(site: Path, visit: Callable[..., Visit]) -> Visit:
    """Return the site opened from the disk, without a network."""
    return visit((site / "index.html").as_uri(), offline=True)


def sideways(page: Visit) -> int:
    """Return by how much the page is wider than the window."""
    width: int = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return width


@pytest.mark.parametrize("name", registered())
def test_every_games_battle_matches(page: Visit, name: str) -> None:
    for number in range(2):
        text = battle(name, number)
        rows = len(load(text).entries)
        kind, words = page.judge("battle.jsonl", text.encode())
        assert kind == "match"
        assert words.startswith(f"{FAIR}\n\n{rows} rows checked. No player can choose such dice.")
        assert page.page.locator("#rows li").count() == rows
        assert page.page.locator("#rows .good").count() == rows
        assert page.page.inner_text("#last-hash") == load(text).entries[-1].hash
        assert page.page.inner_text("#lines").strip()
    assert sideways(page) == 0


def test_a_war_of_thousands_of_rows(page: Visit, record_property: Callable[[str, object], None]) -> None:
    text = dump(long_war(ROWS)).encode()
    began = time.monotonic()
    assert page.judge("war.jsonl", text)[0] == "match"
    record_property("seconds", round(time.monotonic() - began, 1))
    page.page.keyboard.press("End")
    assert page.page.inner_text("#place") == f"{ROWS:,} of {ROWS:,}"
    changed = text.replace(b'"hash":"', b'"hash":"f', 4321).replace(b'"hash":"f', b'"hash":"', 4320)
    assert page.judge("war.jsonl", changed)[0] == "trouble"


HOSTILE = {
    "nothing": b"",
    "binary": bytes(range(256)) * 4096,
    "zip": b"PK\x03\x04" + bytes(1000),
    "deep": b'{"head":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n{}\n",
    "rather deep": b'{"head":' + b"[" * 180 + b"]" * 180 + b"}\n{}\n",
    "never closed": b'{"head":' + b'{"a":[' * 100_000,
    "wrong types": b'{"head":{"format":"x","system":[],"rules":{},"setup":0,"seed_hash":1}}\n{"closing":7}\n',
    "long line": b'{"head":"' + b"a" * (5 << 20) + b'"}\n{}\n',
    "long number": b'{"head":' + b"9" * 10_000 + b"}\n{}\n",
    "markup": b"<script>document.title='owned'</script>\n<img src=x onerror=alert(1)>\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_get_a_sentence_and_the_page_stays_usable(page: Visit, name: str) -> None:
    kind, words = page.judge(f"{name}.jsonl", HOSTILE[name])
    assert kind == "trouble"
    assert 10 < len(words) < 400
    assert words.endswith(".")
    assert page.judge("good.jsonl", battle("duel").encode())[0] == "match"


def test_a_file_of_a_hundred_megabytes_is_not_even_read(page: Visit, tmp_path: Path) -> None:
    big = tmp_path / "big.jsonl"
    with big.open("wb") as file:
        file.truncate(100 << 20)
    page.page.evaluate("document.getElementById('trouble').hidden = true")
    page.page.set_input_files("#file", big)
    assert page.verdict() == ("trouble", "This is no journal: a battle's file has at most 64 MiB.")


def test_nothing_of_a_file_becomes_markup(page: Visit) -> None:
    evil = "<img src=x onerror=document.title='owned'>"
    text = battle("duel").replace('"Njal"', json.dumps(evil)).replace('"mka"', json.dumps(evil))
    page.judge("evil.jsonl", reseal(text).encode())
    named = battle("aa-battle").replace('"referee"', json.dumps(evil[:40]))
    page.judge("evil.jsonl", reseal(named).encode())
    assert page.page.locator("main img").count() == 1, "the card's alone"
    assert "owned" not in page.page.title()


def test_play_and_jump(page: Visit) -> None:
    text = battle("boss-fight")
    page.judge("battle-7.jsonl", text.encode())
    page.page.locator("body").click(position={"x": 2, "y": 2})
    place = page.page.locator("#place")
    rows = len(load(text).entries)
    for key, row in (("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", rows)):
        page.page.keyboard.press(key)
        assert place.inner_text() == f"{row} of {rows}"
    page.page.click("#rows li:nth-child(2) button")
    assert place.inner_text() == f"2 of {rows}"
    page.page.click("text=What if? Copy the command")
    assert page.page.evaluate("getSelection().toString()") == "/battle branch row:2 number:7"
    page.page.select_option("#speed", "20")
    page.page.click("#play")
    page.page.wait_for_function(f"() => document.getElementById('place').textContent === '{rows} of {rows}'")
    page.page.wait_for_function("() => document.getElementById('play').textContent === 'Play'")
    page.page.click("#paste")
    page.page.fill("#pasted", battle("mka"))
    page.page.evaluate("document.getElementById('verdict').className = 'checking'")
    page.page.click("#take")
    assert page.verdict()[0] == "match"
    names: list[str] = page.page.eval_on_selector_all(
        "button, select, input:not([hidden]), textarea",
        "all => all.map(one => one.ariaLabel || one.labels?.[0]?.textContent || one.textContent)",
    )
    assert all(name.strip() for name in names)


def test_chances_and_a_card_are_drawn(page: Visit) -> None:
    assert page.judge("battle.jsonl", battle("duel", 1).encode())[0] == "match"
    page.page.wait_for_selector("#chart polyline", timeout=PATIENCE)
    assert "Group 1" in page.page.inner_text("#chart")
    page.page.wait_for_function("() => document.getElementById('card').naturalWidth > 0", timeout=PATIENCE)
    assert page.page.get_attribute("#card", "alt")
    assert page.judge("battle.jsonl", battle("mka").encode())[0] == "match"
    assert not page.page.is_visible("#chances"), "nobody can fight a war on"


def test_chances_that_nobody_knows_are_not_drawn(page: Visit) -> None:
    text = dump(closed("aa-battle", plays("aa-battle")[8], undone=False))
    assert page.judge("battle.jsonl", text.encode())[0] == "match"
    page.page.wait_for_selector("#chart polyline", timeout=PATIENCE)
    page.page.locator("body").click(position={"x": 2, "y": 2})
    page.page.keyboard.press("Home")
    assert page.page.inner_text("#chart") == "Nobody knows the chances here."
    starts = page.page.eval_on_selector_all(
        "#chart polyline", "all => all.map(one => parseFloat(one.getAttribute('points')))"
    )
    assert min(starts) > 400, "the first half of this battle has players who choose"
    page.page.keyboard.press("End")
    page.page.wait_for_function("() => /Nobody wins 100%/.test(document.getElementById('chart').innerText)")


def test_one_press_is_watched_round_by_round_with_keys_alone(page: Visit) -> None:
    journals = [closed("duel", play, undone=False) for play in plays("duel")]
    journal = max(journals, key=lambda journal: max(len(entry.events) for entry in journal.entries))
    assert page.judge("battle.jsonl", dump(journal).encode())[0] == "match"
    page.page.focus("#rows")
    assert page.page.is_visible("#branch")
    page.page.keyboard.press("End")
    assert not page.page.is_visible("#branch"), "all is over there"
    page.page.keyboard.press("Home")
    seen = []
    while (title := page.page.inner_text("#row-title")) not in seen:
        seen.append(title)
        page.page.keyboard.press("ArrowDown")
    rounds = [title for title in seen if ", round " in title]
    assert len(rounds) > 1
    assert ", round 1 of" in rounds[0]
    assert page.page.get_attribute("#slider", "max") == str(len(seen))
    unreached = "all => all.filter(one => getComputedStyle(one).overflowY === 'auto' && one.tabIndex < 0).length"
    assert page.page.eval_on_selector_all("main *", unreached) == 0, "what scrolls can be reached by keyboard"


def test_the_hash_from_discord_says_whether_it_is_the_battle(page: Visit) -> None:
    text = dump(closed("duel", plays("duel")[0], undone=False))
    last = load(text).entries[-1].hash
    other = ("0" if last[0] != "0" else "1") + last[1:]
    page.judge("battle.jsonl", text.encode())
    assert page.page.inner_text("#same") == ""
    yes = dict.fromkeys((last, f"`{last[:16]}`…", last[:12].upper()), "Yes: this is the battle you saw.")
    for noted, answer in {**yes, other: "No: the hashes differ.", last[:5]: "Paste at least the first 12"}.items():
        page.page.fill("#noted", noted)
        assert page.page.inner_text("#same").startswith(answer)
    changed = reseal(text.replace('"left":', '"left":1', 1))
    rules = ReplayPage()
    expected = shown(rules, rules.open_file(changed.encode()))["verdict"]
    kind, words = page.judge("battle.jsonl", changed.encode())
    assert (kind, words.splitlines()[0], expected["sentence"] in words) == ("mismatch", expected["headline"], True)
    assert page.page.text_content("#rows li:has(.bad) .n") == str(expected["row"])
    page.page.fill("#noted", load(changed).entries[-1].hash)
    assert page.page.inner_text("#same").startswith("The hash is the same, but")


PASTE = """(field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""


def test_the_seal_is_checked_and_the_signature_shown_to_compare(page: Visit) -> None:
    journal, box, told = sealed(*SEALED), page.page.locator("#posted"), page.page.locator("#sealed")
    page.judge("plain.jsonl", battle("duel").encode())
    assert not box.is_visible(), "no beacon has a part in these dice"
    assert page.judge("sealed.jsonl", dump(journal).encode())[0] == "match"
    told.get_by_text("was still to come").wait_for()
    assert told.inner_text().startswith("The dice follow from the seed and from a signature, which isn't checked here")
    address = f"https://api.drand.sh/{QUICKNET.chain}/public/{ROUND}"
    for name, text in (("signature", SIGNED[ROUND]), ("address", address)):
        page.page.click(f"[data-of={name}]")
        assert page.page.evaluate("getSelection().toString()") == text
    digits = journal.entries[0].hash
    for posted, sentence, kind in (("12ab", "all 64 digits", "no"), (message(digits, 5000), "5.0 s before", "yes")):
        box.fill(posted)
        told.get_by_text(sentence).wait_for()
        assert told.get_attribute("class") == kind
    box.evaluate(PASTE, message(digits, 5000))
    assert box.is_visible(), "what is pasted there is no other battle"
    for width in (412, 1100):
        page.page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) == 0
    page.judge("again.jsonl", dump(journal).encode())
    assert box.input_value() == ""


@pytest.mark.parametrize("width", [412, 1100])
def test_the_player_covers_no_text(page: Visit, width: int) -> None:
    page.judge("battle.jsonl", battle("duel").encode())
    page.page.set_viewport_size({"width": width, "height": 900})
    page.page.locator("#lines").scroll_into_view_if_needed()
    box = "document.querySelector('{}').getBoundingClientRect().{}"
    assert page.page.evaluate(f"{box.format('#controls', 'bottom')} <= {box.format('#lines', 'top')}")
    assert sideways(page) == 0


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site as the offline table does, in a thread: playwright waits in this one."""
    found: list[str] = []
    up, down = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with served(site) as where:
            found.append(where)
            up.set()
            await down.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert up.wait(30)
    yield found[0]
    loop.call_soon_threadsafe(down.set)
    thread.join()
    loop.close()


def test_a_link_opens_the_battle_that_it_holds(address: str, visit: Callable[..., Visit]) -> None:
    journal = closed("aa-battle", plays("aa-battle")[2], undone=True)
    page = visit(f"{address}#j={fragment(journal)}&n=12", 1100)
    assert page.verdict()[0] == "match"
    assert page.page.inner_text("#last-hash") == journal.entries[-1].hash
    assert page.page.inner_text("#what-if").endswith(" number:12")
    assert sideways(page) == 0
    changes: dict[str, Any] = {"#j=xxxx": "trouble", "#j=": "trouble", f"#j={fragment(journal)[:-9]}": "trouble"}
    for part, kind in changes.items():
        page.page.evaluate("part => { document.getElementById('trouble').hidden = true; location.hash = part }", part)
        assert page.verdict()[0] == kind


def test_a_link_answers_the_question_that_it_holds(address: str, visit: Callable[..., Visit]) -> None:
    page = visit(f"{address}#q=1942:%202%20sub,%201%20dd,%201%20bb%20vs%202%20sub,%201%20carrier,%201%20ftr")
    page.page.wait_for_selector("#odds:visible", timeout=PATIENCE)
    told = page.page.inner_text("#odds")
    question = "1942: 2 submarines, 1 destroyer, 1 battleship vs 2 submarines, 1 aircraft carrier, 1 fighter"
    assert told.splitlines()[0] == question
    assert [line for line in told.splitlines() if line] == small_answer(question)
    assert page.page.input_value("#question").startswith("1942: 2 sub")
    assert sideways(page) == 0
    for typed, why in {
        "20 inf vs 3 tanks": "more than 12 units",
        "<img src=x> vs 3 inf": "No unit has this name",
    }.items():
        page.page.fill("#question", typed)
        page.page.click("#asking button")
        page.page.wait_for_selector("#trouble:visible", timeout=PATIENCE)
        assert why in page.page.inner_text("#trouble")
        assert page.page.locator("#odds").is_hidden()
