"""Mad Killer Agents in a terminal: `mka-battle`, `mka-map`, `mka-simulate`."""

import argparse
import json
from collections.abc import Iterator

from sim.core.console import add_json, add_seed, print_notes, whole_number
from sim.core.numbers import quantity
from sim.mad_killer_agents.cards import verdict
from sim.mad_killer_agents.combat import BATTLE_TECHS, MAX_CITY, BattleReport, add_options, parse_battle
from sim.mad_killer_agents.constants import MAX_ROUNDS, MAX_VALUE, MIN_VALUE, AiKind, MapKind
from sim.mad_killer_agents.requests import BattleRequest, MapRequest, map_csv
from sim.mad_killer_agents.simulate import MAX_GAMES, SimulateRequest
from sim.mad_killer_agents.terrain import Drawing


def _add_drawing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", default="20x20", metavar="WxH", help="columns and rows (default: 20x20)")
    kinds = [kind.value for kind in MapKind]
    parser.add_argument("--kind", choices=kinds, default=kinds[0], metavar="KIND", help=f"{', '.join(kinds)}")
    values = whole_number(MIN_VALUE + 1, MAX_VALUE - 1)
    parser.add_argument(
        "--without", type=values, metavar="TV", help="the value that plateaus leave out (default: drawn)"
    )


def battle(parser: argparse.ArgumentParser) -> None:
    """Fight one battle."""
    parser.add_argument("attacker", metavar="UNITS@TV", help="such as 5@3: units and the value of their tile")
    parser.add_argument("defender", metavar="UNITS@TV", help="such as 2@1; 0 units in an undefended city")
    parser.add_argument("--city", type=whole_number(0, MAX_CITY), metavar="N", help="size of the defender's city")
    parser.add_argument("--drill", action="store_true", help="the attacker knows Drill")
    parser.add_argument("--masonry", action="store_true", help="the defender knows Masonry")
    parser.add_argument(
        "--mountaineering", action="store_true", help="who is on a mountain (TV 6), or goes there, knows Mountaineering"
    )
    add_json(parser)
    arguments = parser.parse_args()
    techs = [tech for tech in BATTLE_TECHS if getattr(arguments, tech)]
    text = add_options(f"{arguments.attacker} vs {arguments.defender}", arguments.city, techs)
    report = BattleRequest(clash=parse_battle(text)).run()
    figures = report.result._asdict()
    del figures["drafted"]
    print(json.dumps(figures) if arguments.json else "\n".join(_sentences(report)))
    if (advice := report.advice) is not None:
        print_notes(f"Best in parts: {advice.parts}: {advice.outcome}", *([] if advice.idle is None else [advice.idle]))


def _sentences(report: BattleReport) -> Iterator[str]:
    """Yield the result, both sides' losses, and what is left of the city."""
    clash, result = report.clash, report.result
    yield f"{verdict(result)}."
    defenders = clash.defenders + result.drafted
    drafted = ", drafted by the city" if result.drafted else ""
    yield f"The attacker loses {result.attacker_loss:,} of {quantity(clash.attackers, 'unit')}."
    yield f"The defender loses {result.defender_loss:,} of {quantity(defenders, 'unit')}{drafted}."
    if clash.city:
        shrinks = f"shrinks from size {clash.city} to {result.city_left}" if result.city_left else "is destroyed"
        yield f"The city {shrinks if result.city_left < clash.city else f'keeps its size, {clash.city}'}."


def draw(parser: argparse.ArgumentParser) -> None:
    """Draw a map."""
    _add_drawing(parser)
    add_seed(parser, "decides the map")
    arguments = parser.parse_args()
    drawing = Drawing.read(arguments.size, arguments.kind, arguments.without)
    terrain = MapRequest(drawing=drawing, seed=arguments.seed).draw()
    # Terminals need no byte order mark and have their own line ends.
    print(*map_csv(terrain).decode("utf-8-sig").splitlines(), sep="\n")


def simulate(parser: argparse.ArgumentParser) -> None:
    """Let AIs play."""
    parser.add_argument(
        "players", nargs="+", choices=[kind.value for kind in AiKind], metavar="AI", help=", ".join(AiKind)
    )
    _add_drawing(parser)
    parser.add_argument("--rounds", type=whole_number(1, MAX_ROUNDS), default=100, metavar="N", help="default: 100")
    parser.add_argument("--games", type=whole_number(1, MAX_GAMES), default=1, metavar="N", help="default: 1")
    add_seed(parser, "decides the maps and the dice")
    add_json(parser)
    arguments = parser.parse_args()
    request = SimulateRequest(
        players=tuple(AiKind(player) for player in arguments.players),
        drawing=Drawing.read(arguments.size, arguments.kind, arguments.without),
        rounds=arguments.rounds,
        games=arguments.games,
        seed=arguments.seed,
    )
    report = request.play()
    if arguments.json:
        print(report.model_dump_json(indent=1))
        return
    print(f"{'player':<12} {'wins':>5} {'shared':>6} {'score':>9}")
    for name, result in zip(report.names, report.standings, strict=True):
        print(f"{name:<12} {result.wins:>5} {result.shared:>6} {result.mean_score:>9.1f}")
    print(f"{quantity(report.games, 'game')}, {report.rounds:.1f} rounds on average")
