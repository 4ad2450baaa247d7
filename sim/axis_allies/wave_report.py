"""The report of several attackers one after another, and of a counterattack: numbers and armies, no layout.

The JSON form has the same names.
"""

from collections.abc import Iterator

from sim.axis_allies.army import Army
from sim.axis_allies.odds_report import Ends, FoundOrder, found_words
from sim.axis_allies.question import Wave
from sim.core.values import Frozen, Probability


class WaveOdds(Frozen):
    """How a wave fares.

    `p_fights`: the chance that it meets a defender. `p_wins`: the chance that the attacker wins with this wave; it need
    not fight where nobody is left. `p_takes`: and has a land unit left. `left`: mean counts left by `unit_key`, of
    waves that never had to fight all. `ipc_lost`: mean losses in IPC. `found_orders`: of the sides whose casualties are
    smart or thrifty; the defender keeps that of the first wave.
    """

    wave: Wave
    p_fights: Probability
    p_wins: Probability
    p_takes: Probability
    left: dict[str, float]
    ipc_lost: float
    found_orders: tuple[FoundOrder, ...] = ()


class WaveReport(Ends):
    """The odds of up to five attackers one after another, and of a counterattack.

    `p_holds`: the attacker takes the territory, and the counterattack doesn't take it back; None without one.
    `def_left`: mean counts left by `unit_key`. `att_ipc_lost`, `def_ipc_lost`: mean losses in IPC over all waves, the
    counterattack not included, and their standard deviations `att_ipc_lost_sd`, `def_ipc_lost_sd`. `counter_orders`:
    found for the counterattack.
    """

    waves: tuple[WaveOdds, ...]
    defender: Army
    counter: Wave | None
    p_holds: Probability | None
    def_left: dict[str, float]
    att_ipc_lost: float
    att_ipc_lost_sd: float
    def_ipc_lost: float
    def_ipc_lost_sd: float
    notes: tuple[str, ...] = ()
    counter_orders: tuple[FoundOrder, ...] = ()

    def order_words(self) -> Iterator[str]:
        """Yield the orders found, each as a sentence for players."""
        for number, wave in enumerate(self.waves, 1):
            part = f"Wave {number}" if len(self.waves) > 1 else ""
            yield from found_words(wave.found_orders, part)
        yield from found_words(self.counter_orders, "Counterattack")

    @property
    def att_ipc(self) -> int:
        """Price of all waves in IPC."""
        return int(sum(each.wave.army.ipc for each in self.waves))
