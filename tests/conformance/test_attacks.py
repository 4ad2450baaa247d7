"""Attacks on a sealed battle: forged journals, messages that are no seal, words, a way around, a host who grinds.

A forgery is made by a host who can seal rows again, and has the sentence that refuses it. The battle is form 2 of the
journal by drand's quicknet; everybody saw the message with its seal in time.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import JsonValue

from sim.core import RuleError
from sim.core.beacon import QUICKNET
from sim.core.dice import SeededDice
from sim.core.journal import Head, Journal, JournalRow, Kind, dice_key, seal_row, seed_hash
from sim.core.journal_file import dump, load
from sim.core.replay import Session, verify
from sim.core.seal import PostedSeal, read_seal
from sim.core.values import canonical
from tests.beacon import CHAIN, SIGNED, sign
from tests.sim.core.coins import Coins, Table, Toss
from tests.sim.core.test_replay import resealed

ROUND = 1000
SEALED: tuple[tuple[Kind, JsonValue], ...] = (
    (Kind.ROUND, {"round": ROUND}),
    (Kind.BEACON, {"signature": SIGNED[ROUND]}),
)

OUTSIDE = (
    "94385d48ab9d338824a523ff7d310fbeeac0184598d56b49f27857bcd3ef91f6ead1c7ef99c9beee47784ebba5c635de",
    "b75f0e003e38574491315ae131cc9dd48c35ae3890ffbae6515913094655f6d29c2094a2128e16c66cedd78b2792144e",
    "8bb7a0df0eb80f3b633c1dedcca1732442d2183de6d24ecbb94db5230cd8d527d9c2be4699f7a75ec476255b7757781e",
)
"""Points outside the subgroup, which a pairing alone takes for signatures of the round."""

NO_NUMBERS: tuple[JsonValue, ...] = ("1000", True, 0, 1 << 36, 3.0, None)

Attack = Callable[[Journal], Journal]
"""What makes a forged journal of the true one."""


def fought(*notes: tuple[Kind, JsonValue], seed: bytes = b"seed", chain: str | None = QUICKNET.chain) -> Journal:
    """Return the journal of a battle to its end, which follows the rules; without other notes it is the true one."""
    play = Session(Coins(), Table(coins=2), seed, chain)
    for kind, action in notes or (SEALED if chain else ()):
        play.note(kind, action, "house")
    while play.outcome is None:
        play.act(Toss(), "player")
    play.end("player")
    return play.journal()


def rows(change: Callable[[JournalRow, JournalRow, list[JournalRow]], list[JournalRow]]) -> Attack:
    """Arrange the row that names the round, the one with its signature, and the steps in another way."""
    return lambda fair: resealed(fair, entries=change(fair.entries[0], fair.entries[1], list(fair.entries[2:])))


def named(action: JsonValue) -> Attack:
    """Let the row that names the round say something else."""
    return rows(lambda named, signed, steps: [replace(named, action_json=canonical(action)), signed, *steps])


def signed(action: JsonValue) -> Attack:
    """Let the row with the signature say something else."""
    return rows(lambda named, signed, steps: [named, replace(signed, action_json=canonical(action)), *steps])


NO_ROUND = "Row 1 names no round of the beacon."
UNSIGNED = "Row 2 lacks the beacon's signature: "
NO_SIGNATURE = f"{UNSIGNED}A signature has 96 digits from 0 to 9 and a to f, no capitals."
NO_POINT = f"{UNSIGNED}The signature is no point of the group in which the beacon signs."
NOT_THE_ROUND_S = f"{UNSIGNED}The signature is not the one of round 1,000."
EARLY = "Row {} rolls dice before the signature of the beacon's round is there."
TOO_MANY = "Row {} is one too many about a beacon: one names a round, and the next has its signature."
NOT_THE_SEAL = "The seal of this battle is {seal}, not the one of the message."
NO_SEAL = "This battle named no round of a beacon, so the message isn't its seal."
BY_THE_MESSAGE = {NOT_THE_SEAL, NO_SEAL}
"""Who has no message can't tell these battles from fair ones."""

FORGERIES: dict[str, tuple[Attack, str]] = {
    "another round": (named({"round": ROUND + 1}), f"{UNSIGNED}The signature is not the one of round 1,001."),
    **{f"{number!r} for a round": (named({"round": number}), NO_ROUND) for number in NO_NUMBERS},
    "no round": (named({}), NO_ROUND),
    "nothing for a round": (named(None), NO_ROUND),
    "a chain of the host's own": (
        lambda _: fought(SEALED[0], (Kind.BEACON, {"signature": sign(ROUND)}), chain=CHAIN.chain),
        f"The head names the chain {CHAIN.chain}, which is of no beacon that Fracas knows.",
    ),
    "a key of the host's own": (signed({"signature": sign(ROUND)}), NOT_THE_ROUND_S),
    "a signature of another round": (signed({"signature": SIGNED[42]}), NOT_THE_ROUND_S),
    "the point at infinity": (signed({"signature": "c0" + "00" * 47}), NOT_THE_ROUND_S),
    "the mirrored point": (signed({"signature": f"9{SIGNED[ROUND][1:]}"}), NOT_THE_ROUND_S),
    **{f"outside the subgroup: {text[:4]}": (signed({"signature": text}), NO_POINT) for text in OUTSIDE},
    "upper case": (signed({"signature": SIGNED[ROUND].upper()}), NO_SIGNATURE),
    "the round is missing": (rows(lambda _, signed, steps: [signed, *steps]), TOO_MANY.format(1)),
    "the signature is missing": (rows(lambda named, _, steps: [named, *steps]), EARLY.format(2)),
    "both are missing": (rows(lambda _named, _signed, steps: steps), EARLY.format(1)),
    "the signature first": (rows(lambda named, signed, steps: [signed, named, *steps]), TOO_MANY.format(1)),
    "the round twice": (rows(lambda named, signed, steps: [named, named, signed, *steps]), TOO_MANY.format(2)),
    "the signature twice": (rows(lambda named, signed, steps: [named, signed, signed, *steps]), TOO_MANY.format(3)),
    "a late signature": (rows(lambda named, signed, steps: [named, steps[0], signed, *steps[1:]]), EARLY.format(2)),
    "both after a step": (rows(lambda named, signed, steps: [steps[0], named, signed, *steps[1:]]), EARLY.format(1)),
    "both again": (rows(lambda named, signed, steps: [named, signed, steps[0], named, signed]), TOO_MANY.format(4)),
    "dice of another key": (
        rows(lambda named, signed, _steps: [named, signed, *fought(seed=b"lucky").entries[2:]]),
        "Row 3 has other events than the dice lead to.",
    ),
    "another seed revealed": (
        lambda fair: replace(fair, seed=b"better"),
        "The seed is not the one whose hash was shown when the battle opened.",
    ),
    "another seed, once the round is known": (lambda _: fought(seed=b"better"), NOT_THE_SEAL),
    "words before the round, once it is known": (lambda _: fought((Kind.SEATS, "please"), *SEALED), NOT_THE_SEAL),
    "words beside the round": (named({"round": ROUND, "words": "please"}), NO_ROUND),
    "words beside the signature": (signed({"signature": SIGNED[ROUND], "words": "please"}), NO_SIGNATURE),
    "a way around: unreachable": (signed({"unreachable": True}), NO_SIGNATURE),
    "a way around: nothing": (signed(None), NO_SIGNATURE),
    "a way around: another round named": (
        lambda _: fought(SEALED[0], (Kind.ROUND, {"round": 42}), (Kind.BEACON, {"signature": SIGNED[42]})),
        TOO_MANY.format(2),
    ),
    "a way around: form 1": (lambda _: fought(chain=None), NO_SEAL),
    "a round in form 1": (
        lambda fair: resealed(replace(fair, head=replace(fair.head, chain=None))),
        "Row 1 is one too many about a beacon: its head names none.",
    ),
}


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
def test_a_seal_is_all_digits_and_the_id_or_the_link_of_its_message(text: str) -> None:
    by_id = read_seal(f"{'ab' * 32}@{1 << 60}")
    assert read_seal(f"{'ab' * 32}@https://discord.com/channels/@me/7/{1 << 60}") == by_id
    with pytest.raises(RuleError, match=r"^A seal is all 64 digits of its message \("):
        read_seal(text)


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
    head = Head("coins", 1, "{}", seed_hash(seed), None if signed is None else QUICKNET.chain)
    rows = [] if signed is None else [_row(*SEALED[0], previous=head.hash), signed]
    key = dice_key(head, rows, seed)
    return key is not None and SeededDice(key, 1).roll(6) > 4


def _row(kind: Kind, action: JsonValue, previous: str = "0" * 64) -> JournalRow:
    return seal_row(previous, 1, kind=kind, seat="house", state_hash="0" * 64, action_json=canonical(action))
