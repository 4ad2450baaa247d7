"""Writes all playthroughs anew."""

from tests.conformance.example import registered
from tests.conformance.playthroughs import file_of, playthrough

for system in registered():
    file_of(system).write_text(playthrough(system), encoding="utf-8")
    print(file_of(system).name)
