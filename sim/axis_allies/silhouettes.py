"""The units of Axis & Allies as silhouettes."""

from sim.core.silhouettes import Silhouette, hole, line, mirrored, oval, polygon

_WIDE, _HIGH = 76.0, 44.0

SILHOUETTES: dict[str, Silhouette] = {
    "infantry": Silhouette(
        44,
        _HIGH,
        (
            polygon(13, 9, 14, 5, 18, 2, 23, 2, 27, 5, 28, 9, 31, 10, 31, 12, 10, 12, 10, 10),
            oval(15, 6, 27, 18),
            polygon(12, 18, 29, 18, 31, 30, 28, 31, 28, 44, 22, 44, 21, 33, 19, 44, 13, 44, 13, 31, 10, 30),
            hole(line(8, 33, 37, 13, thickness=6.0)),
            line(8, 33, 39, 11.5, thickness=2.8),
            polygon(3, 34, 9, 29, 13, 32, 6, 38),
        ),
    ),
    "artillery": Silhouette(
        68,
        _HIGH,
        (
            line(24, 24, 63, 9, thickness=5),
            line(22, 25, 44, 16.5, thickness=8),
            polygon(30, 10, 35, 8, 42, 30, 36, 32),
            line(26, 30, 4, 41, thickness=4.5),
            oval(18, 20, 42, 44),
            hole(oval(22, 24, 38, 40)),
            oval(27, 29, 33, 35),
            line(30, 22, 30, 42, thickness=1.8),
            line(20, 32, 40, 32, thickness=1.8),
        ),
    ),
    "mechanized infantry": Silhouette(
        70,
        _HIGH,
        (
            polygon(4, 16, 38, 16, 40, 12, 50, 12, 54, 22, 67, 24, 68, 34, 4, 34),
            hole(polygon(42, 15, 48, 15, 50.5, 21, 42, 21)),
            line(14, 9, 30, 9, thickness=2.5),
            line(22, 9, 22, 16, thickness=2.5),
            polygon(3, 33, 42, 33, 37, 44, 9, 44),
            hole(oval(9, 35.5, 16, 42.5)),
            hole(oval(19.5, 35.5, 26.5, 42.5)),
            hole(oval(30, 35.5, 37, 42.5)),
            hole(oval(47, 29, 65, 47)),
            oval(49, 30, 63, 44),
            hole(oval(53.5, 34.5, 58.5, 39.5)),
        ),
    ),
    "tank": Silhouette(
        72,
        _HIGH,
        (
            polygon(19, 8, 40, 8, 45, 18, 45, 21, 15, 21, 15, 17),
            line(43, 13.5, 69, 11, thickness=4),
            polygon(66, 8.6, 71, 8.2, 71.3, 13, 66.3, 13.5),
            polygon(6, 21, 60, 21, 66, 29, 2, 29),
            polygon(4, 28, 64, 28, 68, 33, 60, 44, 9, 44, 1, 33),
            *(hole(oval(9 + 12 * at, 31, 18 + 12 * at, 40)) for at in range(4)),
            *(oval(11.5 + 12 * at, 33.5, 15.5 + 12 * at, 37.5) for at in range(4)),
        ),
    ),
    "antiaircraft gun": Silhouette(
        52,
        _HIGH,
        (
            line(24, 26, 42, 3, thickness=3.2),
            line(18, 24, 36, 1.8, thickness=3.2),
            polygon(12, 18, 22, 14, 34, 30, 14, 32),
            polygon(8, 31, 38, 31, 42, 37, 4, 37),
            line(4, 42, 46, 42, thickness=3.5),
            polygon(19, 36, 29, 36, 31, 42, 17, 42),
        ),
    ),
    "fighter": Silhouette(
        64,
        _HIGH,
        (
            *mirrored((polygon(32, 13, 62, 22, 62, 27, 32, 26), polygon(32, 37, 43, 40, 43, 43, 32, 42)), 64),
            polygon(29, 8, 30, 3, 32, 1, 34, 3, 35, 8, 35.5, 26, 34, 43, 30, 43, 28.5, 26),
            line(26, 3.5, 38, 3.5, thickness=1.6),
            hole(polygon(30.8, 14, 33.2, 14, 33.4, 20, 30.6, 20)),
        ),
    ),
    "tactical bomber": Silhouette(
        66,
        _HIGH,
        (
            *mirrored(
                (polygon(33, 14, 46, 18, 64, 13, 64, 19, 46, 27, 33, 27), polygon(33, 36, 45, 39, 45, 43, 33, 42)), 66
            ),
            polygon(29, 8, 31, 2, 33, 1, 35, 2, 37, 8, 37, 27, 35, 43, 31, 43, 29, 27),
            line(26, 3, 40, 3, thickness=1.6),
            line(20, 24, 20, 31, thickness=3),
            line(46, 24, 46, 31, thickness=3),
            hole(polygon(31.7, 13, 34.3, 13, 34.5, 24, 31.5, 24)),
        ),
    ),
    "bomber": Silhouette(
        84,
        _HIGH,
        (
            *mirrored(
                (
                    polygon(42, 12, 82, 20, 82, 25, 42, 25),
                    oval(56, 10, 61, 23),
                    oval(69, 12, 74, 25),
                    line(54, 10.5, 63, 10.5, thickness=1.4),
                    line(67, 12.5, 76, 12.5, thickness=1.4),
                    polygon(42, 36, 55, 39, 55, 43, 42, 42.5),
                ),
                84,
            ),
            polygon(37.5, 8, 38.5, 3, 42, 0.5, 45.5, 3, 46.5, 8, 46.5, 25, 44, 44, 40, 44, 37.5, 25),
            hole(polygon(39.5, 5.5, 44.5, 5.5, 44, 8.5, 40, 8.5)),
        ),
    ),
    "submarine": Silhouette(
        _WIDE,
        _HIGH,
        (
            polygon(3, 33, 8, 29, 62, 29, 70, 31, 74, 34, 68, 38, 14, 40, 6, 38),
            polygon(29, 29, 31, 19, 46, 19, 49, 29),
            line(36, 19, 36, 8, thickness=2.2),
            line(36, 8, 40, 8, thickness=2.2),
            line(42, 19, 42, 13, thickness=2),
            polygon(1, 28, 6, 28, 7, 42, 2, 42),
            line(54, 28, 61, 28, thickness=2.2),
        ),
    ),
    "transport": Silhouette(
        _WIDE,
        _HIGH,
        (
            polygon(2, 28, 12, 28, 14, 31, 62, 31, 66, 27, 74, 27, 68, 43, 9, 43),
            polygon(46, 14, 58, 14, 60, 32, 44, 32),
            hole(polygon(47.5, 17.5, 56.5, 17.5, 56.8, 20.5, 47.2, 20.5)),
            polygon(49, 6, 55, 6, 55, 14, 49, 14),
            polygon(15, 24, 26, 24, 26, 31, 15, 31),
            polygon(28, 24, 39, 24, 39, 31, 28, 31),
            line(27, 25, 27, 10, thickness=2),
            line(27, 11, 38, 20, thickness=1.5),
            line(27, 11, 16, 20, thickness=1.5),
        ),
    ),
    "destroyer": Silhouette(
        _WIDE,
        _HIGH,
        (
            polygon(2, 31, 64, 31, 75, 27, 69, 42, 8, 42),
            polygon(38, 31, 39, 20, 44, 20, 44, 15, 51, 15, 51, 22, 54, 31),
            line(46, 15, 46, 5, thickness=1.8),
            line(43, 8, 49, 8, thickness=1.4),
            polygon(27, 20, 33, 20, 34, 31, 26, 31),
            polygon(56, 31, 57, 25, 62, 25, 63, 31),
            line(61, 26.5, 70, 24, thickness=1.8),
            polygon(12, 31, 13, 26, 19, 26, 20, 31),
            line(14, 27.5, 5, 25.5, thickness=1.8),
        ),
    ),
    "cruiser": Silhouette(
        _WIDE,
        _HIGH,
        (
            polygon(1, 31, 66, 31, 75, 26, 69, 43, 8, 43),
            polygon(35, 31, 36, 20, 41, 20, 41, 12, 50, 12, 50, 20, 53, 31),
            line(45, 12, 45, 2, thickness=2),
            line(41, 6, 49, 6, thickness=1.5),
            polygon(24, 18, 31, 18, 32, 31, 23, 31),
            polygon(54, 31, 55, 24, 62, 24, 64, 31),
            line(61, 25.5, 71, 22.5, thickness=2.2),
            polygon(10, 31, 12, 24, 19, 24, 20, 31),
            line(13, 25.5, 3, 23.5, thickness=2.2),
        ),
    ),
    "aircraft carrier": Silhouette(
        84,
        _HIGH,
        (
            polygon(1, 24, 83, 24, 81, 29, 74, 30, 68, 43, 12, 43, 7, 30, 3, 29),
            polygon(50, 24, 50, 14, 54, 14, 54, 8, 61, 8, 61, 24),
            line(57, 8, 57, 1, thickness=1.8),
            *(hole(polygon(14 + 12 * at, 32, 21 + 12 * at, 32, 21 + 12 * at, 37, 14 + 12 * at, 37)) for at in range(4)),
            polygon(10, 19.5, 27, 19.5, 29, 17, 30, 22.5, 13, 22.5),
            polygon(16, 18.2, 22, 18.2, 22, 24, 16, 24),
        ),
    ),
    "battleship": Silhouette(
        84,
        _HIGH,
        (
            polygon(1, 31, 72, 31, 83, 26, 76, 44, 9, 44),
            polygon(36, 31, 37, 22, 42, 22, 42, 10, 52, 10, 52, 18, 55, 22, 57, 31),
            line(47, 10, 47, 0.8, thickness=2.2),
            line(42, 5, 52, 5, thickness=1.6),
            polygon(27, 14, 33, 14, 34, 31, 26, 31),
            polygon(57, 31, 58, 22.5, 67, 22.5, 68, 31),
            line(65, 24.5, 79, 19.5, thickness=2.6),
            polygon(12, 31, 13, 22.5, 22, 22.5, 23, 31),
            line(15, 24.5, 2, 20.5, thickness=2.6),
            hole(polygon(44, 13, 50, 13, 50, 15.5, 44, 15.5)),
        ),
    ),
}
"""By a unit's name, for every edition."""
