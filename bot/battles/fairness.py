"""Why players can trust the dice: the seed, its SHA-256 and the hash of a battle's last row, wherever shown.

And links to the site on which anybody can watch an ended battle and check its dice (`bot.replay_site`).
"""

from dataclasses import dataclass

from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.text import MAX_BUTTON_LINK, plain_sentence
from sim.core.journal import Journal
from sim.core.journal_link import fragment
from sim.core.numbers import quantity
from sim.core.replay import VerifyReport


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance decides in a game: the question on the button with its icon; `each`: one decision of chance."""

    question: str
    icon: str
    each: str | None


DICE = Chance("How do I know the dice are fair?", "🎲", "roll")
DRAW = Chance("How do I know the draw is fair?", "🎲", "draw")
"""No dice in the battle, but chance draws what it begins with."""
NO_CHANCE = Chance("How can I check this?", "🔎", None)

SHOWN_DIGITS = 16
"""Digits of the last row's hash on a closed panel; `/battle verify` takes 12 or more."""

_OFFLINE = "python -m sim verify --hash HASH"
_MAX_SENTENCE = 1000


def foot_line(battle: Battle) -> str:
    """Return the last line of a panel and of a log: empty while the battle is open."""
    if battle.is_open:
        return ""
    return f"-# Last row's hash `{battle.previous_hash[:SHOWN_DIGITS]}`… · `/battle verify number:{battle.number}`"


def fairness_text(battle: Battle, chance: Chance) -> str:
    """Return why the dice can be trusted, and how to check the battle; in private, as few want to know."""
    number = battle.number
    lines = [f"### {chance.question}"]
    if chance.each is None:
        lines.append("This game has no dice: all of it follows from the rules and from what the players do.")
    elif battle.revealed is None:
        lines.append(
            f"The bot drew a secret seed when #{number} opened. Every {chance.each} follows from it, so nobody can"
            f" choose the {chance.each}s to come. The seed is revealed at the end: then anybody can check them."
        )
        lines.append(
            f"The seed's fingerprint (SHA-256) keeps the bot honest. Note it down if you like:\n`{battle.seed_hash}`"
        )
    else:
        about = f"Every {chance.each} of #{number} follows from this seed, which was secret until the end:"
        lines.append(f"{about}\n`{battle.seed.hex()}`")
        lines.append(f"Its SHA-256, fixed since the battle opened:\n`{battle.seed_hash}`")
    if battle.is_open:
        lines.append(f"-# `/battle verify number:{number}` replays what has happened so far.")
    else:
        lines.append(f"The last row's hash is the battle's final fingerprint:\n`{battle.previous_hash}`")
        lines.append(
            f"-# `/battle verify number:{number}` replays it all. To check it without the bot, take the .jsonl of the"
            f" files of `/battle log number:{number}`: `{_OFFLINE} battle-{number}.jsonl`"
        )
    return "\n\n".join(lines)


def verify_text(battle: Battle, report: VerifyReport, rows: int) -> str:
    """Return the answer of `/battle verify`."""
    lines = [f"### {'✅ Match' if report.match else '❌ No match'}: #{battle.number}, {quantity(rows, 'row')}"]
    if report.mismatch is not None:
        lines.append(f"The first difference: {plain_sentence(report.mismatch.sentence, _MAX_SENTENCE)}")
    elif battle.revealed is None:
        lines.append("Every row follows from the row before, the rules and the dice so far.")
    else:
        lines.append("Every row follows from the row before, the rules and the revealed seed.")
    if battle.revealed is None:
        lines.append(f"-# The seed is revealed at the end. Its SHA-256: `{battle.seed_hash}`")
    else:
        lines.append(f"-# Seed `{battle.revealed.hex()}`, SHA-256 `{battle.seed_hash}`")
        lines.append(f"-# Last row's hash `{battle.previous_hash}`")
        lines.append(f"-# Offline, with the .jsonl of `/battle log`: `{_OFFLINE} FILE`")
    return "\n".join(lines)


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
