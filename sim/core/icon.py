"""The silhouette that stands for a game without one of its own: a die with twenty faces."""

from sim.core.silhouettes import Silhouette, hole, line, polygon

ICON = Silhouette(
    60,
    60,
    (
        polygon(30, 2, 55, 16, 55, 44, 30, 58, 5, 44, 5, 16),
        hole(line(30, 14, 44, 39, thickness=2)),
        hole(line(44, 39, 16, 39, thickness=2)),
        hole(line(16, 39, 30, 14, thickness=2)),
        *(
            hole(line(*points, thickness=2))
            for points in (
                (30, 14, 30, 3),
                (44, 39, 54, 44),
                (16, 39, 6, 44),
                (30, 14, 54, 16),
                (30, 14, 6, 16),
                (44, 39, 54, 17),
                (16, 39, 6, 17),
                (44, 39, 30, 57),
                (16, 39, 30, 57),
            )
        ),
    ),
)
