"""Log of a dice battle: a plain line for each event."""

from sim.axis_allies.army import army_words
from sim.axis_allies.battle import ChoiceDue, Ended, Event, Fired, Lost, Moment, Picked, RoundBegan
from sim.axis_allies.battle.dice import Shots, Sum, Throw
from sim.axis_allies.battle.losses import loss_text
from sim.axis_allies.units import Unit
from sim.core.cards.stickers import FACES
from sim.core.numbers import quantity
from sim.core.values import Ending, Paused

TIME_UP = "ran out of time: the cheapest units die first"
"""What is said of a side whose losses were chosen for it."""

MAX_FACES = 24
"""Maximum dice of a unit type listed one by one; more are counted by face."""


def log_line(event: Event) -> str:
    """Return a line for an event; those within a round are indented by two blanks."""
    match event:
        case RoundBegan():
            sides = [army_words(army) or "an army in the fog" for army in event.armies.values()]
            told = f": {' against '.join(sides)}" if event.attacker or event.defender else ""
            line = f"Round {event.number}{told}"
        case Fired():
            throws = [f"{_at_score(throw)} {throw_faces(throw)}" for throw in event.throws]
            sums = [f"{' + '.join(map(_at_score, total.shares))} = {sum_text(total)}" for total in event.sums]
            dice, hits = "; ".join([*throws, *sums]), _hits(event.hits.total)
            line = f"{_who_fires(event)}: {f'{dice}. {hits.capitalize()}' if dice else hits}."
        case ChoiceDue():
            line = f"  The {event.side} must take {_hits(event.hits.total)}."
        case Picked():
            line = f"  The {event.side} {'has chosen' if event.in_time else TIME_UP}."
        case Lost():
            lost = f"loses {losses_text(event)}" if event.hidden is None else f"takes {_hits(event.hidden)}"
            indent = "" if event.moment in {Moment.ANTIAIRCRAFT, Moment.DEFENCELESS} else "  "
            line = f"{indent}The {event.side} {lost}."
        case Paused():
            line = f"{event.rounds} rounds fought, and the battle goes on."
        case Ended():
            line = _ended(event)
    return line


def _who_fires(event: Fired) -> str:
    if event.moment is Moment.ANTIAIRCRAFT:
        scores = {shots.score for shots in (*event.throws, *(share for total in event.sums for share in total.shares))}
        return f"Antiaircraft fire{''.join(f', hits on {die_range(score)}' for score in scores)}"
    if event.moment is Moment.MARKED:
        return f"  The {event.side}'s submarines fire first, and units hit still fire back"
    bombards = event.moment is Moment.BOMBARDMENT
    fire = "strikes first" if event.surprise else "bombards, and units hit don't fire back" if bombards else "fires"
    return f"  The {event.side} {fire}"


def _at_score(shots: Shots) -> str:
    if shots.unit is Unit.GUN:
        return shots.units
    several = {2: ", two dice each", 3: ", three dice each"}.get(shots.dice, "")
    best = ", best of two" if shots.best_of > 1 else ""
    return f"{shots.units}{' bombarding' if shots.bombarding else ''} at {shots.score}{several}{best}"


def sum_text(total: Sum) -> str:
    """Return what a sum of low luck comes to: `14 points: 2 sure hits, a hit on 1–2 ⚂ (3)`."""
    parts = [quantity(total.sure, "sure hit")] if total.sure else []
    if total.face is not None:
        parts.append(f"a hit on {die_range(total.rest)} {faces_text((total.face,))}")
    return f"{quantity(total.points, 'point')}: {', '.join(parts)}"


def die_range(score: int) -> str:
    """Return the faces that hit: `1–3`."""
    return f"1–{score}" if score > 1 else "1"


def throw_faces(throw: Throw) -> str:
    """Return the dice of a throw; those of which the best counts stand together."""
    if throw.best_of == 1 or len(throw.faces) > MAX_FACES:
        return faces_text(throw.faces)
    return " ".join(faces_text(faces) for faces in throw.pairs)


def faces_text(faces: tuple[int, ...]) -> str:
    """Return dice as faces and digits, ⚀⚂⚅ (1, 3, 6); more than `MAX_FACES` are counted: ⚀ (1) ×12, ⚁ (2) ×9."""
    if len(faces) <= MAX_FACES:
        return f"{''.join(FACES[face - 1] for face in faces)} ({', '.join(map(str, faces))})"
    counts = ((sign, face, faces.count(face)) for face, sign in enumerate(FACES, start=1))
    return ", ".join(f"{sign} ({face}) ×{count}" for sign, face, count in counts if count)


def _hits(count: int) -> str:
    return quantity(count, "hit") if count else "no hits"


def losses_text(lost: Lost) -> str:
    """Return the text of a side's losses: `2 tanks; 1 wasted hit`."""
    what = ", ".join(loss_text(loss.slot, loss.count) for loss in lost.losses) or "nothing"
    if lost.moment is Moment.DEFENCELESS:
        return f"{what}, defenseless"
    return f"{what}; {quantity(lost.wasted, 'wasted hit')}" if lost.wasted else what


def _ended(event: Ended) -> str:
    rounds = f" after {quantity(event.rounds, 'round')}" if event.rounds else ""
    if event.winner is not None:
        return f"The {event.winner} wins{rounds}, with {army_words(event.army(event.winner))} left."
    if event.ending is Ending.MUTUAL:
        return f"Both sides are gone{rounds}: a tie, and the defender keeps the territory."
    start = f"The attacker retreats{rounds}"
    if event.ending is not Ending.RETREAT:
        start = f"Stalemate{rounds}, neither side can hit the other"
    attacker, defender = (army_words(army) or "nobody" for army in event.armies.values())
    return f"{start}: {attacker} against {defender}."
