"""Run as a process that has nothing but Pydantic: checks journals and writes the cards of their battles.

Takes the file of a table of letters' widths and journals; prints a JSON list of cards.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

MISSING = ("PIL", "numpy", "numba", "rapidfuzz", "pebble", "discord", "aiosqlite")
sys.modules.update(dict.fromkeys(MISSING))  # type: ignore[arg-type]  # None stands for what can't be imported

from sim.__main__ import main as run_sim  # noqa: E402 - after what is missing is missing
from sim.core.cards.text import TableMeasure, measure_with  # noqa: E402
from sim.core.cards.values import AdvanceTable  # noqa: E402
from sim.core.journal_file import load  # noqa: E402
from sim.core.replay import replay  # noqa: E402
from sim.core.values import canonical  # noqa: E402
from sim.jobs import system  # noqa: E402
from sim.jobs.replay_page import ReplayPage, panel_card  # noqa: E402


def cards(path: Path) -> Iterator[dict[str, str]]:
    """Yield the cards of a battle at its start, in its middle and at its end."""
    journal = load(path.read_text())
    name = journal.head.system
    rules = system(name)
    states = {0: rules.begin(rules.setups.read(journal.head.setup))}
    assert journal.seed is not None
    assert replay(rules, journal.seed, journal.entries, states) is None
    count = len(journal.entries)
    for row in sorted({0, count // 2, count}):
        events = [canonical(list(entry.events)) for entry in journal.entries[:row]]
        request = panel_card(name, states[row], events)
        if request is not None:
            card = request.model_copy(update={"engines": False}).draw()
            yield {"card": f"{path.stem}-{row}", "alt": card.alt, "svg": card.svg(f"card{row}")}


def main() -> None:
    """Print the cards of the journals."""
    table, *journals = map(Path, sys.argv[1:])
    measure_with(TableMeasure(AdvanceTable.model_validate_json(table.read_text())))
    shown = [card for path in journals for card in cards(path)]
    verified = {path.stem: run_sim(["verify", str(path)]) for path in journals}
    asked = [json.loads(ReplayPage().ask(text)) for text in ("1942: 2 sub, 1 dd vs 1 bb", "3 tonks vs 2 inf")]
    loaded = [name for name in MISSING if sys.modules.get(name) is not None]
    print(json.dumps({"cards": shown, "verified": verified, "loaded": loaded, "asked": asked}))  # noqa: T201 - it is a program


if __name__ == "__main__":
    main()
