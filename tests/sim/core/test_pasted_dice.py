"""Dice pasted from TripleA and from forums: whose they are, what they hit at, and how many did."""

from pathlib import Path

import pytest

from sim.core.errors import RuleError
from sim.core.luck import chance
from sim.core.pasted_dice import MAX_PASTED, read_dice

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
