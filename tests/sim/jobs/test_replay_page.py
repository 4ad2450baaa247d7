"""What the page in a browser shows of a battle's file, asked as the browser asks."""

import json
from random import Random
from typing import Any

import pytest
from pydantic import JsonValue

from sim.core import RuleError
from sim.core.beacon import QUICKNET
from sim.core.journal import Journal, Kind
from sim.core.journal_file import dump, fragment, load
from sim.core.replay import Session, verify
from sim.jobs import system
from sim.jobs.replay_page import ReplayPage
from tests.beacon import SIGNED
from tests.conformance.example import plays, registered
from tests.conformance.test_attacks import ROUND, SEALED, at_ms
from tests.conformance.test_mutations import closed, mutate, reseal
from tests.sim.core.test_journal import text_in


def sealed(*notes: tuple[Kind, JsonValue], chain: str = QUICKNET.chain) -> Journal:
    """Return a duel of form 2 with these rows about the beacon; after two of them it has a step."""
    play = plays("duel")[0]
    session = Session(system("duel"), play.setup, play.seed, chain)
    for kind, action in notes:
        session.note(kind, action, "house")
    if len(notes) == len(SEALED):
        session.act(play.turns[0].action, play.turns[0].seat)
    session.end("nobody")
    return session.journal()


def message(digits: str, before_due: int) -> str:
    """Return a seal that was posted so many milliseconds before the round was due."""
    return f"{digits}@{at_ms(before_due)}"


def shown(page: ReplayPage, opened: str, most: int = 7) -> dict[str, Any]:
    """Return the head of a page, with all rows and the verdict."""
    head: dict[str, Any] = json.loads(opened)
    if "error" in head:
        return head
    head["views"] = []
    while True:
        answer = json.loads(page.advance(most))
        assert len(answer["rows"]) <= most
        head["views"] += answer["rows"]
        head |= {"verdict": answer["verdict"]} if "verdict" in answer else {}
        if answer["done"]:
            return head


def of_file(text: str) -> dict[str, Any]:
    page = ReplayPage()
    return shown(page, page.open_file(text.encode()))


def battle(name: str = "aa-battle", *, undone: bool = False) -> Journal:
    return closed(name, plays(name)[0], undone=undone)


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("undone", [False, True])
def test_every_games_battle_matches_and_has_a_card_of_each_row_that_needs_no_engine(name: str, undone: bool) -> None:
    journal, asked = battle(name, undone=undone), ReplayPage()
    page = shown(asked, asked.open_file(dump(journal).encode()))
    rows = len(journal.entries)
    assert page["verdict"]["kind"] == "match"
    assert page["verdict"]["headline"] == "Verified: every roll matches the seed."
    assert page["verdict"]["sentence"].startswith(
        f"{rows} rows checked. No player can choose such dice. Only a public beacon"
    )
    assert page["beacon"] is None
    assert [view["n"] for view in page["views"]] == list(range(1, rows + 1))
    assert (page["system"], page["rows"]) == (name, rows)
    assert page["seedHash"] == journal.head.seed_hash
    assert page["lastHash"] == journal.entries[-1].hash
    assert page["views"][-1]["parts"] == [["The battle is closed."]]
    assert page["views"][-1]["over"] is (journal.outcome is not None) is not undone
    assert not any("unchecked" in view for view in page["views"])
    for entry, view in zip(journal.entries, page["views"], strict=True):
        card = json.loads(asked.card(entry.n, len(view["parts"])))
        if card["svg"] is None:
            assert undone or entry.action == {"do": "step-out"}, "no hero is there, perhaps"
        else:
            assert card["svg"].startswith("<svg ")
            assert card["alt"]
    assert json.loads(asked.card(999, 1)) == {"svg": None, "alt": None}


def test_fifty_changes_are_found_at_the_row_that_verify_names() -> None:
    choose, page = Random(50), ReplayPage()
    originals = [battle(name, undone=True) for name in registered()]
    for number in range(50):
        _, text = mutate(dump(originals[number % len(originals)]), choose)
        text = reseal(text) if number % 2 else text
        found = shown(page, page.open_file(text.encode()))
        try:
            journal = load(text)
            report = verify(system(journal.head.system), journal)
        except RuleError as error:
            assert found["error"] == str(error)
            continue
        named = [entry.n for entry in journal.entries if entry.actor is not None]
        if report.mismatch is None and not named:
            assert found["verdict"]["kind"] == "match"
            continue
        row = named[0] if report.mismatch is None else report.mismatch.row
        assert (found["verdict"]["row"], found["verdict"]["kind"]) != (None, "match")
        assert found["verdict"]["row"] == row
        if report.mismatch is not None:
            assert report.mismatch.sentence in found["verdict"]["sentence"]
        assert len(found["views"]) == len(journal.entries), "all rows are told, whatever was found"


def test_the_rows_behind_the_first_that_does_not_follow_are_told_unchecked() -> None:
    text = reseal(dump(battle("duel")).replace('"left":', '"left":1', 1))
    page = of_file(text)
    row = page["verdict"]["row"]
    assert page["verdict"]["headline"] == f"This file was changed: row {row} doesn't follow."
    assert [view.get("unchecked", False) for view in page["views"]] == [
        number >= row for number in range(1, page["rows"] + 1)
    ]


def test_while_the_seed_is_secret_the_chain_is_checked_and_the_rows_are_told() -> None:
    journal = battle()
    page = of_file(dump(Journal(journal.head, journal.entries[:1], None, None)))
    assert page["verdict"]["kind"] == "secret"
    assert page["verdict"]["sentence"].startswith("1 row so far")
    assert page["ending"] == "The battle is still on."
    assert any("fires" in line for line in page["views"][0]["parts"][0])


def test_another_edition_of_the_rules_says_so() -> None:
    text = reseal(dump(battle()).replace('"rules":1', '"rules":2', 1))
    verdict = of_file(text)["verdict"]
    assert verdict["kind"] == "edition"
    assert verdict["sentence"].startswith("The battle was fought by edition 2 of the rules; this is edition 1.")


def test_unknown_games_and_files_that_are_no_journals_get_a_sentence() -> None:
    assert of_file(dump(battle()).replace("aa-battle", "go"))["error"] == "There are no battles of the system 'go'."
    assert "ASCII" in of_file("é")["error"]
    assert "at least two lines" in of_file("")["error"]
    assert "nested" in of_file("[" * 100_000 + "\n\n")["error"] or "JSON" in of_file("[" * 100_000 + "\n\n")["error"]


def test_events_that_nobody_checked_can_be_anything() -> None:
    journal = battle()
    text = reseal(dump(Journal(journal.head, journal.entries[:1], None, None)).replace('"event":"', '"event":"x', 1))
    page = of_file(text)
    assert page["views"][0]["parts"] == [["This row can't be read."]]


def test_a_link_is_opened_as_a_file_is() -> None:
    journal, page = battle(undone=True), ReplayPage()
    text = text_in(fragment(journal))
    found = shown(page, page.open_link(text))
    assert found == of_file(dump(journal))
    other = text.replace(journal.entries[-1].hash, "0" * 64)
    assert "not the one that was noted" in shown(page, page.open_link(other))["verdict"]["sentence"]
    assert "holds no battle" in shown(page, page.open_link("[]"))["error"]


def test_a_page_forgets_the_file_before() -> None:
    page = ReplayPage()
    page.open_file(dump(battle("duel")).encode())
    page.advance(1)
    assert "error" in json.loads(page.open_file(b"x"))
    assert json.loads(page.advance(5)) == {"rows": [], "done": True}
    assert json.loads(page.card(1, 1)) == {"svg": None, "alt": None}


def test_chances_are_given_by_seat() -> None:
    page = ReplayPage()
    shown(page, page.open_file(dump(battle("duel")).encode()))
    assert set(json.loads(page.chances(1, 1))["seats"]) <= {"group 1", "group 2"}
    before = json.loads(page.chances(0, 1))["seats"]
    assert 0 < before["group 1"] < 1, "the line begins before the first row"
    assert json.loads(page.chances(999, 1)) == {"seats": None}


@pytest.mark.parametrize("name", sorted({*registered()} - {"mka"}))  # whose turns are played one by one
def test_a_battle_fought_to_the_end_in_one_press_is_watched_round_by_round(name: str) -> None:
    rules, several = system(name), 0
    for play in plays(name):
        page, journal = ReplayPage(), closed(name, play, undone=False)
        told = shown(page, page.open_file(dump(journal).encode()))
        for entry, view in zip(journal.entries, told["views"], strict=True):
            rounds = [event for event in entry.events if isinstance(event, dict) and event["event"] == "round"]
            assert len(view["parts"]) == max(1, len(rounds))
            if len(rounds) > 1:
                several += 1
                whole = rules.lines(rules.events.read_all(entry.events))
                assert [line for part in view["parts"] for line in part] == whole
                cards = [json.loads(page.card(entry.n, part + 1))["alt"] for part in range(len(rounds))]
                assert all(cards)
                assert len({*cards}) > 1, "the rounds have cards of their own"
    assert several


def test_the_chances_within_a_row_are_those_of_each_of_its_rounds() -> None:
    page = ReplayPage()
    for play in plays("duel"):
        told = shown(page, page.open_file(dump(closed("duel", play, undone=False)).encode()))
        view = max(told["views"], key=lambda view: len(view["parts"]))
        seats = [json.loads(page.chances(view["n"], part + 1))["seats"] for part in range(len(view["parts"]))]
        if len(seats) > 2:
            assert all(0 < found["group 1"] < 1 for found in seats[:-1])
            assert set(seats[-1].values()) == {1.0}
            return
    pytest.fail("no duel has a run of rounds")


def told(journal: Journal, posted: str = "") -> tuple[dict[str, Any], str, list[str]]:
    """Return the page of a battle, and what it says of a seal."""
    page = ReplayPage()
    found = shown(page, page.open_file(dump(journal).encode()))
    answer = json.loads(page.seal(posted))
    return found, answer["kind"], answer["lines"]


@pytest.mark.parametrize(
    ("posted", "kind", "sentence"),
    [
        ("", "", f"Only the seal's message can show that round {ROUND} was still to come."),
        (f" {message('{seal}', 5250)}\n", "yes", "See for yourself that the bot wrote it, in that channel, unedited."),
        ("{seal}", "", "The digits are this battle's. Without the message's id, the time isn't checked."),
        (message("{seal}", -500), "no", f"The message came 0.500 s after round {ROUND} was due: too late"),
        ("0" * 64, "no", "The seal of this battle is {seal}, not the one of the message."),
        ("{seal}@", "no", "A seal is all 64 digits of its message"),
    ],
)
def test_a_seal_that_somebody_saw_gets_its_sentence(posted: str, kind: str, sentence: str) -> None:
    journal = sealed(*SEALED)
    digits = journal.entries[0].hash
    page, found, lines = told(journal, posted.format(seal=digits))
    assert page["verdict"]["headline"] == "Verified: every roll matches the seed and the signature in this file."
    assert found == kind
    assert lines[-1].startswith(sentence.format(seal=digits))
    assert ("The message was posted 5.2 s before the round was due." in lines) is (kind == "yes")
    assert lines[:-1] == [] if kind == "no" else lines[1] == "The signature belongs to that round."


def test_where_no_signature_can_be_checked_none_is_said_to_be_the_round_s(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = sealed(SEALED[0], (Kind.BEACON, {"signature": SIGNED[42]}))
    assert told(forged)[0]["verdict"]["sentence"].endswith(f"The signature is not the one of round {ROUND:,}.")
    monkeypatch.setattr("sim.core.seal.CHECKS_SIGNATURES", False)
    page, _, lines = told(forged)
    assert page["verdict"]["kind"] == "match"
    assert lines[0].startswith("The dice follow from the seed and from a signature, which isn't checked here: compare")
    assert not any(f"from round {ROUND}" in line or "is the one" in line for line in lines)


def test_of_rows_that_are_changed_or_not_checked_no_seal_shows_anything() -> None:
    journal, page = sealed(*SEALED), ReplayPage()
    digits = journal.entries[0].hash
    page.open_file(dump(journal).encode())
    assert json.loads(page.seal(digits)) == {"kind": "", "lines": []}, "there is no verdict yet"
    changed = load(dump(journal).replace('"seat":"nobody"', '"seat":"somebody"'))
    for other in (changed, Journal(journal.head, journal.entries[:3], None, None)):
        assert told(other)[1:] == ("", [])
        unchecked = "The digits are this battle's, but its dice weren't checked: see the verdict."
        assert told(other, message(digits, 5000))[1:] == ("", [unchecked])


def test_what_to_compare_is_shown_as_far_as_it_is_there() -> None:
    compared = {"round": ROUND, "address": f"https://api.drand.sh/{QUICKNET.chain}/public/{ROUND}"}
    page, _, lines = told(sealed(SEALED[0]))
    assert page["beacon"] == {**compared, "signature": None}
    assert page["verdict"]["headline"] == "No dice were rolled."
    assert lines == ["Its dice were not fixed yet; none were rolled."]
    assert told(sealed(*SEALED))[0]["beacon"] == {**compared, "signature": SIGNED[ROUND]}
    assert told(sealed(*SEALED, chain="0" * 64))[0]["beacon"] is None, "nobody knows that chain"
