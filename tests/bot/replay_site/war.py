"""A war of thousands of rows."""

from functools import cache
from random import Random

from sim.core.battle import LegalAction
from sim.core.journal import Journal
from sim.core.session import Session
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.battle.values import Action, EndTurn
from tests.conformance.examples.mka import fill
from tests.sim.mad_killer_agents.builders import setup, terrain

ORDERS_A_TURN = 24


@cache
def long_war(rows: int, side: int = 12) -> Journal:
    """Return a closed war of two people with so many rows: orders one by one, and a new try where it was won."""
    choose = Random(rows)
    war = Session(MapWar(), setup("Anna", "Ben", rounds=500, ground=terrain(side=side)), b"a long war")
    given = 0
    while len(war.entries) < rows - 1:
        offers: dict[str, LegalAction[Action]] = {offer.name: offer for offer in war.system.legal(war.state)}
        if not offers:  # somebody has won: half of the war is fought again
            war.undo(len(war.entries) // 2, "referee")
            continue
        action: Action | None = None
        offer = offers.get("begin") or offers["end-turn"]
        if "give" in offers and given < ORDERS_A_TURN:
            action = fill(war.state, offers["give"], offers["give"].seats[0], choose)
            offer = offers["give"] if action is not None else offer
        given = given + 1 if action is not None else 0
        war.act(action or offer.action or EndTurn(), offer.seats[0])
    war.end("referee")
    return war.journal()
