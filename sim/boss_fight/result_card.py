"""What the card of a finished fight shows: who won, and who did how much of the damage."""

from fractions import Fraction

from sim.boss_fight.battle.values import BOSS, PARTY, Member, State, default_name
from sim.boss_fight.exact import points
from sim.core.cards.values import Line, Share
from sim.core.numbers import percent
from sim.core.values import Frozen

MAX_MEMBERS_SHOWN = 6
"""Members with a bar; the rest are counted."""


class DamageRow(Frozen):
    """A member's part in a finished fight: `share` of the damage to the boss, `figures` the same as text.

    `instead` stands for a name that no font can draw. `fallen`: whether the member is down.
    """

    name: Line
    instead: Line
    share: Share
    figures: Line
    fallen: bool


class ResultCard(Frozen):
    """A finished fight, to share: who won, `won` whether it is the party, and each member's part, the most first.

    `more`: members who didn't fit. `note`: one more line, such as who struck the last blow.
    """

    title: Line
    won: bool | None
    aside: Line
    rows: tuple[DamageRow, ...]
    more: int
    note: Line

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the picture."""
        rows = (f"{row.name} {row.figures}{', down' if row.fallen else ''}." for row in self.rows)
        return " ".join([f"{self.title} {self.aside}.", *rows, *([f"{self.note}."] if self.note else [])])


def result_card(state: State) -> ResultCard | None:
    """Return the card of a finished fight; None while it goes on."""
    if state.ending is None:
        return None
    count = state.exchanges
    foe = state.setup.boss.name + (f" × {state.setup.times}" if state.setup.times > 1 else "")
    titles = {PARTY: f"{_winner(state)} defeats {foe}", BOSS: f"{foe} defeats the party", None: f"Stalemate with {foe}"}
    fighters = sorted((member for member in state.members if member.hits), key=lambda member: -member.dealt)
    return ResultCard(
        title=titles[state.winner],
        won=None if state.winner is None else state.winner == PARTY,
        aside=f"in {count} {'exchange' if count == 1 else 'exchanges'}",
        rows=tuple(_damage_row(member, state.dealt) for member in fighters[:MAX_MEMBERS_SHOWN]),
        more=len(fighters) - len(fighters[:MAX_MEMBERS_SHOWN]),
        note=_note(state),
    )


def _winner(state: State) -> str:
    return state.members[0].name if len(state.members) == 1 else "The party"


def _damage_row(member: Member, dealt: Fraction) -> DamageRow:
    share = float(member.dealt / dealt) if dealt else 0.0
    figures = f"{points(member.dealt)} · {percent(share, certain=share == 1)}" if member.dealt else "no damage"
    instead = default_name(member.seat)
    return DamageRow(name=member.name, instead=instead, share=share, figures=figures, fallen=member.fallen)


def _note(state: State) -> str:
    """Return who struck the last blow, with what score; or how much health the boss has left."""
    if state.winner != PARTY or state.last is None:
        return f"{state.setup.boss.name} has {points(state.boss_left)} of {points(state.setup.health)} left"
    score = f", score {points(state.last.score)}" if state.last.score else ""
    return f"{state.last.name} strikes the last blow{score}"
