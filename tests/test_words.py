"""What players read is written as a native player speaks: the forms that slipped in before don't come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FORBIDDEN = {
    "a blank before %": r"(?<=[\d}]) %(?![a-z(])",
    "extra lives (say: extra hits, undamaged)": r"\bextra (?:lives|life)\b",
    "by the hand of (say who does it)": r"\bby the hand of\b",
    "whose thing, the German way (say: Brenna's helmet)": r"\bthe (?:helmet|nose|guard) of \$",
    "rests in full health": r"\brests (?:and heals 0|in full health)\b",
    "join until it begins (say: open to join)": r"\bcan join until it begins\b|\bfew survive alone\b",
    "armour (in what players read)": r"\bArmour class\b",
    "two verbs (say: Fight to the end)": r"^Fight it out\b",
    "likewise": r"\blikewise\b",
    "whoever": r"\bwhoever\b",
    "tell whether": r"\btell whether\b",
    "so many": r"\bso many\b",
    "is told": r"\bis told\b",
    "a zero that says nothing": r"\bnobody 0|\b0\.0 rounds\b|\bwins after 0\b",
    "mend (say: fix)": r"\bto mend\b|\bmend it\b",
    "an AI with an article (say: Marshal wins)": r"\bthe (?:\{\} (?:plays|takes this)|marshal|pillager|barbarian)\b",
    "drawn when it begins (say: the map appears at the start)": r"\bdrawn when it begins\b|\bIt can begin with\b",
    "its growth cost (say: + units spent on growing it)": r"\bits growth cost\b",
    "hurt the other (say: hit the other)": r"\bhurt the other\b",
    "a hit without a target (say: wasted hit)": r"\bhits? without a target\b",
    "the weakest go first (say: the cheapest units die first)": r"\bweakest go\b",
    "kind dice (say: you rolled well)": r"\bdice were kind\b",
    "luckier than in a share of battles (say: luckier than 96 of 100 attackers)": r"\b(?:un)?luckier than in\b",
    "the middle of all battles (say: 50 is average)": r"\bmiddle of all battles\b",
    "nobody and anybody in one (say: no hits)": r"\bnobody hit anybody\b",
    "flee (say: pull out)": r"[“\"]flee\b",
    "who founded (say: the founder)": r"\bonly who founded\b",
    "somebody who may manage messages (say: a mod) opens ladders": r"\bmanage messages can open\b",
    "texts sent lately (say: recent inputs)": r"\bsent lately\b",
    "let its time go by (say: ran out of time)": r"\blet (?:its|their|his|her) time go by\b",
    "changes of a roster (say: 7 roster changes)": r"\bfighters? changes?\b",
    "already stands in row (say: is already used in row)": r"\balready stands in row\b",
    "not text (say: doesn't look like a CSV file)": r"\bnot text, or in an unknown encoding\b",
    "several fall (say: ties count for all)": r"\bin which anybody falls\b",
    "at once (name a killer)": r"\bfell to .* at once\b",
    "other dice (say: roll again)": r"\bother dice$",
}

STORED = {"neither side can hurt the other"}
"""Values in battles of earlier versions, which players read in other words."""


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that isn't a docstring; what an f-string inserts becomes {}."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(texts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | alone:
            yield node.lineno, node.value


def found_in(source: str) -> Iterator[str]:
    """Yield each forbidden form with its line."""
    for line, text in strings(source):
        for form, pattern in FORBIDDEN.items():
            if text not in STORED and re.search(pattern, text, re.IGNORECASE):
                yield f"{line}: {form}: {text!r}"


def test_players_read_no_forbidden_form() -> None:
    files = [path for room in ("bot", "sim") for path in sorted((ROOT / room).rglob("*.py"))]
    found = [
        f"{path.relative_to(ROOT)}:{what}" for path in files for what in found_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        *('f"{chance} % of the time"', '"79.7 %"', '"It has extra lives"', '"slain by the hand of " + name'),
        *('"Mend it"', '"5 things to mend"', '"can\'t hurt the other"', 'f"{name} let its time go by"'),
        *('"The marshal takes this turn"', 'f"The {ai} plays for {name}"', '"the units that its growth cost"'),
        *('"Only who founded it"', '"who may manage messages can open one"', '"texts sent lately"'),
        *('"2 fighters change"', '"already stands in row 2"', '"Other dice"', 'f"fell to {count} at once"'),
        *('"in which anybody falls"', '"This is not text, or in an unknown encoding"'),
        *('"nobody 0%"', '"Whoever wins"', '"how so many fell"', '"is told"', '"Likewise"', '"wins after 0 rounds"'),
        *(
            '"2 hits without a target"',
            '"the weakest go first"',
            '"unless the dice were kind"',
            '"Nobody hit anybody."',
        ),
        *('"luckier than in 72% of such battles"', '"is the middle of all battles"', '"“go” or “flee”"'),
    ],
)
def test_each_form_is_found(source: str) -> None:
    assert list(found_in(f"x = {source}"))


@pytest.mark.parametrize(
    "source", ['"""Likewise, a docstring."""', 'x = "%d %s"', 'x = "83.6% of the time"', "# likewise"]
)
def test_nothing_else_is_found(source: str) -> None:
    assert not list(found_in(source))
