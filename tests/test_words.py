"""What players read is written as a native player speaks: the forms that slipped in before don't come back."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
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
    "flee (say: pull out)": r"[“\"]flee\b",
    "who founded (say: the founder)": r"\bonly who founded\b",
    "texts sent lately (say: recent inputs)": r"\bsent lately\b",
    "the last blow (say: the killing blow)": r"\bthe last blow\b",
    "a member with a number (say: display name)": r"\bmember with a number\b",
    "the player falls after (say: you go down in)": r"\bplayer falls after\b",
    "by the stacks (say: damage you take)": r"\bby the stacks of all tokens\b",
    "no trait of this name (say: no such trait)": r"\bno trait of this name\b",
    "let its time go by (say: ran out of time)": r"\blet (?:its|their|his|her) time go by\b",
    "changes of a roster (say: 7 roster changes)": r"\bfighters? changes?\b",
    "already stands in row (say: is already used in row)": r"\balready stands in row\b",
    "not text (say: doesn't look like a CSV file)": r"\bnot text, or in an unknown encoding\b",
    "at once (name a killer)": r"\bfell to .* at once\b",
    "other dice (say: roll again)": r"\bother dice$",
    "somebody (say: you, a player, someone)": r"\b(?:some|any|every)body\b",
    "somebody who may manage messages (say: a mod)": r"\bwho may manage messages\b",
    "hash of a row (say: final fingerprint)": r"\blast row's hash\b",
    "British spelling": r"(?s)^(?=.* )(?!<svg).*\b(?<!<)(?:armour|licence|colour|favour|behaviour|neighbour|honour"
    r"|centre|grey|organis|recognis|defence|whilst|travell|cancelled\b|labelled)",
}

SAID_BEFORE = (
    "all 2 rows follow",
    "a seed that was promised before",
    "fought on from there with other dice",
    "attacker: run out",
    "seed's sha-256 holds",
    "last row's hash seals",
    "fell to 3 at once",
    "7 fighters change",
    "first round in which anybody falls",
    "the winners had",
    "already stands in row",
    "this is not text, or",
    "unless the dice were kind",
    "chance that it goes on",
    "what is better if you know",
    "the attacker: lucky",
    "50 of 100 is the middle",
    "without a target; ",
    "the weakest go first",
    "an option or a text may name",
    "what the fight calls you",
    "leave it empty to be a member",
    "the player falls after",
    "strikes the last blow",
    "by the stacks of all tokens",
    "have no trait of this name",
    "alone, few come back",
    "others can join until it",
    "yours now: /duel",
    "a raven caws 0",
    "units that its growth cost",
    "drawn when it begins",
    "it can begin with",
    "the marshal takes this turn",
    "it can't go on later",
    "all dice thrown, also",
    "seed splits ties",
    "this server keeps no ladders",
    "sent lately, to offer",
    "chance to win you want",
    "that went out as a message",
    "it is somebody else's turn",
    "the step is taken all the same",
    "now the other side has to agree",
    "rests in full health",
    "the helmet of brenna",
    "only player 1",
)
"""Sentences of the first versions, in small letters, as native speakers marked them."""

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


def test_what_was_said_before_is_neither_in_code_nor_in_documents() -> None:
    assert len(SAID_BEFORE) >= 30
    documents = [ROOT / "README.md", *(ROOT / ".docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")]
    pages = [path for path in (ROOT / "bot").rglob("*") if path.suffix in {".html", ".js", ".css"}]
    tables = [*(ROOT / "sim").rglob("*.toml"), *(ROOT / "sim").rglob("*.csv")]
    texts = {path: path.read_text(encoding="utf-8") for path in (*documents, *pages, *tables)}
    for path in chain((ROOT / "bot").rglob("*.py"), (ROOT / "sim").rglob("*.py")):
        texts[path] = "\n".join(text for _, text in strings(path.read_text(encoding="utf-8")))
    plain = {path: " ".join(text.lower().split()) for path, text in texts.items()}
    assert [(path.name, words) for path, text in plain.items() for words in SAID_BEFORE if words in text] == []
    spelt = FORBIDDEN["British spelling"]
    lines = ((path.name, line) for path in documents for line in texts[path].splitlines() if "armour_class" not in line)
    assert [(name, line) for name, line in lines if re.search(spelt, line, re.IGNORECASE)] == []


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
        *('"Only somebody may"', '"The last row\'s hash"', '"Armour class 5"', '"a mod who may manage messages"'),
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
