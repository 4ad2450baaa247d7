"""Attacks on a sealed battle: forged journals, messages that are no seal, words, a way around, a host who grinds."""

import pytest
from pydantic import JsonValue

from sim.core.beacon import QUICKNET
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import HeadRow, JournalRow, Kind, dice_key, seal_row, seed_hash
from sim.core.journal_file import dump, load
from sim.core.replay import Session, verify
from sim.core.seal import PostedSeal, read_seal
from sim.core.values import canonical
from tests.beacon import SIGNED
from tests.conformance.attacks.forgeries import BY_THE_MESSAGE, FORGERIES, ROUND, SEALED, Attack, fought
from tests.sim.core.coins import Coins, Table, Toss

DISCORD_BEFORE_MS = 1_420_070_400_000


def at_ms(before_due: int) -> int:
    """Return the id of a message that was posted so many milliseconds before the round was due."""
    return (QUICKNET.due(ROUND) * 1000 - before_due - DISCORD_BEFORE_MS) << 22


@pytest.mark.parametrize(("attack", "sentence"), FORGERIES.values(), ids=FORGERIES)
def test_each_forgery_is_refused_with_its_sentence(attack: Attack, sentence: str) -> None:
    fair = fought()
    posted = PostedSeal(fair.entries[0].hash, at_ms(5000))
    assert verify(Coins(), fair, None, posted).match
    forged = load(dump(attack(fair)))
    mismatch = verify(Coins(), forged, None, posted).mismatch
    assert mismatch is not None
    seal = next((row.hash for row in forged.entries if row.kind is Kind.ROUND), None)
    assert mismatch.sentence == sentence.format(seal=seal)
    assert verify(Coins(), forged).match is (sentence in BY_THE_MESSAGE)


@pytest.mark.parametrize(
    ("hash_of", "before_due", "sentence"),
    [
        (0, 1000, None),
        (0, 5000, None),
        (0, 999, "The message came 0.999 s before round 1000 was due: too late to show anything."),
        (0, -500, "The message came 0.500 s after round 1000 was due: too late to show anything."),
        (1, 5000, "The seal of this battle is "),
    ],
)
def test_only_the_right_message_in_time_is_a_seal(hash_of: int, before_due: int, sentence: str | None) -> None:
    journal = fought()
    posted = PostedSeal(journal.entries[hash_of].hash, at_ms(before_due))
    mismatch = verify(Coins(), journal, None, posted).mismatch
    assert (mismatch is None) if sentence is None else (mismatch is not None and mismatch.sentence.startswith(sentence))


@pytest.mark.parametrize(
    "text", [*(f"{digits}@{1 << 60}" for digits in ("ab" * 31, "ab" * 6, "AB" * 32)), "ab" * 32, "ab" * 32 + "@7", ""]
)
def test_a_seal_of_fewer_digits_is_none(text: str) -> None:
    with pytest.raises(RuleError, match=r"^A seal is all 64 digits of its message \("):
        read_seal(text)


def test_a_message_is_named_by_its_id_or_its_link() -> None:
    by_id = read_seal(f"{'ab' * 32}@{1 << 60}")
    assert read_seal(f"{'ab' * 32}@https://discord.com/channels/@me/7/{1 << 60}") == by_id


def test_words_after_the_round_is_known_choose_no_dice() -> None:
    battles = [fought(*SEALED, (Kind.SEATS, f"try {number}")) for number in range(16)]
    assert all(verify(Coins(), battle).match for battle in battles)
    assert {battle.key for battle in battles} == {fought().key}


def test_there_is_no_step_before_the_signature() -> None:
    play = Session(Coins(), Table(), b"seed", QUICKNET.chain)
    for kind, action in SEALED:
        with pytest.raises(RuleError, match=r"The dice wait for the beacon\."):
            play.act(Toss(), "player")
        play.note(kind, action, "house")
    play.act(Toss(), "player")


OPENINGS = 10_000


def test_a_host_who_tries_seeds_first_wins_the_expected_share() -> None:
    """He opens with a seed that would win if a round that is out were the one; then one comes that wasn't known."""
    chance, wins, alone, known = 1 / 3, 0, 0, _row(Kind.BEACON, {"signature": SIGNED[42]})
    for opening in range(OPENINGS):
        seeds = [b"%d/%d" % (opening, number) for number in range(100)]
        coming = _row(Kind.BEACON, {"signature": f"{opening:096x}"})  # a stand-in: the key takes any
        wins += _wins(next(seed for seed in seeds if _wins(seed, known)), coming)
        alone += _wins(next(seed for seed in seeds if _wins(seed)))
    assert alone == OPENINGS, "in form 1 he always wins"
    surplus = wins - OPENINGS * chance
    assert surplus**2 / (OPENINGS * chance * (1 - chance)) < 10.8, "chi-square with one degree, one in 1,000"


def _wins(seed: bytes, signed: JournalRow | None = None) -> bool:
    """Return whether the first die is a 5 or a 6: in form 2 with the row of a signature, else in form 1."""
    head = HeadRow("coins", 1, "{}", seed_hash(seed), None if signed is None else QUICKNET.chain)
    rows = [] if signed is None else [_row(*SEALED[0], previous=head.hash), signed]
    key = dice_key(head, rows, seed)
    return key is not None and SeededDice(key, 1).roll(6) > 4


def _row(kind: Kind, action: JsonValue, previous: str = "0" * 64) -> JournalRow:
    return seal_row(previous, 1, kind=kind, seat="house", state_hash="0" * 64, action_json=canonical(action))
