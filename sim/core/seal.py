"""The seal of a battle whose dice a public beacon has a part in, and its check.

The seal is the hash of the row that names a coming round; the bot posts it before that round is due. The seed was fixed
before, the round's signature comes after: so nobody chose the dice. .docs/rules/fairness.md, "What a seal shows"
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from sim.core import RuleError
from sim.core.beacon import BEACONS, MAX_ROUND, Beacon, beacon, signature_of
from sim.core.journal import SEALING, Head, JournalRow, Kind, Mismatch

LEAD_SECONDS = 3
"""The round that a battle names is due so long after the press that it is named for, or at most a period later.

So the message has 2 s to be posted in time, and players wait 8 s at most: this, a period of 3 s, a second until the
round is out, and a second to fetch and check it and to show the first roll.
"""

AHEAD_SECONDS = 1
"""A message that is posted later than this before the round shows nothing."""

CHECKS_SIGNATURES = "emscripten" not in sys.platform
"""Whether signatures can be checked: no browser has the library."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What fixes a battle's dice: a `round` of a `beacon`, and its `signature`, None until it has come.

    `hash`: that of the row which names the round, as the message shows it.
    """

    beacon: Beacon
    round: int
    hash: str
    signature: str | None = None

    @property
    def due(self) -> int:
        """When the round is due, in Unix seconds."""
        return self.beacon.due(self.round)


@dataclass(frozen=True, slots=True)
class PostedSeal:
    """A seal as somebody saw it: the 64 digits, and the id of the message, which tells when it was posted."""

    hash: str
    message_id: int

    def ahead(self, due: int) -> float:
        """Return how many seconds before a Unix time it was posted; negative if after."""
        return due - made_at(self.message_id)


def made_at(discord_id: int) -> float:
    """Return when Discord made an id, of a message, a press or a command, in Unix seconds."""
    return ((discord_id >> 22) + 1_420_070_400_000) / 1000  # Discord's epoch, in Unix milliseconds


def read_seal(text: str) -> PostedSeal:
    """Read `HASH@MESSAGE`, the message's id or its link; RuleError for anything else, such as some of the digits."""
    found = re.fullmatch(r"([0-9a-f]{64})@(?:https://\S{,200}/)?([0-9]{15,20})", text.strip())
    if found is None:
        raise RuleError("A seal is all 64 digits of its message (0 to 9, a to f), an @ and the message's id or link.")
    return PostedSeal(found[1], int(found[2]))


def round_of(action: JsonValue) -> int | None:
    """Return the round that a row's action names; None if it names none."""
    number = action.get("round") if isinstance(action, dict) and len(action) == 1 else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 1 <= number <= MAX_ROUND else None


def seal_of(chain: str, entries: Iterable[JournalRow]) -> Seal | None:
    """Return the seal in the rows of a battle that names a chain; None before a round is named, or if none can be read.

    RuleError for an unknown chain.
    """
    rows = {entry.kind: entry for entry in entries if entry.kind in SEALING}
    named, signed = rows.get(Kind.ROUND), rows.get(Kind.BEACON)
    if named is None or (number := round_of(named.action)) is None:
        return None
    return Seal(beacon(chain), number, named.hash, None if signed is None else signature_of(signed.action))


def check_seal(head: Head, entries: Iterable[JournalRow], posted: PostedSeal | None = None) -> Mismatch | None:
    """Return what is wrong with the rows about the beacon, or with the message; None if nothing is.

    In form 1 there are none. In form 2 one row names a round and a later one has its signature, both before the first
    step; an ended battle without a step may lack them. `posted`: the message that somebody saw.
    """
    awaited = [] if head.chain is None else [Kind.ROUND, Kind.BEACON]
    if head.chain is not None and head.chain not in BEACONS:
        return Mismatch(None, f"The head names the chain {head.chain}, which is of no beacon that Fracas knows.")
    seal: Seal | None = None
    for entry in entries:
        if entry.kind is Kind.STEP and awaited:
            return Mismatch(entry.n, f"Row {entry.n} rolls dice before the signature of the beacon's round is there.")
        if entry.kind not in SEALING:
            continue
        if not awaited or entry.kind is not awaited.pop(0):
            why = "its head names none" if head.chain is None else "one names a round, and the next has its signature"
            return Mismatch(entry.n, f"Row {entry.n} is one too many about a beacon: {why}.")
        if seal is not None:
            signature = signature_of(entry.action)
            checked = signature is None or CHECKS_SIGNATURES
            if checked and (flaw := seal.beacon.flaw(seal.round, signature)):
                return Mismatch(entry.n, f"Row {entry.n} lacks the beacon's signature: {flaw}")
        elif (number := round_of(entry.action)) is not None:
            seal = Seal(BEACONS[head.chain or ""], number, entry.hash)
        else:
            return Mismatch(entry.n, f"Row {entry.n} names no round of the beacon.")
    return None if posted is None else _check_message(seal, posted)


def _check_message(seal: Seal | None, posted: PostedSeal) -> Mismatch | None:
    if seal is None:
        return Mismatch(None, "This battle named no round of a beacon, so the message isn't its seal.")
    if posted.hash != seal.hash:
        return Mismatch(None, f"The seal of this battle is {seal.hash}, not the one of the message.")
    if (ahead := posted.ahead(seal.due)) < AHEAD_SECONDS:
        when = f"{abs(ahead):.3f} s {'before' if ahead > 0 else 'after'}"
        return Mismatch(None, f"The message came {when} round {seal.round} was due: too late to show anything.")
    return None


def seal_lines(head: Head, entries: Iterable[JournalRow], posted: PostedSeal | None = None) -> list[str]:
    """Return what the head and the seal of a battle that matches show, in sentences; mostly nothing in form 1."""
    lines = [] if (branch := head.branch) is None else [branch.sentence]
    if head.chain is None:
        return lines
    seal = seal_of(head.chain, entries)
    if seal is None or seal.signature is None:
        return [*lines, "Its dice were not fixed yet; none were rolled."]
    when = f"{datetime.fromtimestamp(seal.due, UTC):%Y-%m-%d %H:%M:%S}"
    number = f"round {seal.round} of {seal.beacon.name}, due {when} UTC"
    if CHECKS_SIGNATURES:
        lines += [f"The dice follow from the seed and from {number}.", "The signature belongs to that round."]
    else:
        why = "which isn't checked here: compare it with that"
        lines.append(f"The dice follow from the seed and from a signature, {why} of {number}.")
    if posted is None:
        lines.append(f"Only the seal's message can show that round {seal.round} was still to come.")
    else:
        ahead = f"{posted.ahead(seal.due):.1f} s before the round was due"
        lines.append(f"The message was posted {ahead}.")
        lines.append("See for yourself that the bot wrote it, in that channel, unedited.")
    return lines
