"""The signs and colours of the two sides."""

from sim.marked_for_death.roster import Camp

ICONS = {Camp.HEROES: "🛡️", Camp.VILLAINS: "👹"}
COLOURS: dict[Camp | None, int] = {Camp.HEROES: 0x1C7ED6, Camp.VILLAINS: 0xE03131, None: 0x868E96}
FALLEN = "💀"
BOTH_GONE = "⚰️"
UNDECIDED = "⏳"
