"""Form 2 of the journal: known keys and rolls, a battle through file and link, forgeries with their sentences."""

import base64
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import JsonValue

from sim.__main__ import main
from sim.core.beacon import BEACONS, QUICKNET
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import Entry, Journal, Kind, beacon_key, seal
from sim.core.journal_file import dump, fragment, load, restore, unpack
from sim.core.replay import Session, verify
from sim.core.seal import PostedSeal, read_seal
from tests.beacon import CHAIN, sign
from tests.sim.core.coins import Coins, Table, Toss

KNOWN = (
    (
        *("00" * 32, bytes(range(32)).hex(), 1000),
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
        "8fb0bcdbdc57a5ad0ad244b10ea438b4113d55918d9da1469a8bc489d0713af7",
        {1: "2 4 2 4 3 2 4 6 5 5", 7: "6 6 4 2 2 5 2 6 6 4"},
    ),
    (
        *("634768dae1474506e4bf7d341890542b09987d7e6aea5d446c02e37581a56954", "ff" * 32, 657413),
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
        "58318167b7d3e1522a1112bb000be48c22dcac6eb46be4341f35eaf87de8747f",
        {1: "6 6 5 6 5 6 4 4 3 3", 7: "5 5 3 4 3 5 5 2 3 3"},
    ),
    (
        *("ab" * 32, "0000000000000007", 42),
        "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
        "e7c79d9cb35861082c2b913aeda02a96678bffde5b7a795682cebc00ce80d9d1",
        {1: "1 2 4 5 5 3 4 4 6 6", 7: "3 6 3 4 3 4 1 1 1 5"},
    ),
)
"""The hash of the row, the seed, the round, its signature; the key that follows, and rolls of two steps."""

OUTSIDE = (
    "94385d48ab9d338824a523ff7d310fbeeac0184598d56b49f27857bcd3ef91f6ead1c7ef99c9beee47784ebba5c635de",
    "b75f0e003e38574491315ae131cc9dd48c35ae3890ffbae6515913094655f6d29c2094a2128e16c66cedd78b2792144e",
    "8bb7a0df0eb80f3b633c1dedcca1732442d2183de6d24ecbb94db5230cd8d527d9c2be4699f7a75ec476255b7757781e",
)
"""Points outside the subgroup, which a pairing alone takes for signatures of round 1000."""

DISCORD_BEFORE_MS = 1_420_070_400_000


def test_the_chain_s_hash_covers_all_that_makes_it() -> None:
    assert QUICKNET.chain == "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    assert QUICKNET.first_round(QUICKNET.due(1000)) == 1000
    assert QUICKNET.first_round(QUICKNET.due(1000) + 0.001) == 1001
    assert QUICKNET.first_round(0) == 1


@pytest.mark.parametrize(("row", "seed", "number", "signature", "key", "rolls"), KNOWN)
def test_known_rounds_give_known_dice(  # one worked example
    row: str,
    seed: str,
    number: int,
    signature: str,
    key: str,
    rolls: dict[int, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert QUICKNET.flaw(number, signature) is None
    assert QUICKNET.flaw(number + 1, signature) == f"The signature is not the one of round {number + 1:,}."
    assert beacon_key(row, bytes.fromhex(seed), signature).hex() == key
    for step, expected in rolls.items():
        dice = SeededDice(bytes.fromhex(key), step)
        assert " ".join(str(dice.roll(6)) for _ in range(10)) == expected
        beacon = ["--row", row, "--round", str(number), "--signature", signature]
        assert main(["dice", "--seed", seed, *beacon, "--step", str(step), "--count", "10"]) == 0
        assert capsys.readouterr().out == f"{expected}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--signature", OUTSIDE[0]], "The signature is no point of the group in which the beacon signs."),
        (["--signature", OUTSIDE[1]], "The signature is no point of the group in which the beacon signs."),
        (["--signature", OUTSIDE[2]], "The signature is no point of the group in which the beacon signs."),
        (["--signature", KNOWN[1][3]], "The signature is not the one of round 1,000."),
        (["--signature", KNOWN[0][3].upper()], "A signature has 96 digits from 0 to 9 and a to f, no capitals."),
        (["--signature", "c0" + "00" * 47], "The signature is not the one of round 1,000."),
        (["--row", "00"], "The row's hash has 64 digits from 0 to 9 and a to f."),
        (["--seed", "abc"], "The seed has an even number of digits, 128 at most from 0 to 9 and a to f."),
    ],
)
def test_what_is_no_known_round_is_refused(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row, seed, number, signature, _, _ = KNOWN[0]
    given = ["--seed", seed, "--row", row, "--round", str(number), "--signature", signature, "--step", "1"]
    assert main(["dice", *given, *arguments]) == 2
    assert capsys.readouterr().err == f"{sentence}\n"


def test_dice_of_form_1_need_the_seed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dice", "--seed", "07", "--step", "3", "--count", "5", "--sides", "20"]) == 0
    dice = SeededDice(b"\7", 3)
    assert capsys.readouterr().out == " ".join(str(dice.roll(20)) for _ in range(5)) + "\n"
    assert main(["dice", "--seed", "07", "--step", "3", "--round", "7"]) == 2
    assert capsys.readouterr().err == "Dice of a sealed battle need --row, --round and --signature, all three.\n"


ROUND = 300


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BEACONS, CHAIN.chain, CHAIN)


def fought(*notes: tuple[Kind, JsonValue], chain: str | None = CHAIN.chain) -> Journal:
    play = Session(Coins(), Table(coins=2), b"seed", chain)
    for kind, action in notes or ((Kind.ROUND, {"round": ROUND}), (Kind.BEACON, {"signature": sign(ROUND)})):
        play.note(kind, action, "house")
    while play.outcome is None:
        play.act(Toss(), "player")
    play.end("player")
    return play.journal()


def test_a_sealed_battle_matches_also_from_its_file_and_its_link() -> None:
    journal = fought()
    assert verify(Coins(), journal).match
    assert load(dump(journal)) == journal
    assert verify(Coins(), restore(Coins(), unpack(_unzip(fragment(journal)))), journal.entries[-1].hash).match


def _unzip(text: str) -> str:
    return zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), -15).decode("ascii")


def again(journal: Journal, change: Callable[[list[Entry]], list[Entry]], **head: JsonValue) -> Journal:
    """Return a journal with other rows, each sealed again as somebody would who knows how; and another head."""
    other = journal.head.model_copy(update=head)
    rows: list[Entry] = []
    for row in change(list(journal.entries)):
        fresh = seal(other, rows, kind=row.kind, seat=row.seat, state=0, action=row.action, events=row.events)
        fresh = fresh.model_copy(update={"state_hash": row.state_hash})
        rows.append(fresh.model_copy(update={"hash": fresh.seal()}))
    return replace(journal, head=other, entries=tuple(rows))


NO_ROUNDS: list[JsonValue] = [
    {"round": "300"},
    {"round": True},
    {"round": 0},
    {"round": 1 << 36},
    {"round": 3.0},
    None,
    {},
]


def with_action(at: int, action: JsonValue) -> Callable[[list[Entry]], list[Entry]]:
    return lambda rows: [row.model_copy(update={"action": action}) if n == at else row for n, row in enumerate(rows)]


NOT_SIGNED = "Row 2 hasn't the beacon's signature: "
UNSIGNED = "A signature has 96 digits from 0 to 9 and a to f, no capitals."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            with_action(0, {"round": ROUND + 1}),
            "Row 2 hasn't the beacon's signature: The signature is not the one of round 301.",
        ),
        (
            with_action(1, {"signature": sign(7)}),
            "Row 2 hasn't the beacon's signature: The signature is not the one of round 300.",
        ),
        (with_action(1, {"signature": sign(ROUND).upper()}), f"{NOT_SIGNED}{UNSIGNED}"),
        (with_action(1, {"signature": sign(ROUND), "more": 1}), f"{NOT_SIGNED}{UNSIGNED}"),
        (
            with_action(1, {"signature": OUTSIDE[0]}),
            f"{NOT_SIGNED}The signature is no point of the group in which the beacon signs.",
        ),
        *((with_action(0, action), "Row 1 names no round of the beacon.") for action in NO_ROUNDS),
        (
            lambda rows: rows[1:],
            "Row 1 is one too many about a beacon: one names a round, and the next",
        ),
        (lambda rows: rows[:1] + rows[2:], "Row 2 rolls dice before the signature of the beacon's round is there."),
        (lambda rows: rows[2:], "Row 1 rolls dice before the signature of the beacon's round is there."),
        (lambda rows: [rows[1], rows[0], *rows[2:]], "Row 1 is one too many about a beacon"),
        (lambda rows: [rows[0], rows[0], *rows[1:]], "Row 2 is one too many about a beacon"),
        (lambda rows: [*rows[:2], rows[1], *rows[2:]], "Row 3 is one too many about a beacon"),
        (lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], "Row 2 rolls dice before the signature"),
        (lambda rows: [*rows[:3], rows[0], rows[1], *rows[3:]], "Row 4 is one too many about a beacon"),
    ],
)
def test_each_forgery_is_refused_with_its_sentence(change: Callable[[list[Entry]], list[Entry]], sentence: str) -> None:
    mismatch = verify(Coins(), again(fought(), change)).mismatch
    assert mismatch is not None
    assert mismatch.sentence.startswith(sentence)


def test_other_chains_prove_nothing() -> None:
    mismatch = verify(Coins(), again(fought(), lambda rows: rows, chain="00" * 32)).mismatch
    assert mismatch is not None
    assert mismatch.sentence == f"The head names the chain {'00' * 32}, which is of no beacon that Fracas knows."
    plain = again(fought((Kind.CLOCK, {"round": 1}), chain=None), lambda rows: rows)
    rows = [plain.entries[0].model_copy(update={"kind": Kind.ROUND}), *plain.entries[1:]]
    mismatch = verify(Coins(), again(plain, lambda _rows: rows)).mismatch
    assert mismatch is not None
    assert mismatch.sentence == "Row 1 is one too many about a beacon: its head names none."


def at_ms(before_due: int) -> int:
    """Return the id of a message that was posted so many milliseconds before the round was due."""
    return (CHAIN.due(ROUND) * 1000 - before_due - DISCORD_BEFORE_MS) << 22


@pytest.mark.parametrize(
    ("hash_of", "before_due", "sentence"),
    [
        (0, 1000, None),
        (0, 5000, None),
        (0, 999, "The message came 0.999 s before round 300 was due: too late to show anything."),
        (0, -500, "The message came 0.500 s after round 300 was due: too late to show anything."),
        (1, 5000, "The seal of this battle is "),
    ],
)
def test_only_the_right_message_in_time_is_a_seal(hash_of: int, before_due: int, sentence: str | None) -> None:
    journal = fought()
    posted = PostedSeal(journal.entries[hash_of].hash, at_ms(before_due))
    mismatch = verify(Coins(), journal, None, posted).mismatch
    assert (mismatch is None) if sentence is None else (mismatch is not None and mismatch.sentence.startswith(sentence))


@pytest.mark.parametrize(
    "text", ["ab" * 31 + "@" + "1" * 18, "ab" * 32, "AB" * 32 + "@" + "1" * 18, "", "ab" * 32 + "@7"]
)
def test_a_seal_of_fewer_digits_is_none(text: str) -> None:
    with pytest.raises(RuleError, match="all 64 digits"):
        read_seal(text)


GRINDS = 10_000


def test_a_host_who_tries_seeds_first_wins_the_expected_share() -> None:
    """He keeps a seed that would win under the round that is known; then the dice come from one that wasn't."""
    wins, alone = 0, 0
    rounds = [bytes([n]) * 48 for n in range(251)]  # stand-ins for signatures: the key takes any
    for battle in range(GRINDS // 20):
        row = f"{battle:064x}"
        tried = (seed for seed in range(1 << 30) if _wins(beacon_key(row, _seed(battle, seed), rounds[0].hex())))
        kept = _seed(battle, next(tried))
        wins += _wins(beacon_key(row, kept, rounds[1 + battle % 250].hex()))
        alone += _wins(_seed(battle, next(seed for seed in range(1 << 30) if _wins(_seed(battle, seed)))))
    battles, chance = GRINDS // 20, 1 / 6
    assert alone == battles, "in form 1 he always wins"
    surplus = wins - battles * chance
    assert surplus * surplus / (battles * chance * (1 - chance)) < 10.8, "chi-square with one degree, one in 1,000"


def _seed(battle: int, seed: int) -> bytes:
    return battle.to_bytes(8, "big") + seed.to_bytes(8, "big")


def _wins(key: bytes) -> bool:
    return SeededDice(key, 1).roll(6) == 6
