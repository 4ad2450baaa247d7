"""Signs, colors and texts that all answers share."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.answers.document import Document, Page
from bot.ui.text import code_block
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.parse import option_texts, share_text
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.reports import CheckedArmies
from sim.core.numbers import amount
from sim.core.values import Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
TIE = "🤝"
NOBODY = "⏸️"
COLOURS = {Side.ATTACKER: 0xFF922B, Side.DEFENDER: 0x4DABF7, None: 0x868E96}


@dataclass(frozen=True, slots=True)
class Asked:
    """What an answer says of its question; `edition_line` names the edition, `saved_notes` are on saved armies."""

    question: Question
    edition_line: str
    saved_notes: Sequence[str] = ()

    def option_lines(self) -> Iterator[str]:
        """Yield the options in one line, if there are any."""
        if options := " · ".join(text for text in option_texts(self.question) if not text.startswith("counter")):
            yield f"-# ⚙️ {options}"

    def share_page(self) -> Page:
        """Return the page with a text that asks the same again."""
        return Page("Share text", lambda: "\n".join(self._share_lines()))

    def _share_lines(self) -> Iterator[str]:
        yield "**Share text**: paste it into `battle` to ask the same"
        yield code_block(share_text(self.question))


def with_edition(document: Document, edition_line: str, saved_notes: Sequence[str]) -> Document:
    """Return a document that names its edition below the first line."""
    first, *others = document.headline.split("\n")
    return replace(document, headline="\n".join([first, edition_line, *others, *note_lines(saved_notes)]))


def order_lines(words: Iterable[str]) -> Iterator[str]:
    """Yield a line for each order of losses that was found."""
    for found in words:
        yield f"-# 🧠 {found}"


def note_lines(notes: Sequence[str]) -> Iterator[str]:
    """Yield a line for each note."""
    for note in notes:
        yield f"-# ℹ️ {note[0].upper()}{note[1:]}."


def side_line(side: Side, army: Army, title: str | None = None) -> str:
    """Return an army's line; `title`: in place of the side's name."""
    return f"{ICONS[side]} **{title or side.capitalize()}** {army_words(army) or 'nobody'}"


def wave_line(wave: Wave, side: Side = Side.ATTACKER, title: str | None = None) -> str:
    """Return the line of an attacker with the ships that bombard for it."""
    ships = f" + {army_words(wave.bombard)} bombarding" if wave.bombard else ""
    return f"{side_line(side, wave.army, title)}{ships}"


def armies_text(report: CheckedArmies) -> str:
    """Return each army with its price, and their edition."""
    battle = len(report.armies) == len(Side)
    heads = [f"{ICONS[side]} **{side.capitalize()}** " for side in Side] if battle else [""]
    lines = [
        f"{head}{army_words(army)}\n-# {amount(army.ipc, 1)} IPC"
        for head, army in zip(heads, report.armies, strict=True)
    ]
    return "\n".join([*lines, f"-# 📖 {report.armies[0].book.title}"])
