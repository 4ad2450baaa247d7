"""The traits of the game by kind of token, with their numbers, and the ready decks."""

from collections.abc import Iterator, Sequence
from functools import partial

from bot.answers.document import Document, Page
from bot.games.boss_fight.render import BLUE, trait_text
from bot.ui.text import plain
from sim.boss_fight.starter_decks import STARTER_DECKS
from sim.boss_fight.traits import TABLE, Kind
from sim.boss_fight.values import FIGURES, FLAGS, Trait

_LINES_A_PAGE = 24
_FIGURE_NAMES = {"health": "health", "physical_damage": "physical", "magical_damage": "magical"}


def traits_document(kind: Kind | None) -> Document:
    """Return a page of ready decks, then the traits of each kind; it opens at `kind`."""
    headline = "### 🃏 Decks and traits\n-# A deck is one or more tokens: `kind: trait, trait @Element; kind: trait`"
    pages = [Page("Ready decks", _decks_page)]
    opens = 0
    for each in Kind:
        if each is kind:
            opens = len(pages)
        pages += _kind_pages(each)
    return Document(headline, BLUE, pages, opens=opens)


def _decks_page() -> str:
    parts = [f"**{deck.name}** {deck.line}\n`{deck.text}`" for deck in STARTER_DECKS]
    return "\n".join([*parts, "-# Copy one and change it, or press Join and pick it."])


def _kind_pages(kind: Kind) -> list[Page]:
    """Return the groups of a kind, as many on a page as fit."""
    parts: list[tuple[list[str], list[str]]] = []
    for group in dict.fromkeys(row.group for row in TABLE if row.kind is kind):
        traits = [row.trait for row in TABLE if row.kind is kind and row.group == group]
        lines = list(_group_lines(group, traits))
        if not parts or len(parts[-1][1]) + len(lines) > _LINES_A_PAGE:
            parts.append(([], []))
        parts[-1][0].append(group)
        parts[-1][1].extend(lines)
    name = kind.value.capitalize()
    return [Page(f"{name}: {', '.join(groups)}", partial(_page, name, lines)) for groups, lines in parts]


def _page(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"**{name} tokens**", *lines])


def _group_lines(group: str, traits: Sequence[Trait]) -> Iterator[str]:
    """Return a group's traits: in one line if they differ in one figure alone, else a line each."""
    used = [name for name in FIGURES if any(getattr(trait, name) for trait in traits)]
    plain_ones = not any(getattr(trait, flag) for trait in traits for flag in FLAGS)
    title = f"**{group.capitalize()}**"
    if len(used) == 1 and plain_ones:
        figures = (f"{plain(trait.name)} {getattr(trait, used[0]):,}" for trait in traits)
        yield f"{title}, {_FIGURE_NAMES[used[0]]}: {' · '.join(figures)}"
        return
    yield title
    for trait in traits:
        yield f"- {plain(trait.name)}: {trait_text(trait)}"
