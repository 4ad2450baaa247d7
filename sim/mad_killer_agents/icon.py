"""The silhouette that stands for wars on a grid: a folded map with a flag."""

from sim.core.silhouettes import Silhouette, hole, line, polygon

ICON = Silhouette(
    60,
    60,
    (
        polygon(3, 10, 20, 4, 20, 50, 3, 56),
        polygon(22, 4, 38, 10, 38, 56, 22, 50),
        polygon(40, 10, 57, 4, 57, 50, 40, 56),
        hole(line(9, 42, 24, 34, thickness=2.4)),
        hole(line(24, 34, 33, 40, thickness=2.4)),
        hole(line(46, 22, 46, 40, thickness=2.6)),
        hole(polygon(46, 20, 55, 24, 46, 29)),
    ),
)
