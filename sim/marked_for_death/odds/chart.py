"""Chart of the odds of a battle: the chances of both sides, and each fighter's chance to survive.

Imports matplotlib, so only workers may import this.
"""

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox, TransformedBbox

from sim.core.charts import new_figure, png
from sim.core.numbers import percent
from sim.core.pictures import BLUE, FAINT, INK, ORANGE, letters
from sim.marked_for_death.reports import FighterOdds, OddsReport, charted_fighters
from sim.marked_for_death.roster import Camp

COLOURS = {Camp.HEROES: BLUE, Camp.VILLAINS: ORANGE}
_OPEN = "#ced4da"
_HEAD, _ROW, _FOOT = 190, 34, 50  # heights in points: the chances, a fighter, the footer
_LETTERS = 13
_BAR, _LENGTH = 0.46, 0.32  # start and full length of a fighter's bar, in column widths
_BIG, _SMALL = 20, 16


def draw(report: OddsReport) -> bytes:
    """Return a PNG: a stacked bar of the endings, and below it a column of fighters for each side."""
    sides = {camp: charted_fighters(report, camp) for camp in Camp}
    rows = max(1, *(len(side) for side in sides.values()))
    height = _HEAD + rows * _ROW + _FOOT
    figure = new_figure(height)
    _endings(figure.add_axes((0.02, 1 - 100 / height, 0.96, 44 / height)), report)
    for column, (camp, side) in enumerate(sides.items()):
        box = (0.02 + column * 0.5, _FOOT / height, 0.46, rows * _ROW / height)
        _fighters(figure.add_axes(box), camp, side, rows, exact=report.method == "exact")
        hidden = sum(not fighter.sits_out for fighter in report.side(camp)) - len(side)
        if hidden:
            figure.text(box[0], 14 / height, f"and {hidden} more", color=FAINT, fontsize=_SMALL)
    return png(figure)


def _endings(axes: Axes, report: OddsReport) -> None:
    shares = (
        ("Heroes", report.p_heroes, COLOURS[Camp.HEROES]),
        ("nobody", report.p_both_fall, FAINT),
        ("undecided", report.p_undecided, _OPEN),
        ("Villains", report.p_villains, COLOURS[Camp.VILLAINS]),
    )
    start = 0.0
    for _, chance, colour in shares:
        axes.barh([0], [chance], left=start, color=colour, height=1.0)
        start += chance
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.5, 0.5)
    axes.axis("off")
    certain = report.method == "exact"
    for at, (name, chance, colour) in enumerate(shares):
        if name == "undecided" and chance == 0:
            continue
        text = f"{name} {percent(chance, certain=certain and chance == 1)}"
        where = {"Heroes": (0.0, 1.15, "left"), "Villains": (1.0, 1.15, "right")}.get(name)
        x, y, side = where or ((0.0, -0.85, "left") if at == 1 else (1.0, -0.85, "right"))
        size = _BIG if where else _SMALL
        weight = "bold" if where else "normal"
        axes.text(x, y, text, color=colour, fontsize=size, fontweight=weight, ha=side, transform=axes.transAxes)


def _fighters(axes: Axes, camp: Camp, side: tuple[FighterOdds, ...], rows: int, *, exact: bool) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.axis("off")
    axes.text(0, -0.75, "survives", color=COLOURS[camp], fontsize=_SMALL, fontweight="bold", va="bottom")
    column = TransformedBbox(Bbox.from_extents(0, 0, _BAR - 0.01, 1), axes.transAxes)
    for at, fighter in enumerate(side):
        axes.barh([at], [_LENGTH], left=_BAR, color=FAINT, alpha=0.25, height=0.62)
        axes.barh([at], [_LENGTH * fighter.p_survives], left=_BAR, color=COLOURS[camp], height=0.62)
        # Players write the names: never parse them as formulas.
        name = axes.text(0, at, _short(fighter.name), color=INK, fontsize=_SMALL, va="center", parse_math=False)
        name.set_clip_box(column)
        name.set_clip_on(True)
        chance = percent(fighter.p_survives, certain=exact and fighter.p_survives == 1)
        axes.text(1, at, chance, color=INK, fontsize=_SMALL, va="center", ha="right")
    if not side:
        axes.text(0, 0, "nobody", color=FAINT, fontsize=_SMALL, va="center")


def _short(name: str) -> str:
    """Shorten a name to fit; letters missing in the font become question marks."""
    drawable = "".join(letter if ord(letter) in letters() else "?" for letter in name)
    return drawable if len(drawable) <= _LETTERS else f"{drawable[: _LETTERS - 1].rstrip()}…"
