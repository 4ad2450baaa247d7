"""Links to the site on which anybody can watch an ended battle and check its dice; see `bot.replay_site`."""

from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.limits import MAX_BUTTON_LINK
from sim.core.journal import Journal
from sim.core.journal_link import fragment

LABEL = "Watch & check"
MAX_LINK = 1500
"""Characters of a link in a text."""

_MAX_ROWS = 64  # longer battles never fit into a link
_MAX_TEXT = 1 << 14


class ReplaySite:
    """The site's address, such as "https://example.org/replay/"; None where there is none."""

    def __init__(self, address: str | None = None) -> None:
        self.address = address

    async def link(self, battle: Battle, battles: BattleRepository, most: int = MAX_BUTTON_LINK) -> str | None:
        """Return a link of at most `most` characters that holds the battle, or if it is too large the site's address.

        None without a site, and while the battle is open.
        """
        if self.address is None or battle.is_open:
            return None
        if battle.version > _MAX_ROWS or len(battle.setup_json) > _MAX_TEXT:
            return self.address
        rows = await battles.journal_rows(battle.id)
        if sum(len(row.action_json) for row in rows) > _MAX_TEXT:
            return self.address
        entries = tuple(row.parse() for row in rows)
        link = f"{self.address}#j={fragment(Journal(battle.head, entries, battle.revealed, battle.outcome))}"
        return link if len(link) <= most else self.address

    async def line(self, battle: Battle, battles: BattleRepository) -> str:
        """Return a line for a log, as Markdown; empty where there is no link."""
        link = await self.link(battle, battles, MAX_LINK)
        if link is None:
            return ""
        holds_it = "#j=" in link
        how = "" if holds_it else f": drop `battle-{battle.number}.jsonl` there"
        return f"🎬 [{LABEL} this battle]({link}){how}"
