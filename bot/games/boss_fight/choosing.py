"""The choice of tokens for an exchange: a list on the panel, then what they would deal and take, and a button.

Nothing is kept: the custom ids hold the whole choice, as the bits of a hand's tokens.
"""

import re
from typing import Any

import discord

from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.boss_fight.render import ELEMENTS, MAX_NAMES, attack_text
from bot.games.boss_fight.render.battle import shown_state
from bot.store.battle import Battle
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, PersistentSelect, acknowledge, edit_reply, origin_of, reply
from bot.ui.text import MAX_CHOICE, plain, shorten, text_view
from sim.boss_fight.battle.rules import damage_text
from sim.boss_fight.battle.values import Chosen, HandMember, PutUp, State, struck
from sim.boss_fight.hands import MOST
from sim.boss_fight.values import FLAGS, Token, points
from sim.core.errors import RuleError

_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"
_ACTION = "put-up"


def token_menu(battle: Battle, member: HandMember, chosen: Chosen = (), *, own: bool = False) -> discord.ui.Select[Any]:
    """Return the list of a member's rested tokens; `own`: in the private answer, where some are chosen already."""
    options = [
        discord.SelectOption(
            label=shorten(f"{token.name}: {', '.join(trait.name for trait in token.traits)}", MAX_CHOICE),
            value=str(at),
            description=shorten(token_text(token), MAX_CHOICE),
            emoji=ELEMENTS[token.element],
            default=token.name in chosen,
        )
        for at, token in enumerate(member.deck.tokens)
        if token.name in member.rested
    ]
    most = min(MOST, len(options))
    return discord.ui.Select(
        custom_id=f"bh1:{battle.id}:{battle.version}:{'own' if own else 'panel'}",
        options=options,
        max_values=most,
        placeholder=shorten(f"{member.name}: put up {f'1 to {most} tokens' if most > 1 else 'it'}", MAX_CHOICE),
    )


def token_text(token: Token) -> str:
    """Return what a token brings to an exchange: "500 physical, resists magical, Water"."""
    damage = {kind: sum(getattr(trait, f"{kind}_damage") for trait in token.traits) for kind in ("physical", "magical")}
    parts = [f"{points(dealt)} {kind}" for kind, dealt in damage.items() if dealt]
    for flag in FLAGS:
        kind, _, what = flag.partition("_")
        if count := sum(getattr(trait, flag) for trait in token.traits):
            times = f" {count} times" if count > 1 else ""
            parts.append(f"{'pierces' if what == 'penetration' else 'resists'} {kind}{times}")
    return ", ".join([*parts, *([token.element] if token.element else [])]) or "health only"


def preview_view(battle: Battle, state: State, member: HandMember, chosen: Chosen) -> discord.ui.LayoutView:
    """Return what some tokens would deal and take, with the button that puts them up."""
    blow, boss = struck(state, member, chosen), plain(state.setup.boss.name)
    boss += " falls" if blow.boss_left <= 0 else f" has {points(blow.boss_left)} left"
    you = "go down" if blow.left <= 0 else f"have {points(blow.left)} left"
    rested = [token.name for token in member.deck.tokens if token.name not in chosen]
    lines = [
        f"### {plain(', '.join(chosen), MAX_NAMES)}",
        f"{attack_text(state, blow.attack)} now",
        f"⚔️ You deal {damage_text(blow.to_boss, mark='**')}: {boss}",
        f"🩸 You take {damage_text(blow.to_player, mark='**')}: you {you}",
        f"-# Rested for {attack_text(state, state.next_attack)} next: {plain(', '.join(rested), MAX_NAMES)}",
    ]
    bits = sum(1 << at for at, token in enumerate(member.deck.tokens) if token.name in chosen)
    strike: discord.ui.Button[Any] = discord.ui.Button(
        label="Strike",
        emoji="⚔️",
        style=discord.ButtonStyle.danger,
        custom_id=f"bh2:{battle.id}:{battle.version}:{bits}",
    )
    return text_view(["\n".join(lines)], rows=[[token_menu(battle, member, chosen, own=True)], [strike]])


class TokenMenu(PersistentSelect, template=rf"bh1:{_AT}:(?P<where>panel|own)"):
    """The list of rested tokens."""

    kind = "tokens"

    async def pressed(self, interaction: Interaction) -> None:
        """Show what the chosen tokens would do, to the member whose turn it is."""
        picked = [int(value) for value in self.item.values if value.isascii() and value.isdecimal()]
        battle, state, member = await _resolve(interaction, self.match)
        chosen = _chosen(member, sum(1 << at for at in {*picked} if at < len(member.deck.tokens)))
        view = preview_view(battle, state, member, chosen)
        if self.match["where"] == "panel":
            await reply(interaction, view)
        else:
            await acknowledge(interaction)
            await interaction.edit_original_response(view=view)


class StrikeButton(PersistentButton, template=rf"bh2:{_AT}:(?P<bits>[0-9]{{1,3}})"):
    """Puts up the chosen tokens."""

    kind = "strike"

    async def pressed(self, interaction: Interaction) -> None:
        """Strike."""
        battle, _, member = await _resolve(interaction, self.match)
        chosen = _chosen(member, int(self.match["bits"]))
        await acknowledge(interaction)
        service = interaction.client.services[BattleService]
        await service.act(interaction, battle.id, int(self.match["version"]), _ACTION, PutUp(tokens=chosen))
        await edit_reply(interaction, f"✅ #{battle.number}: you put up {plain(', '.join(chosen), MAX_NAMES)}.")


def _chosen(member: HandMember, bits: int) -> Chosen:
    chosen = tuple(token.name for at, token in enumerate(member.deck.tokens) if bits >> at & 1)
    if not 1 <= len(chosen) <= MOST or not {*chosen} <= {*member.rested}:
        raise RuleError(OUTDATED_BUTTON)
    return chosen


async def _resolve(interaction: Interaction, match: re.Match[str]) -> tuple[Battle, State, HandMember]:
    """Return the fight and the member whose turn it is, who must be the user's own."""
    services = interaction.client.services
    battle = await services[BattleService].find(int(match["battle"]), origin_of(interaction))
    async with services[BattleService].explain_conflicts(interaction):
        found = await services[BattleService].resolve(interaction, battle, int(match["version"]), _ACTION)
    state: State = shown_state(battle, found.state)
    if not isinstance(state.turn, HandMember):
        raise RuleError(OUTDATED_BUTTON)
    return battle, state, state.turn
