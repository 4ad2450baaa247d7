"""The rules in a terminal: `python -m sim SYSTEM …` prints what a player would read."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sim import __version__
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS, AverageRequest
from sim.axis_allies.battle import REFEREE, DiceBattle, Fire, Retreat, RunOut, Setup
from sim.axis_allies.odds import MAX_SEED, OddsReport, OddsRequest
from sim.axis_allies.odds.order_text import parse_casualties
from sim.axis_allies.odds.orders import Casualties
from sim.axis_allies.parse import parse_army
from sim.axis_allies.transcript import transcript
from sim.core.battle import Outcome
from sim.core.errors import RuleError, TextError
from sim.core.excerpt import point_at
from sim.core.outcomes import Side
from sim.core.play import Play
from sim.core.record import MAX_TEXT, dump, load
from sim.core.replay import check
from sim.systems import system

INPUT_ERROR = 2
"""Exit status for input that can't be used, as argparse has it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 with a message on stderr for wrong input.

    `verify` returns 1 for a journal that doesn't match.
    """
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int | None] = arguments.command
    try:
        return command(arguments) or 0
    except TextError as error:
        for problem in error.problems:
            print(*point_at(error.text, problem.span), problem.sentence(), sep="\n", file=sys.stderr)
        return INPUT_ERROR
    except RuleError as error:
        print(error, file=sys.stderr)
        return INPUT_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sim", description="Fracas's rules without Discord.")
    parser.add_argument("--version", action="version", version=f"Fracas {__version__}")
    systems = parser.add_subparsers(required=True, metavar="SYSTEM")
    aa = systems.add_parser("aa", help="Axis & Allies 1941: the average battle")
    aa.add_argument("-a", "--attacker", required=True, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    aa.add_argument("-d", "--defender", required=True, metavar="ARMY", help='such as "10 inf"')
    aa.add_argument("-r", "--show-rounds", action="store_true", help="print every round, not only the result")
    aa.add_argument("--casualties", choices=["score"], default="score", help="how losses are chosen (default: score)")
    aa.add_argument("--stop-after", type=_round_count, metavar="N", help="stop undecided after N rounds")
    aa.add_argument("--json", action="store_true", help="print the report as JSON")
    aa.set_defaults(command=_aa)
    _add_odds(systems.add_parser("aa-odds", help="Axis & Allies 1941: the exact odds"))
    _add_battle(systems.add_parser("aa-battle", help="Axis & Allies 1941: a battle with dice, every die shown"))
    verify = systems.add_parser("verify", help="check a battle's journal: every row is done again")
    verify.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")
    verify.set_defaults(command=_verify)
    return parser


def _add_odds(odds: argparse.ArgumentParser) -> None:
    _add_sides(odds)
    odds.add_argument("--stop-after", type=_round_count, metavar="N", help="stop undecided after N rounds")
    odds.add_argument("--retreat-below", type=_unit_count, metavar="N", help="retreat with fewer than N attackers")
    odds.add_argument("--must-take", action="store_true", help="the attacker needs a land unit left to win")
    odds.add_argument("--seed", type=_seed, default=0, metavar="N", help="for armies that have to be simulated")
    odds.add_argument("--json", action="store_true", help="print the whole report as JSON")
    odds.set_defaults(command=_aa_odds)


def _add_sides(parser: argparse.ArgumentParser) -> None:
    methods = 'score, lives-first, smart, or an order such as "order: inf, tank, bb-life"'
    parser.add_argument("-a", "--attacker", required=True, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    parser.add_argument("-d", "--defender", required=True, metavar="ARMY", help='such as "10 inf"')
    parser.add_argument("--casualties", default="score", metavar="METHOD", help=f"{methods} (default: score)")
    parser.add_argument("--attacker-casualties", metavar="METHOD", help="the same for the attacker alone")
    parser.add_argument("--defender-casualties", metavar="METHOD", help="the same for the defender alone")


def _add_battle(battle: argparse.ArgumentParser) -> None:
    _add_sides(battle)
    battle.add_argument("--retreat-after", type=_round_count, metavar="N", help="the attacker retreats after N rounds")
    battle.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides the dice (default: 0)")
    battle.add_argument("--out", type=Path, metavar="FILE", help="write the journal, for verify")
    battle.set_defaults(command=_aa_battle)


def _round_count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MAX_ROUNDS):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {MAX_ROUNDS} is needed, not {text!r}")
    return int(text)


def _unit_count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MAX_COUNT):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {MAX_COUNT} is needed, not {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:30]) <= MAX_SEED):
        raise argparse.ArgumentTypeError(f"a whole number from 0 to {MAX_SEED} is needed, not {text!r}")
    return int(text)


def _aa(arguments: argparse.Namespace) -> None:
    request = AverageRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        casualties=arguments.casualties,
        stop_after=arguments.stop_after,
    )
    report = request.run()
    if arguments.json:
        print(report.model_dump_json(indent=1))
        return
    print(transcript(report, rounds=arguments.show_rounds), end="")
    for note in report.notes:  # beside the transcript, not in it: its text is the seed program's
        print(f"Note: {note}.", file=sys.stderr)


_HEADLINES = (
    *("p_attacker", "p_defender", "p_tie", "p_none", "exp_rounds"),
    *("att_left", "def_left", "att_ipc_lost", "def_ipc_lost"),
)


def _aa_odds(arguments: argparse.Namespace) -> None:
    request = OddsRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        **_casualties(arguments),
        stop_after=arguments.stop_after,
        retreat_below=arguments.retreat_below,
        must_take=arguments.must_take,
        seed=arguments.seed,
    )
    report = request.run()
    print(report.model_dump_json(indent=1) if arguments.json else _headlines(report))
    if report.simulation is not None:
        print(
            f"Note: too large for exact odds; simulated, {report.simulation.battles:,} battles, "
            f"seed {report.simulation.seed}.",
            file=sys.stderr,
        )
    for note in report.notes:
        print(f"Note: {note}.", file=sys.stderr)


def _casualties(arguments: argparse.Namespace) -> dict[str, Casualties]:
    """Return the casualty methods that were given, by option."""
    return {
        name: parse_casualties(text)
        for name in ("casualties", "attacker_casualties", "defender_casualties")
        if (text := getattr(arguments, name)) is not None
    }


def _headlines(report: OddsReport) -> str:
    """Return the main figures, `name value` a line, each value as JSON."""
    return "\n".join(f"{name} {json.dumps(getattr(report, name))}" for name in _HEADLINES)


def _aa_battle(arguments: argparse.Namespace) -> None:
    casualties = _casualties(arguments)
    setup = Setup(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        attacker_losses=casualties.get("attacker_casualties", casualties["casualties"]),
        defender_losses=casualties.get("defender_casualties", casualties["casualties"]),
    )
    play = Play(DiceBattle(), setup, arguments.seed.to_bytes(8, "big"))
    while play.outcome is None:
        if arguments.retreat_after is None:
            lines = play.act(RunOut(), Side.ATTACKER)
        elif play.state.round < arguments.retreat_after:
            lines = play.act(Fire(), Side.ATTACKER)
        else:
            lines = play.act(Retreat(), Side.ATTACKER)
        print(*lines, sep="\n")
    play.end(REFEREE)
    if not play.state.round:
        print(_ended(play.outcome))
    if arguments.out is not None:
        record = play.record()
        try:
            arguments.out.write_text(
                dump(record.head, record.entries, record.seed, record.outcome), encoding="ascii", newline="\n"
            )
        except OSError as error:
            raise RuleError(f"The journal can't be written: {error.strerror}.") from None


def _verify(arguments: argparse.Namespace) -> int:
    try:
        with arguments.file.open("rb") as file:
            text = file.read(MAX_TEXT + 1).decode("ascii")
    except OSError as error:
        raise RuleError(f"The journal can't be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise RuleError(f"This is no journal: byte {error.start + 1} is not ASCII.") from None
    record = load(text)
    verdict = check(system(record.head.system), record)
    if verdict.difference is not None:
        print(verdict.difference.sentence)
        return 1
    print("match", "undecided" if verdict.outcome is None else _ended(verdict.outcome), sep="\n")
    return 0


def _ended(outcome: Outcome) -> str:
    won = "nobody wins" if outcome.winner is None else f"the {outcome.winner} wins"
    return f"{won}: {outcome.ending} (after {outcome.rounds} {'round' if outcome.rounds == 1 else 'rounds'})"


if __name__ == "__main__":
    sys.exit(main())
