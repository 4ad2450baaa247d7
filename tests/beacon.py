"""A beacon of the tests' own, whose secret is known here: it signs any round, wrongly, and before it is due."""

import hashlib

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from sim.core.beacon import TAG, Beacon

_SECRET = Scalar.from_le_bytes(hashlib.sha256(b"fracas tests").digest()[:31] + b"\0")

CHAIN = Beacon(
    name="the tests' beacon",
    genesis=1_600_000_000,
    period=1,
    key=bytes((G2Point() * _SECRET).to_compressed_bytes()).hex(),
    group="00" * 32,
    beacon_id="tests",
)


def sign(number: int) -> str:
    """Return the signature of a round."""
    hashed = G1Point.hash_to_curve(hashlib.sha256(number.to_bytes(8, "big")).digest(), TAG)
    return bytes((hashed * _SECRET).to_compressed_bytes()).hex()
