"""Bosses as a form has them: a few short texts. What is wrong is told all at once."""

import re
from collections.abc import Callable, Mapping

from sim.boss_fight.columns import boss_level, element, figure
from sim.boss_fight.traits import FLAG_SIGNS
from sim.boss_fight.values import FIGURES, MAX_NAME, MAX_WORDS, Boss
from sim.core.csv_cells import quoted
from sim.core.errors import RuleError
from sim.core.names import check_name, hidden

FIELDS = ("name", "figures", "nature", "words")
"""The form's texts: the name; level, health and both damages; element and flags; what it says."""

MOMENTS = ("entry", "half", "fall")

FIGURES_EXAMPLE = "4 / 6500 / 3500 / 4500"
NATURE_EXAMPLE = "Water PR MP"

_MOST_FIGURES = len(FIGURES) + 1


class BossFormError(RuleError):
    """Everything that is wrong with a form."""

    def __init__(self, wrong: tuple[str, ...]) -> None:
        super().__init__(*wrong)
        self._wrong = wrong

    def __str__(self) -> str:
        return " ".join(self._wrong)

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each thing that is wrong."""
        return self._wrong


def read_boss_form(values: Mapping[str, str]) -> Boss:
    """Return the boss that the texts `FIELDS` tell; BossFormError with everything that is wrong."""
    wrong: list[str] = []
    name = " ".join(values.get("name", "").split())
    bad = "is missing" if not name else check_name(name, MAX_NAME)
    if bad is not None:
        wrong.append(f"The name {bad}.")
    fields: dict[str, object] = {"name": name}
    for reader in (_figures, _nature, _words):
        fields |= reader(values, wrong)
    if wrong:
        raise BossFormError(tuple(wrong))
    return Boss.model_validate(fields)


def boss_form(boss: Boss) -> dict[str, str]:
    """Return the texts that `read_boss_form` reads back as the same boss."""
    flags = [sign for sign, flag in FLAG_SIGNS.items() if getattr(boss, flag)]
    said = [f"{moment}: {words}" for moment in MOMENTS if (words := getattr(boss, moment))]
    return {
        "name": boss.name,
        "figures": " / ".join(str(value) for value in (boss.level, *(getattr(boss, name) for name in FIGURES))),
        "nature": " ".join([boss.element or "none", *flags]),
        "words": "\n".join(said),
    }


def _figures(values: Mapping[str, str], wrong: list[str]) -> dict[str, object]:
    parts = [part.strip() for part in values.get("figures", "").split("/")]
    if len(parts) != _MOST_FIGURES:
        wrong.append(f"Level, health, physical and magical damage are four figures, as in: {FIGURES_EXAMPLE}")
        return {}
    readers: tuple[tuple[str, Callable[[str], int]], ...] = (
        ("level", boss_level),
        *((name, figure) for name in FIGURES),
    )
    found: dict[str, object] = {}
    for (name, read), part in zip(readers, parts, strict=True):
        try:
            found[name] = read(part)
        except ValueError as error:
            wrong.append(f"{name.replace('_', ' ').capitalize()}: {error}.")
    if found.get("health") == 0:
        wrong.append("A boss has a health of 1 or more.")
    return found


def _nature(values: Mapping[str, str], wrong: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for word in re.split(r"[\s,]+", values.get("nature", "").strip()):
        if word.upper() in FLAG_SIGNS:
            found[FLAG_SIGNS[word.upper()]] = True
        elif word:
            if "element" in found:
                wrong.append(f"An element stands once; {quoted(word)} is one too many, or no flag ({_FLAGS}).")
                continue
            try:
                found["element"] = element(word)
            except ValueError as error:
                wrong.append(f"{error}, nor a flag ({_FLAGS}).")
    return found


_FLAGS = ", ".join(FLAG_SIGNS)


def _words(values: Mapping[str, str], wrong: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for line in values.get("words", "").splitlines():
        if not line.strip():
            continue
        moment, colon, words = line.partition(":")
        moment, words = moment.strip().lower(), words.strip()
        if not colon or moment not in MOMENTS:
            wrong.append(f"The line {quoted(line)} begins with none of entry: half: fall:")
        elif moment in found:
            wrong.append(f"What the boss says at {moment} stands twice.")
        elif len(words) > MAX_WORDS:
            wrong.append(f"The words for {moment} have {len(words):,} characters; at most {MAX_WORDS} are allowed.")
        elif (bad := hidden(words)) is not None:
            wrong.append(f"The words for {moment} hold {bad}.")
        elif words:
            found[moment] = words
    return found
