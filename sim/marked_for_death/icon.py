"""The silhouette that stands for Marked for Death: a kunai."""

from sim.core.silhouettes import Silhouette, hole, line, oval, polygon

ICON = Silhouette(
    60,
    60,
    (
        polygon(57, 3, 47, 27, 33, 33, 27, 27, 33, 13),
        hole(line(54, 6, 34, 26, thickness=1.6)),
        line(31, 29, 18, 42, thickness=5),
        oval(4, 40, 20, 56),
        hole(oval(8, 44, 16, 52)),
    ),
)
