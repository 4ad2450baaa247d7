"""The list and the buttons on a fight's panel: the choice of tokens, the arithmetic, the traits, the next fight.

Nothing is kept of a choice: the custom ids of the list and its button hold it whole, as the bits of a hand's tokens.
"""

import re
from typing import Any

import discord

from bot.answers import ask
from bot.battles import BattleService
from bot.battles.items import BattleForms, position_of
from bot.battles.panel import expect_unseated
from bot.battles.presenter import Presenters
from bot.client import Interaction
from bot.games.boss_fight import render as r
from bot.games.boss_fight.questions import ArithmeticQuery, TraitsQuery, find_fight
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui import MAX_CHOICE, plain, shorten, text_view
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import (
    PersistentButton,
    PersistentSelect,
    acknowledge,
    channel_of,
    defer,
    edit_reply,
    origin_of,
    reply,
)
from sim.boss_fight.battle import HANDS, Chosen, HandMember, PutUp, Setup, State, struck
from sim.boss_fight.battle.rules import BossFight, damage_text
from sim.boss_fight.hands import MOST
from sim.boss_fight.tables import known_boss
from sim.boss_fight.values import FLAGS, Token, points
from sim.core import RuleError
from sim.core.battle import JOIN


@PersistentButton.matching(r"ba1:(?P<battle>[0-9]{1,18})", "arithmetic")
async def arithmetic_button(button: PersistentButton, interaction: Interaction) -> None:
    """Show every product behind a fight's exchanges, starting with the member of the last exchange."""
    await defer(interaction, private=True)
    battle, state = await find_fight(interaction.client, int(button.match["battle"]), origin_of(interaction))
    seats = [member.seat for member in state.members]
    if not seats:
        raise RuleError("Nobody is in this fight yet.")
    last = None if state.last is None else state.last.seat
    if state.setup.edition == HANDS:  # only the last exchange has its tokens
        if last is None:
            raise RuleError("Nobody has struck yet.")
        seats = [last]
    first = seats.index(last) if last in seats else 0
    query = ArithmeticQuery(battle_id=battle.id, seats=tuple(seats), at=first, private=True)
    await ask(interaction, query)


@PersistentButton.matching(r"bo1:(?P<battle>[0-9]{1,18})", "own-hand")
async def own_hand_button(button: PersistentButton, interaction: Interaction) -> None:
    """Open the form to join with another ready hand, or with a deck of one's own."""
    services = interaction.client.services
    at = await position_of(interaction, int(button.match["battle"]))
    expect_unseated(at.battle, interaction.user.id)
    await services[BattleForms].open(interaction, at.offer(JOIN.name))


@PersistentButton.matching(r"bt1:traits", "traits")
async def traits_button(_button: PersistentButton, interaction: Interaction) -> None:
    """Show the ready decks and the traits to the player who pressed."""
    await ask(interaction, TraitsQuery(private=True))


@PersistentButton.matching(r"bn1:(?P<boss>[a-z-]{1,40})", "next-fight")
async def next_fight_button(button: PersistentButton, interaction: Interaction) -> None:
    """Open a fight against a boss of the ladder in a new message, unless one against it is open already."""
    boss = known_boss(button.match["boss"].replace("-", " "))
    if boss is None:
        raise RuleError(OUTDATED_BUTTON)
    presenter, setup = interaction.client.services[Presenters].of(BossFight.name), Setup(boss=boss, edition=HANDS)
    for battle in await interaction.client.services[BattleRepository].open_in(channel_of(interaction)):
        if battle.system == BossFight.name and (await presenter.states.read(battle.state_json)).setup == setup:
            raise RuleError(f"#{battle.number} against {boss.name} is open already: join it.")
    await interaction.client.services[BattleService].open(interaction, BossFight.name, setup)


_AT = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6})"
_ACTION = "put-up"


def token_menu(battle: Battle, member: HandMember, chosen: Chosen = (), *, own: bool = False) -> discord.ui.Select[Any]:
    """Return the list of a member's rested tokens; `own`: in the private answer, where some are chosen already."""
    options = [
        discord.SelectOption(
            label=shorten(f"{token.name}: {', '.join(trait.name for trait in token.traits)}", MAX_CHOICE),
            value=str(at),
            description=shorten(token_text(token), MAX_CHOICE),
            emoji=r.ELEMENTS[token.element],
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
        placeholder=shorten(f"{member.name}: put up {f'1 to {most} tokens' if most > 1 else '1 token'}", MAX_CHOICE),
    )


def token_text(token: Token) -> str:
    """Return what a token brings to an exchange: "500 physical, resists magical, Water"."""
    parts = [f"{points(dealt)} {kind}" for kind in ("physical", "magical") if (dealt := token.total(f"{kind}_damage"))]
    for flag in FLAGS:
        kind, _, what = flag.partition("_")
        if count := token.total(flag):
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
        f"### {plain(', '.join(chosen), r.MAX_NAMES)}",
        f"{r.attack_text(state, blow.attack)} now",
        f"⚔️ You deal {damage_text(blow.to_boss, mark='**')}: {boss}",
        f"🩸 You take {damage_text(blow.to_player, mark='**')}: you {you}",
        f"-# Rested for {r.attack_text(state, state.next_attack)} next: {plain(', '.join(rested), r.MAX_NAMES)}",
    ]
    bits = sum(1 << at for at, token in enumerate(member.deck.tokens) if token.name in chosen)
    strike: discord.ui.Button[Any] = discord.ui.Button(
        label="Strike",
        emoji="⚔️",
        style=discord.ButtonStyle.danger,
        custom_id=f"bh2:{battle.id}:{battle.version}:{bits}",
    )
    return text_view(["\n".join(lines)], rows=[[token_menu(battle, member, chosen, own=True)], [strike]])


@PersistentSelect.matching(rf"bh1:{_AT}:(?P<where>panel|own)", "tokens")
async def token_list(menu: PersistentSelect, interaction: Interaction) -> None:
    """Show what the chosen tokens would do, to the member whose turn it is."""
    picked = [int(value) for value in menu.item.values if value.isascii() and value.isdecimal()]
    battle, state, member = await _resolve(interaction, menu.match)
    chosen = _chosen(member, sum(1 << at for at in {*picked} if at < len(member.deck.tokens)))
    view = preview_view(battle, state, member, chosen)
    if menu.match["where"] == "panel":
        await reply(interaction, view)
    else:
        await acknowledge(interaction)
        await interaction.edit_original_response(view=view)


@PersistentButton.matching(rf"bh2:{_AT}:(?P<bits>[0-9]{{1,3}})", "strike")
async def strike_button(button: PersistentButton, interaction: Interaction) -> None:
    """Put up the chosen tokens."""
    battle, _, member = await _resolve(interaction, button.match)
    chosen = _chosen(member, int(button.match["bits"]))
    await acknowledge(interaction)
    service = interaction.client.services[BattleService]
    await service.act(interaction, battle.id, int(button.match["version"]), _ACTION, PutUp(tokens=chosen))
    await edit_reply(interaction, f"✅ #{battle.number}: you put up {plain(', '.join(chosen), r.MAX_NAMES)}.")


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
    state: State = r.shown_state(battle, found.state)
    if not isinstance(state.turn, HandMember):
        raise RuleError(OUTDATED_BUTTON)
    return battle, state, state.turn


FIGHT_ITEMS = (arithmetic_button, traits_button, next_fight_button, own_hand_button, token_list, strike_button)
