import pytest

from tests.conformance.example import registered
from tests.conformance.playthroughs import file_of, playthrough


@pytest.mark.parametrize("system", registered())
def test_a_play_goes_as_it_did(system: str) -> None:
    kept = file_of(system).read_text(encoding="utf-8")
    assert playthrough(system) == kept, "if this is meant, run `python -m tests.conformance.playthroughs`"


def test_every_playthrough_is_one_of_a_registered_game() -> None:
    assert {file.stem for file in file_of("any").parent.glob("*.txt")} == {*registered()}
