"""Form 2 of the journal: known keys and rolls, also in the terminal; pasted dice."""

from pathlib import Path

import pytest

from sim.core import RuleError
from sim.core.beacon import QUICKNET, beacon_key
from sim.core.dice import SeededDice
from sim.core.luck import MAX_PASTED, chance, read_dice
from tests.beacon import SIGNED
from tests.conformance.test_attacks import OUTSIDE
from tests.sim.conftest import Terminal

KNOWN = (
    (
        *("00" * 32, bytes(range(32)).hex(), 1000),
        "8fb0bcdbdc57a5ad0ad244b10ea438b4113d55918d9da1469a8bc489d0713af7",
        {1: "2 4 2 4 3 2 4 6 5 5", 7: "6 6 4 2 2 5 2 6 6 4"},
    ),
    (
        *("634768dae1474506e4bf7d341890542b09987d7e6aea5d446c02e37581a56954", "ff" * 32, 657413),
        "58318167b7d3e1522a1112bb000be48c22dcac6eb46be4341f35eaf87de8747f",
        {1: "6 6 5 6 5 6 4 4 3 3", 7: "5 5 3 4 3 5 5 2 3 3"},
    ),
    (
        *("ab" * 32, "0000000000000007", 42),
        "e7c79d9cb35861082c2b913aeda02a96678bffde5b7a795682cebc00ce80d9d1",
        {1: "1 2 4 5 5 3 4 4 6 6", 7: "3 6 3 4 3 4 1 1 1 5"},
    ),
)
"""The hash of the row, the seed, the round; the key that follows with its signature, and rolls of two steps."""


def test_the_chain_s_hash_covers_all_that_makes_it() -> None:
    assert QUICKNET.chain == "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    assert QUICKNET.first_round(QUICKNET.due(1000)) == 1000
    assert QUICKNET.first_round(QUICKNET.due(1000) + 0.001) == 1001
    assert QUICKNET.first_round(0) == 1


@pytest.mark.parametrize(("row", "seed", "number", "key", "rolls"), KNOWN)
def test_known_rounds_give_known_dice(
    row: str, seed: str, number: int, key: str, rolls: dict[int, str], terminal: Terminal
) -> None:
    signature = SIGNED[number]
    assert QUICKNET.flaw(number, signature) is None
    assert QUICKNET.flaw(number + 1, signature) == f"The signature is not the one of round {number + 1:,}."
    assert beacon_key(row, bytes.fromhex(seed), signature).hex() == key
    for step, expected in rolls.items():
        dice = SeededDice(bytes.fromhex(key), step)
        assert " ".join(str(dice.roll(6)) for _ in range(10)) == expected
        beacon = ["--row", row, "--round", str(number), "--signature", signature]
        assert terminal("dice", "--seed", seed, *beacon, "--step", str(step), "--count", "10").out == f"{expected}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--signature", SIGNED[42]], "The signature is not the one of round 1,000."),
        (["--signature", OUTSIDE[0]], "The signature is no point of the group in which the beacon signs."),
        (["--signature", SIGNED[1000].upper()], "A signature has 96 digits from 0 to 9 and a to f, no capitals."),
        (["--row", "00"], "The row's hash has 64 digits from 0 to 9 and a to f."),
        (["--seed", "abc"], "The seed has an even number of digits, 128 at most from 0 to 9 and a to f."),
    ],
)
def test_what_is_no_known_round_is_refused(arguments: list[str], sentence: str, terminal: Terminal) -> None:
    row, seed, number, _, _ = KNOWN[0]
    given = ["--seed", seed, "--row", row, "--round", str(number), "--signature", SIGNED[number], "--step", "1"]
    assert terminal("dice", *given, *arguments, status=2).err == f"{sentence}\n"


def test_dice_of_form_1_need_the_seed_alone(terminal: Terminal) -> None:
    told = terminal("dice", "--seed", "07", "--step", "3", "--count", "5", "--sides", "20").out
    dice = SeededDice(b"\7", 3)
    assert told == " ".join(str(dice.roll(20)) for _ in range(5)) + "\n"


@pytest.mark.parametrize("missing", [["--row"], ["--round"], ["--signature"], ["--row", "--signature"]])
def test_dice_of_form_2_name_what_they_lack(missing: list[str], terminal: Terminal) -> None:
    given = {"--row": "ab" * 32, "--round": "42", "--signature": SIGNED[42]}
    sealing = [text for option in given if option not in missing for text in (option, given[option])]
    told = terminal("dice", "--seed", "07", "--step", "3", *sealing, status=2).err
    assert told == f"Dice of a sealed battle also need {' and '.join(missing)}.\n"


_VALUES = {chance(value, 6): value for value in range(7)}
_TEXT = Path(__file__).with_name("pasted_dice.txt").read_text("utf-8")
POSTS = [post.strip() for post in _TEXT.split("\n", 1)[1].split("\n---\n")]


def told(text: str) -> str:
    """Return what is read of a text as the file tells it."""
    try:
        found = read_dice(text)
    except RuleError as error:
        return f"=> !{error}"
    lines = []
    for each in found:
        dice = sorted((_VALUES[die], count) for die, count in each.dice)
        lines.append(f"=> {each.name}: {' '.join(f'{n}@{value}' for value, n in dice)}, {each.hits} hits")
    return "\n".join(lines)


@pytest.mark.parametrize("post", POSTS)
def test_a_pasted_post(post: str) -> None:
    text, expected = post.split("\n=>", 1)
    assert told(text) == f"=>{expected}"


def test_the_limit_of_a_text() -> None:
    assert len(POSTS) >= 20
    line = "3@2: 1, 4, 6\n"
    (most,) = read_dice(line * (MAX_PASTED // len(line)))
    assert most.hits == MAX_PASTED // len(line)
    with pytest.raises(RuleError, match="at most 4,000 characters; these are 4,001"):
        read_dice("x" * (MAX_PASTED + 1))
    with pytest.raises(RuleError, match="Line 2 goes beyond 10,000 dice"):
        read_dice("9/9000@1\n9/9000@1")
