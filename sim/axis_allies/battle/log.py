"""Log of a dice battle: a plain line for each event."""

from collections.abc import Iterable

from sim.axis_allies.army import Army, army_words
from sim.axis_allies.battle.losses import loss_text
from sim.axis_allies.battle.values import ChoiceDue, Ended, Event, Fired, Lost, Picked, RoundBegan, Throw
from sim.core.values import Ending, Paused

FACES = "⚀⚁⚂⚃⚄⚅"

MAX_FACES = 24
"""Maximum dice of a unit type listed one by one; more are counted by face."""


def log_lines(events: Iterable[Event]) -> list[str]:
    """Return a line for each event; those within a round are indented by two blanks."""
    return [_line(event) for event in events]


def _line(event: Event) -> str:
    match event:
        case RoundBegan():
            line = f"Round {event.number}{_armies(event)}"
        case Fired():
            fire = "strikes first" if event.surprise else "fires"
            throws, hits = "; ".join(map(_throw, event.throws)), _hits(event.hits.total)
            line = f"  The {event.side} {fire}: {f'{throws}. {hits.capitalize()}' if throws else hits}."
        case ChoiceDue():
            line = f"  The {event.side} must take {_hits(event.hits.total)}."
        case Picked():
            line = f"  The {event.side} {'has chosen' if event.in_time else 'ran out of time: lowest score first'}."
        case Lost():
            line = f"  The {event.side} {_lost(event)}."
        case Paused():
            line = f"{event.rounds} rounds fought, and the battle goes on."
        case Ended():
            line = _ended(event)
    return line


def _armies(event: RoundBegan) -> str:
    """Return the visible armies."""
    if not (event.attacker or event.defender):
        return ""
    attacker, defender = (army_words(army) or "an army in the fog" for army in (event.attacker, event.defender))
    return f": {attacker} against {defender}"


def _throw(throw: Throw) -> str:
    return f"{throw.units} at {throw.score} {faces_text(throw.faces)}"


def faces_text(faces: tuple[int, ...]) -> str:
    """Return dice as faces, ⚀⚂⚅; more than `MAX_FACES` are counted: ⚀×12 ⚁×9."""
    if len(faces) <= MAX_FACES:
        return "".join(FACES[face - 1] for face in faces)
    return " ".join(f"{sign}×{faces.count(face)}" for face, sign in enumerate(FACES, start=1) if face in faces)


def _hits(count: int) -> str:
    return "no hits" if not count else "1 hit" if count == 1 else f"{count:,} hits"


def _lost(lost: Lost) -> str:
    return f"loses {losses_text(lost)}" if lost.hidden is None else f"takes {_hits(lost.hidden)}"


def losses_text(lost: Lost) -> str:
    """Return the text of a side's losses: `2 tanks; 1 hit without a target`."""
    what = ", ".join(loss_text(loss.slot, loss.count) for loss in lost.losses) or "nothing"
    return f"{what}; {_hits(lost.wasted)} without a target" if lost.wasted else what


def _ended(event: Ended) -> str:
    rounds = f" after {event.rounds} {'round' if event.rounds == 1 else 'rounds'}" if event.rounds else ""
    if event.winner is not None:
        left = event.attacker if event.winner == "attacker" else event.defender
        return f"The {event.winner} wins{rounds}, with {army_words(left)} left."
    if event.ending is Ending.MUTUAL:
        return f"Both sides are gone{rounds}: a tie, and the defender keeps the territory."
    start = f"The attacker retreats{rounds}"
    if event.ending is not Ending.RETREAT:
        start = f"Stalemate{rounds}, neither side can hit the other"
    return f"{start}: {_left(event.attacker)} against {_left(event.defender)}."


def _left(army: Army) -> str:
    return army_words(army) or "nobody"
