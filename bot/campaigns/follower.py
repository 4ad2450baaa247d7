"""Takes up the ends of battles of campaigns: what is left of the sides, and what each fighter did."""

from bot.campaigns.render import AnyRules
from bot.campaigns.service import CampaignService
from bot.client import Client
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import CampaignRepository, Muster
from sim.core.numbers import quantity
from sim.jobs.campaign import TakeUp


class Follower:
    """Listens to ended battles."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._campaigns = bot.services[CampaignRepository]

    async def missing(self) -> list[int]:
        """Return the closed battles of campaigns that aren't taken up yet."""
        return await self._campaigns.missing()

    async def ended(self, battle: Battle) -> None:
        """Take up what stood at the end, decided or not; one transaction, the second time without effect."""
        found = await self._campaigns.of_battle(battle.id)
        if found is None or not found[1].is_open:
            return
        steps = await self._bot.services[BattleRepository].latest_steps(battle.id)
        job = TakeUp(
            system=battle.system,
            muster_json=found[1].muster_json,
            state_json=battle.state_json,
            events=tuple(step.events_json for step in steps),
            seed=battle.seed,
            step=battle.next_step,
        )
        taken = await self._bot.simulator.once(job)
        text = ending(battle, self._bot.services[CampaignService].rules(battle.system))
        await self._campaigns.take_up(battle, text, Muster(taken.muster_json, taken.veterans, taken.sums), taken.deeds)


def ending(battle: Battle, rules: AnyRules) -> str:
    """Return how a battle ended: who won, and why."""
    outcome = battle.outcome
    if outcome is None:
        return "ended early, as it stood"
    rounds = f" after {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    if outcome.winner is None and outcome.ending in rules.undecided:
        return f"{rules.undecided[outcome.ending]}{rounds}"
    if outcome.winner is None:
        return f"nobody won{rounds}: {outcome.why}"
    winner = outcome.winner.replace("-", " ")
    return f"{winner if winner[-1].isdigit() else f'the {winner}'} won{rounds}"
