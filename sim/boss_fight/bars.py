"""The bars of a fight: what stands on its picture, and the picture in words."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from sim.boss_fight.battle.values import Exchanged, Member, State
from sim.boss_fight.exact import readable
from sim.core.frozen import Frozen

_MINUS = "\N{MINUS SIGN}"

Short = Annotated[str, Field(max_length=60)]


MAX_WORDS = 1_000
"""Characters of the picture in words."""


class Bar(Frozen):
    """One bar: `share` of the health is left; `figures` stand beside it, `note` under the name."""

    name: Short
    share: Annotated[float, Field(ge=0, le=1)]
    figures: Short
    note: Short = ""
    is_next: bool = False
    faded: bool = False


def bars_of(state: State) -> tuple[Bar, tuple[Bar, ...]]:
    """Return the boss's bar and the members', in the order of play."""
    last = state.last
    turn = state.turn
    boss = Bar(
        name=state.setup.boss.name,
        share=_share(state.boss_left, state.setup.health),
        figures=f"{readable(state.boss_left)} / {state.setup.health}",
        note=f"{_loss(last.to_boss.total)} by {last.name}" if last else "",
    )
    return boss, tuple(_member(member, last, is_next=member is turn) for member in state.members)


def in_words(bars: Iterable[Bar]) -> str:
    """Return bars in words, such as `Inu Dogemon 400 / 1000. Ann 3990 / 4000, next.`, as an alt text."""
    said = " ".join(f"{_said(bar)}." for bar in bars)
    return said if len(said) <= MAX_WORDS else f"{said[: MAX_WORDS - 1]}…"


def _said(bar: Bar) -> str:
    parts = [f"{bar.name} {bar.figures}", bar.note, "next" if bar.is_next else ""]
    return ", ".join(filter(None, parts))


def _member(member: Member, last: Exchanged | None, *, is_next: bool) -> Bar:
    note = _loss(last.to_player.total) if last is not None and last.seat == member.seat else ""
    if member.away:
        note = "away"
    elif member.fallen:
        note = f"{note}, down" if note else "down"
    return Bar(
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
