"""The silhouette that stands for duels: a sword."""

from sim.core.silhouettes import Silhouette, hole, line, oval, polygon

ICON = Silhouette(
    60,
    60,
    (
        polygon(57, 3, 56, 13, 26, 43, 17, 34, 47, 4),
        hole(line(53, 7, 24, 36, thickness=1.6)),
        polygon(11, 31, 15, 27, 33, 45, 29, 49),
        line(18, 42, 9, 51, thickness=5.5),
        oval(2, 49, 11, 58),
    ),
)
