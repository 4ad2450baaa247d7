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

SIGNED = {
    42: "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}
"""What drand's quicknet signed, by round."""


def sign(number: int) -> str:
    """Return the signature of a round."""
    hashed = G1Point.hash_to_curve(hashlib.sha256(number.to_bytes(8, "big")).digest(), TAG)
    return bytes((hashed * _SECRET).to_compressed_bytes()).hex()
