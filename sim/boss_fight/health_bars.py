"""The health bars on the picture of a fight, and their alt text."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from sim.boss_fight.battle.values import Exchanged, Member, State
from sim.boss_fight.exact import readable
from sim.core.values import Frozen

MAX_ALT_TEXT = 1_000
"""Characters of the alt text."""

_MINUS = "\N{MINUS SIGN}"

ShortText = Annotated[str, Field(max_length=60)]


class HealthBar(Frozen):
    """One bar: `share` of the health is left; `figures` are beside it, `note` is under the name."""

    name: ShortText
    share: Annotated[float, Field(ge=0, le=1)]
    figures: ShortText
    note: ShortText = ""
    is_next: bool = False
    faded: bool = False


def health_bars(state: State) -> tuple[HealthBar, tuple[HealthBar, ...]]:
    """Return the boss's bar, and the members' in the order of play."""
    setup, last, turn = state.setup, state.last, state.turn
    boss = HealthBar(
        name=setup.boss.name,
        share=_share(state.boss_left, setup.health),
        figures=f"{readable(state.boss_left)} / {setup.health}",
        note=f"{_loss(last.to_boss.total)} by {last.name}" if last else "",
    )
    return boss, tuple(_member_bar(member, last, is_next=member is turn) for member in state.members)


def _member_bar(member: Member, last: Exchanged | None, *, is_next: bool) -> HealthBar:
    note = _loss(last.to_player.total) if last is not None and last.seat == member.seat else ""
    if member.away:
        note = "away"
    elif member.fallen:
        note = f"{note}, down" if note else "down"
    return HealthBar(
        name=member.name,
        share=_share(member.left, member.health),
        figures=f"{readable(member.left)} / {member.health}",
        note=note,
        is_next=is_next,
        faded=member.away or member.fallen,
    )


def _loss(damage: Fraction) -> str:
    return f"{_MINUS}{readable(damage)}" if damage else "0"


def _share(left: Fraction, health: int) -> float:
    return float(min(max(left / health, Fraction(0)), Fraction(1)))


def alt_text(bars: Iterable[HealthBar]) -> str:
    """Return the bars as text, such as `Inu Dogemon 400 / 1000. Ann 3990 / 4000, next.`."""
    text = " ".join(f"{_bar_text(bar)}." for bar in bars)
    return text if len(text) <= MAX_ALT_TEXT else f"{text[: MAX_ALT_TEXT - 1]}…"


def _bar_text(bar: HealthBar) -> str:
    parts = [f"{bar.name} {bar.figures}", bar.note, "next" if bar.is_next else ""]
    return ", ".join(filter(None, parts))
