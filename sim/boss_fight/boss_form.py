"""Bosses as the texts of a form; all mistakes are reported at once."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sim.boss_fight.tables import read_element, read_figure, read_level
from sim.boss_fight.traits import FLAG_SIGNS
from sim.boss_fight.values import FIGURES, MAX_NAME, MAX_WORDS, MOMENTS, Boss
from sim.core.errors import Faults, FaultsError
from sim.core.names import check_name, describe_hidden, name_key
from sim.csv.table import quote

FIELDS = ("name", "figures", "nature", "words")
"""The form's texts: the name; level, health and both damages; element and flags; the boss's words."""

FIGURES_EXAMPLE = "4 / 6500 / 3500 / 4500"

_READERS: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {"level": read_level, **dict.fromkeys(FIGURES, read_figure)}
)
_LABELS: Mapping[str, str] = MappingProxyType({name: name.replace("_", " ").capitalize() for name in _READERS})
_BY_LABEL: Mapping[str, str] = MappingProxyType({name_key(label): name for name, label in _LABELS.items()})

_FLAG_LIST = ", ".join(FLAG_SIGNS)


class BossFormError(FaultsError):
    """The mistakes in a form."""

    def __init__(self, mistakes: Faults[str]) -> None:
        super().__init__(mistakes)
        self._mistakes = tuple(mistakes.told)
        self.more = mistakes.more

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each mistake."""
        return self._mistakes


def read_boss_form(values: Mapping[str, str]) -> Boss:
    """Return the boss that the texts `FIELDS` describe; BossFormError with the mistakes."""
    mistakes = Faults[str]()
    name = " ".join(values.get("name", "").split())
    bad = "is missing" if not name else check_name(name, MAX_NAME)
    if bad is not None:
        mistakes.add(f"The name {bad}.")
    fields: dict[str, object] = {"name": name}
    for reader in (_figures, _nature, _words):
        fields |= reader(values, mistakes)
    if mistakes:
        raise BossFormError(mistakes)
    return Boss.model_validate(fields)


def boss_form(boss: Boss) -> dict[str, str]:
    """Return the texts that `read_boss_form` reads back as the same boss."""
    flags = [sign for sign, flag in FLAG_SIGNS.items() if getattr(boss, flag)]
    spoken = [f"{moment}: {words}" for moment in MOMENTS if (words := getattr(boss, moment))]
    return {
        "name": boss.name,
        "figures": "\n".join(f"{label}: {getattr(boss, name)}" for name, label in _LABELS.items()),
        "nature": " ".join([boss.element or "none", *flags]),
        "words": "\n".join(spoken),
    }


def _figures(values: Mapping[str, str], mistakes: Faults[str]) -> dict[str, object]:
    parts = _parts(values.get("figures", ""))
    if parts is None:
        mistakes.add(f"Write level, health, physical and magical damage, a line each, or as in: {FIGURES_EXAMPLE}")
        return {}
    found: dict[str, object] = {}
    for name, part in parts.items():
        try:
            found[name] = _READERS[name](part)
        except ValueError as error:
            mistakes.add(f"{_LABELS[name]}: {error}.")
    if found.get("health") == 0:
        mistakes.add("A boss needs a health of 1 or more.")
    return found


def _parts(text: str) -> dict[str, str] | None:
    """Return the text of each figure: of lines with labels, or of four figures with slashes; None for anything else."""
    if ":" not in text:
        parts = [part.strip() for part in text.split("/")]
        return dict(zip(_READERS, parts, strict=True)) if len(parts) == len(_READERS) else None
    found: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        label, _, part = line.partition(":")
        name = _BY_LABEL.get(name_key(label))
        if name is None or name in found:
            return None
        found[name] = part.strip()
    return found if len(found) == len(_READERS) else None


def _nature(values: Mapping[str, str], mistakes: Faults[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for word in re.split(r"[\s,]+", values.get("nature", "").strip()):
        if word.upper() in FLAG_SIGNS:
            found[FLAG_SIGNS[word.upper()]] = True
        elif word:
            if "element" in found:
                mistakes.add(f"A boss has one element; {quote(word)} is one too many, or no flag ({_FLAG_LIST}).")
                continue
            try:
                found["element"] = read_element(word)
            except ValueError as error:
                mistakes.add(f"{error}, nor a flag ({_FLAG_LIST}).")
    return found


def _words(values: Mapping[str, str], mistakes: Faults[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for line in values.get("words", "").splitlines():
        if not line.strip():
            continue
        moment, colon, words = line.partition(":")
        moment, words = moment.strip().lower(), words.strip()
        if not colon or moment not in MOMENTS:
            mistakes.add(f"Begin the line {quote(line)} with entry:, half: or fall:")
        elif moment in found:
            mistakes.add(f"You wrote {moment}: twice.")
        elif len(words) > MAX_WORDS:
            mistakes.add(f"The words for {moment} have {len(words):,} characters; at most {MAX_WORDS} are allowed.")
        elif (bad := describe_hidden(words)) is not None:
            mistakes.add(f"The words for {moment} hold {bad}.")
        elif words:
            found[moment] = words
    return found
