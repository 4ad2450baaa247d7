"""`/aa battle` in the fog: armies are for their own players alone, until the end."""

import pytest

from tests.bot.battles.fights import begin, stranger
from tests.bot.conftest import Table, answer, button, buttons_of, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_armies_are_hidden_and_shown_at_the_end(table: Table) -> None:
    panel = await begin(table, fog=True)
    assert buttons_of(panel) == ["Fight round 1", "Fight to the end", "Your army"]
    await table.press(panel, "Fight round 1")
    text = text_of(panel)
    assert "⚔️ **Attacker** 🌫️ in the fog" in text
    assert "hits**" in text
    assert not any(word in text for word in ("tank", "infantry", "🔮", "IPC"))
    log = await table.ann.slash(table.channel, "battle log")
    assert "tank" not in text_of(answer(log))
    files = await table.files(log)
    assert list(files) == ["battle-1.txt"]
    assert b"tank" not in files["battle-1.txt"]
    await table.press(panel, "Fight to the end")
    assert "tank" in text_of(panel)
    assert buttons_of(panel) == []
    log = await table.ann.slash(table.channel, "battle log", number=1)
    assert list(await table.files(log)) == ["battle-1.txt", "battle-1.jsonl"]


async def test_players_see_their_own_army_alone(table: Table) -> None:
    panel = await begin(table, fog=True)
    own = answer(await table.press(panel, "Your army"))
    assert own.ephemeral
    assert text_of(own) == "⚔️ Your army: 6 tanks"
    assert text_of(answer(await table.press(panel, "Your army", by=table.ben))) == "🛡️ Your army: 10 infantry"
    refused = answer(await table.press(panel, "Your army", by=stranger(table)))
    assert refused.ephemeral
    assert "only you may see" in text_of(refused)
    assert button(panel, "Your army").startswith("b2:")
