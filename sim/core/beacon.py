"""Public beacons of randomness: which there are, when their rounds are due, and the check of a round's signature.

A beacon signs the number of each round when it is due, not before; nobody can know or choose a signature earlier.
"""

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sim.core import RuleError

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""What separates the signatures of this scheme from all others."""

MAX_ROUND = (1 << 36) - 1
"""The last round that is read; it is due in the year 8556."""

_SIGNATURE = re.compile("[0-9a-f]{96}")


@dataclass(frozen=True, slots=True)
class Beacon:
    """A chain of rounds; `genesis`: when round 1 is due, in Unix seconds; `period`: seconds from one to the next.

    `key`: the public key, `group`: the hash of the group that signs; hexadecimal. `beacon_id`: as its operators name
    it, `name`: as players read it.
    """

    name: str
    genesis: int
    period: int
    key: str
    group: str
    beacon_id: str

    @property
    def chain(self) -> str:
        """The chain's hash, which names it and covers all but `name`."""
        numbers = self.period.to_bytes(4, "big") + self.genesis.to_bytes(8, "big")
        parts = numbers + bytes.fromhex(self.key) + bytes.fromhex(self.group) + self.beacon_id.encode("ascii")
        return hashlib.sha256(parts).hexdigest()

    def due(self, number: int) -> int:
        """Return when a round is due, in Unix seconds."""
        return self.genesis + (number - 1) * self.period

    def first_round(self, at: float) -> int:
        """Return the first round that is due at a Unix time or later, at least 1."""
        return max(1, math.ceil((at - self.genesis) / self.period) + 1)

    def flaw(self, number: int, signature: str | None) -> str | None:
        """Return why a text isn't the signature of a round, as a sentence; None if it is. ImportError in a browser."""
        if signature is None or _SIGNATURE.fullmatch(signature) is None:
            return "A signature has 96 digits from 0 to 9 and a to f, no capitals."
        # Loads a library of another language, which a bot without a beacon does without.
        from py_arkworks_bls12381 import GT, G1Point, G2Point  # noqa: PLC0415

        try:  # refuses what is no point of the curve, or not one of its subgroup, where signatures are unique
            signed = G1Point.from_compressed_bytes(bytes.fromhex(signature))
        except ValueError:
            return "The signature is no point of the group in which the beacon signs."
        message = hashlib.sha256(number.to_bytes(8, "big")).digest()
        hashed = G1Point.hash_to_curve(message, TAG)
        key = G2Point.from_compressed_bytes(bytes.fromhex(self.key))
        if signed == G1Point.identity() or not GT.pairing_check([signed, -hashed], [G2Point(), key]):
            return f"The signature is not the one of round {number:,}."
        return None


QUICKNET = Beacon(
    name="drand's quicknet",
    genesis=1_692_803_367,
    period=3,
    key=(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    group="f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    beacon_id="quicknet",
)

BEACONS: Mapping[str, Beacon] = {QUICKNET.chain: QUICKNET}
"""Those whose battles can be checked, by the hash of their chain. None is ever removed; others would prove nothing."""


def beacon(chain: str) -> Beacon:
    """Return the beacon of a chain; RuleError for one that Fracas doesn't know."""
    found = BEACONS.get(chain)
    if found is None:
        raise RuleError(f"No beacon that Fracas knows has the chain {chain}.")
    return found


def signature_of(action: JsonValue) -> str | None:
    """Return the signature in a row's action, lower-case hexadecimal of a point of G1; None if there is none."""
    signature = action.get("signature") if isinstance(action, dict) and len(action) == 1 else None
    return signature if isinstance(signature, str) and _SIGNATURE.fullmatch(signature) else None


def beacon_key(sealed: str, seed: bytes, signature: str) -> bytes:
    """Return the key of form 2; `sealed`: the hash of the row that names the round. Numbers are big-endian."""
    parts = (b"fracas/2", bytes.fromhex(sealed), len(seed).to_bytes(8, "big"), seed)
    return hashlib.sha256(b"".join((*parts, hashlib.sha256(bytes.fromhex(signature)).digest()))).digest()
