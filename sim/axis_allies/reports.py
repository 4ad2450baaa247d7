"""Reports of the average battle, of `/aacalc`, of waves and of checked files: numbers and armies, no layout.

The JSON forms have the same names.
"""

from collections.abc import Iterator
from fractions import Fraction

from sim.axis_allies.army import Army, Note
from sim.axis_allies.odds_report import EndName, Ends, FoundOrder, OddsReport, found_words
from sim.axis_allies.question import Wave
from sim.axis_allies.units import Unit
from sim.core.values import Ending, Frozen, Probability, Side


class Hit(Frozen):
    """Hits of one firing type on one target type.

    `amount`: more than 0. `on`: None for ineffective hits, which have no legal target.
    """

    by: Unit
    on: Unit | None
    amount: Fraction


class Volley(Frozen):
    """One side's surprise strike or general fire; `hits` in the order placed."""

    side: Side
    surprise: bool
    hits: tuple[Hit, ...]

    @property
    def effective(self) -> Fraction:
        """Number of hits that took a unit or a life."""
        return sum((hit.amount for hit in self.hits if hit.on is not None), Fraction(0))

    @property
    def ineffective(self) -> Fraction:
        """Number of hits without a legal target."""
        return sum((hit.amount for hit in self.hits if hit.on is None), Fraction(0))


class Round(Frozen):
    """One round: the armies as it begins, and the volleys in the order fired.

    Only a side that may strike by surprise has a surprise volley; both have a general one.
    """

    number: int
    attacker: Army
    defender: Army
    volleys: tuple[Volley, ...]

    def army(self, side: Side) -> Army:
        """Return the army of `side` as the round begins."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def volley(self, side: Side, *, surprise: bool = False) -> Volley | None:
        """Return the volley of `side`, None if it has no surprise strike."""
        return next((volley for volley in self.volleys if volley.side is side and volley.surprise is surprise), None)


class AverageReport(Frozen):
    """The average battle.

    JSON (`battle.json`): `attacker` and `defender` are the armies at the start, `attacker_left` and `defender_left` at
    the end; an army is `{"groups": [{"unit", "count", "lives"}]}` in the order typed, with the hits that the group
    absorbs as `lives`. `rounds` is a list of `{"number", "attacker", "defender", "volleys"}` with the armies as the
    round begins and volleys `{"side", "surprise", "hits"}` of hits `{"by", "on", "amount"}` (`on` null if ineffective).
    `winner` is "attacker", "defender" or null; `ending` says why the battle ended. With `must_take` the attacker wins
    only with a land unit left, which takes the territory. All amounts are exact fractions as text: "3", "11/4".
    """

    attacker: Army
    defender: Army
    rounds: tuple[Round, ...]
    attacker_left: Army
    defender_left: Army
    winner: Side | None
    ending: Ending
    must_take: bool = False
    notes: tuple[Note, ...] = ()

    def army(self, side: Side) -> Army:
        """Return the army of `side` before the battle."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def left(self, side: Side) -> Army:
        """Return the army of `side` after the battle."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    @property
    def end(self) -> EndName:
        """How it ended, in the words of the odds."""
        if self.winner is not None:
            return self.winner.value
        return "not taken" if self.ending is Ending.ANNIHILATION else _ENDS[self.ending]

    def ipc_lost(self, side: Side) -> Fraction:
        """Return the losses of `side` in IPC."""
        return self.army(side).ipc - self.left(side).ipc


_ENDS: dict[Ending, EndName] = {
    Ending.MUTUAL: "tie",
    Ending.STALEMATE: "stalemate",
    Ending.RETREAT: "retreat",
    Ending.ROUND_LIMIT: "out of rounds",
}


class SmartOdds(Frozen):
    """Both sides' chances to win with smart casualties on both sides."""

    p_attacker: Probability
    p_defender: Probability


class CalcReport(Frozen):
    """The average battle, if the edition has one, and, if all units are whole, `odds` with their `card` (PNG).

    `smart`: the chances with smart casualties, if they differ from the chosen method's by `SMART_GAIN` or more.
    """

    average: AverageReport | None = None
    odds: OddsReport | None = None
    smart: SmartOdds | None = None
    card: bytes | None = None


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


class CheckedArmies(Frozen):
    """The armies in a text: one, or the attacker's and the defender's."""

    armies: tuple[Army, ...]
