"""Forgeries of a sealed battle by a host who can seal rows again, each by its name with the sentence that refuses it.

The battle is form 2 of the journal by drand's quicknet; everybody saw the message with its seal in time.
"""

from collections.abc import Callable
from dataclasses import replace

from pydantic import JsonValue

from sim.core.beacon import QUICKNET
from sim.core.journal import Entry, Journal, Kind, seal
from sim.core.replay import Session
from tests.beacon import CHAIN, SIGNED, sign
from tests.sim.core.coins import Coins, Table, Toss

ROUND = 1000
SEALED: tuple[tuple[Kind, JsonValue], ...] = (
    (Kind.ROUND, {"round": ROUND}),
    (Kind.BEACON, {"signature": SIGNED[ROUND]}),
)

OUTSIDE = (
    "94385d48ab9d338824a523ff7d310fbeeac0184598d56b49f27857bcd3ef91f6ead1c7ef99c9beee47784ebba5c635de",
    "b75f0e003e38574491315ae131cc9dd48c35ae3890ffbae6515913094655f6d29c2094a2128e16c66cedd78b2792144e",
    "8bb7a0df0eb80f3b633c1dedcca1732442d2183de6d24ecbb94db5230cd8d527d9c2be4699f7a75ec476255b7757781e",
)
"""Points outside the subgroup, which a pairing alone takes for signatures of the round."""

NO_NUMBERS: tuple[JsonValue, ...] = ("1000", True, 0, 1 << 36, 3.0, None)

Attack = Callable[[Journal], Journal]
"""What makes a forged journal of the true one."""


def fought(*notes: tuple[Kind, JsonValue], seed: bytes = b"seed", chain: str | None = QUICKNET.chain) -> Journal:
    """Return the journal of a battle to its end, which follows the rules; without other notes it is the true one."""
    play = Session(Coins(), Table(coins=2), seed, chain)
    for kind, action in notes or (SEALED if chain else ()):
        play.note(kind, action, "house")
    while play.outcome is None:
        play.act(Toss(), "player")
    play.end("player")
    return play.journal()


def again(journal: Journal, entries: list[Entry], **head: JsonValue) -> Journal:
    """Return a journal with these rows, each sealed again as somebody would who knows how; and another head."""
    other = journal.head.model_copy(update=head)
    rows: list[Entry] = []
    for row in entries:
        fresh = seal(other, rows, kind=row.kind, seat=row.seat, state=0, action=row.action, events=row.events)
        fresh = fresh.model_copy(update={"state_hash": row.state_hash})
        rows.append(fresh.model_copy(update={"hash": fresh.seal()}))
    return replace(journal, head=other, entries=tuple(rows))


def rows(change: Callable[[Entry, Entry, list[Entry]], list[Entry]]) -> Attack:
    """Arrange the row that names the round, the one with its signature, and the steps in another way."""
    return lambda fair: again(fair, change(fair.entries[0], fair.entries[1], list(fair.entries[2:])))


def named(action: JsonValue) -> Attack:
    """Let the row that names the round say something else."""
    return rows(lambda named, signed, steps: [named.model_copy(update={"action": action}), signed, *steps])


def signed(action: JsonValue) -> Attack:
    """Let the row with the signature say something else."""
    return rows(lambda named, signed, steps: [named, signed.model_copy(update={"action": action}), *steps])


NO_ROUND = "Row 1 names no round of the beacon."
UNSIGNED = "Row 2 lacks the beacon's signature: "
NO_SIGNATURE = f"{UNSIGNED}A signature has 96 digits from 0 to 9 and a to f, no capitals."
NO_POINT = f"{UNSIGNED}The signature is no point of the group in which the beacon signs."
NOT_THE_ROUND_S = f"{UNSIGNED}The signature is not the one of round 1,000."
EARLY = "Row {} rolls dice before the signature of the beacon's round is there."
TOO_MANY = "Row {} is one too many about a beacon: one names a round, and the next has its signature."
NOT_THE_SEAL = "The seal of this battle is {seal}, not the one of the message."
NO_SEAL = "This battle named no round of a beacon, so the message isn't its seal."
BY_THE_MESSAGE = {NOT_THE_SEAL, NO_SEAL}
"""Who has no message can't tell these battles from fair ones."""

FORGERIES: dict[str, tuple[Attack, str]] = {
    "another round": (named({"round": ROUND + 1}), f"{UNSIGNED}The signature is not the one of round 1,001."),
    **{f"{number!r} for a round": (named({"round": number}), NO_ROUND) for number in NO_NUMBERS},
    "no round": (named({}), NO_ROUND),
    "nothing for a round": (named(None), NO_ROUND),
    "a chain of the host's own": (
        lambda _: fought(SEALED[0], (Kind.BEACON, {"signature": sign(ROUND)}), chain=CHAIN.chain),
        f"The head names the chain {CHAIN.chain}, which is of no beacon that Fracas knows.",
    ),
    "a key of the host's own": (signed({"signature": sign(ROUND)}), NOT_THE_ROUND_S),
    "a signature of another round": (signed({"signature": SIGNED[42]}), NOT_THE_ROUND_S),
    "the point at infinity": (signed({"signature": "c0" + "00" * 47}), NOT_THE_ROUND_S),
    "the mirrored point": (signed({"signature": f"9{SIGNED[ROUND][1:]}"}), NOT_THE_ROUND_S),
    **{f"outside the subgroup: {text[:4]}": (signed({"signature": text}), NO_POINT) for text in OUTSIDE},
    "upper case": (signed({"signature": SIGNED[ROUND].upper()}), NO_SIGNATURE),
    "the round is missing": (rows(lambda _, signed, steps: [signed, *steps]), TOO_MANY.format(1)),
    "the signature is missing": (rows(lambda named, _, steps: [named, *steps]), EARLY.format(2)),
    "both are missing": (rows(lambda _named, _signed, steps: steps), EARLY.format(1)),
    "the signature first": (rows(lambda named, signed, steps: [signed, named, *steps]), TOO_MANY.format(1)),
    "the round twice": (rows(lambda named, signed, steps: [named, named, signed, *steps]), TOO_MANY.format(2)),
    "the signature twice": (rows(lambda named, signed, steps: [named, signed, signed, *steps]), TOO_MANY.format(3)),
    "a late signature": (rows(lambda named, signed, steps: [named, steps[0], signed, *steps[1:]]), EARLY.format(2)),
    "both after a step": (rows(lambda named, signed, steps: [steps[0], named, signed, *steps[1:]]), EARLY.format(1)),
    "both again": (rows(lambda named, signed, steps: [named, signed, steps[0], named, signed]), TOO_MANY.format(4)),
    "dice of another key": (
        rows(lambda named, signed, _steps: [named, signed, *fought(seed=b"lucky").entries[2:]]),
        "Row 3 has other events than the dice lead to.",
    ),
    "another seed revealed": (
        lambda fair: replace(fair, seed=b"better"),
        "The seed is not the one whose hash was shown when the battle opened.",
    ),
    "another seed, once the round is known": (lambda _: fought(seed=b"better"), NOT_THE_SEAL),
    "words before the round, once it is known": (lambda _: fought((Kind.SEATS, "please"), *SEALED), NOT_THE_SEAL),
    "words beside the round": (named({"round": ROUND, "words": "please"}), NO_ROUND),
    "words beside the signature": (signed({"signature": SIGNED[ROUND], "words": "please"}), NO_SIGNATURE),
    "a way around: unreachable": (signed({"unreachable": True}), NO_SIGNATURE),
    "a way around: nothing": (signed(None), NO_SIGNATURE),
    "a way around: another round named": (
        lambda _: fought(SEALED[0], (Kind.ROUND, {"round": 42}), (Kind.BEACON, {"signature": SIGNED[42]})),
        TOO_MANY.format(2),
    ),
    "a way around: form 1": (lambda _: fought(chain=None), NO_SEAL),
    "a round in form 1": (
        lambda fair: again(fair, list(fair.entries), format=1, chain=None),
        "Row 1 is one too many about a beacon: its head names none.",
    ),
}
