"""A game of nothing but adding dice, played through the real store: what holds of every system's battles."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import JsonValue

from bot.store import OWN_WORK
from bot.store.battle import Battle, Place
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.transactions import Commit, close_joining
from sim.core.battle import AnySystem, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice, SeededDice
from sim.core.journal import NOTES, Journal, JournalRow, Kind, seal
from sim.core.replay import verify
from sim.core.values import Ending, Frozen, canonical
from sim.jobs import system as find_system

SEATS = ("attacker", "defender")
ENDLESS = 10**9


class Goal(Frozen):
    total: int


class Sum(Frozen):
    goal: int
    total: int = 0
    rolls: int = 0


class Add(Frozen):
    do: Literal["add"] = "add"


class Rolled(Frozen):
    kind: Literal["rolled"] = "rolled"
    face: int


class Adding(RuleBook[Goal, Sum, Add, Rolled]):
    """Roll a die and add it, until the goal is reached."""

    name = "adding"
    rules = 1
    seats = SEATS
    max_seconds = 0.0

    def begin(self, setup: Goal) -> Sum:
        return Sum(goal=setup.total)

    def legal(self, state: Sum) -> tuple[LegalAction[Add], ...]:
        return () if self.outcome(state) else (LegalAction("add", "Add a die", SEATS, Add()),)

    def step(self, state: Sum, _action: Add, _seat: Seat, dice: Dice) -> Step[Sum, Rolled]:
        face = dice.roll(1000)
        after = state.model_copy(update={"total": state.total + face, "rolls": state.rolls + 1})
        return Step(after, (Rolled(face=face),))

    def outcome(self, state: Sum) -> Outcome | None:
        if state.total < state.goal:
            return None
        return Outcome(ending=Ending.ANNIHILATION, winner="attacker", rounds=state.rolls)

    def lines(self, events: tuple[Rolled, ...]) -> list[str]:
        return [f"{event.face} on a die." for event in events]


SYSTEM = Adding()


async def opened(
    battles: BattleRepository,
    *,
    goal: int = ENDLESS,
    channel: int = 10,
    guild: int | None = 100,
    starter: int = 1,
    attacker: int | None = None,
    defender: int | None = None,
    bots: tuple[Seat, ...] = (),
    **others: Any,  # noqa: ANN401  # of all kinds
) -> Battle:
    """Open a battle; `others`: what else the store takes, and what another game begins with."""
    setup = Goal(total=goal)
    usual: dict[str, Any] = {
        "system": SYSTEM.name,
        "rules": SYSTEM.rules,
        "setup_json": canonical(SYSTEM.setups.write(setup)),
        "state_json": canonical(SYSTEM.states.write(SYSTEM.begin(setup))),
        "places": [Place(seat, who, seat in bots) for seat, who in zip(SEATS, (attacker, defender), strict=True)],
    }
    return await battles.open(channel_id=channel, guild_id=guild, starter_id=starter, **usual | others)


def stepped(
    battle: Battle, last: JournalRow | None, *, actor: int | None = None
) -> tuple[JournalRow, JsonValue, Outcome | None]:
    """Return what the step after `battle` leads to: its row, its state, its outcome."""
    action = Add()
    dice = SeededDice(battle.seed, battle.next_step)
    step = SYSTEM.apply(SYSTEM.states.read(battle.state), action, "attacker", dice)
    state = SYSTEM.states.write(step.state)
    entry = seal(
        battle.head,
        last,
        seat="attacker",
        state=state,
        action=SYSTEM.actions.write(action),
        events=[SYSTEM.events.write(event) for event in step.events],
        actor=None if actor is None else str(actor),
    )
    return entry, state, SYSTEM.outcome(step.state)


async def advance(
    battles: BattleRepository, battle: Battle, interaction: int | None = None, *, actor: int | None = None
) -> Battle:
    """Commit one step after `battle` as it was read."""
    entries = (await battles.journal(battle.id))[: battle.version]
    row, state, outcome = stepped(battle, entries[-1] if entries else None, actor=actor)
    await battles.commit(battle.id, battle.version, interaction, Commit([row], canonical(state), outcome))
    return await read(battles, battle.id)


def rules_of(battle: Battle) -> AnySystem:
    """Return the rules of a battle, of this game or of a real one."""
    return SYSTEM if battle.system == SYSTEM.name else find_system(battle.system)


async def went_back(battles: BattleRepository, battle: Battle, back_to: int, interaction: int | None = None) -> Battle:
    """Undo everything after the version `back_to`."""
    entries = await battles.journal(battle.id)
    state = rules_of(battle).states.write(state_at(battle, entries, back_to))
    entry = seal(battle.head, entries, kind=Kind.UNDO, seat="attacker", state=state, back_to=back_to)
    commit = Commit([entry], canonical(state))
    await battles.commit(battle.id, battle.version, interaction, commit)
    return await read(battles, battle.id)


def noted(battle: Battle, kind: Kind = Kind.CLOCK, do: str = "pause") -> JournalRow:
    """Return a note after `battle` as it was read."""
    return battle.next_row(kind, "referee", action_json=canonical({"at": battle.updated_at, "do": do}))


async def switched(battles: BattleRepository, battle: Battle, interaction: int | None = None) -> Battle:
    """Close joining, or open it again: a note, and what it changes beside the journal."""
    closed = not battle.joining_closed
    row = noted(battle, Kind.SEATS, "close" if closed else "open")
    commit = Commit([row], battle.state_json, hook=close_joining(battle.id, closed=closed))
    await battles.commit(battle.id, battle.version, interaction, commit)
    return await read(battles, battle.id)


async def ended(battles: BattleRepository, battle: Battle, interaction: int | None = None) -> Battle:
    """Close the battle as it stands."""
    row = battle.next_row(Kind.END, "attacker")
    commit = Commit([row], battle.state_json, battle.outcome)
    await battles.commit(battle.id, battle.version, interaction, commit)
    return await read(battles, battle.id)


async def read(battles: BattleRepository, battle_id: int) -> Battle:
    """Return how the battle stands now."""
    battle = await battles.get(battle_id, OWN_WORK)
    assert battle is not None
    return battle


def state_at(battle: Battle, entries: tuple[JournalRow, ...], version: int) -> Any:  # noqa: ANN401  # of any game
    """Return how the battle stood after that many rows, worked out from the seed alone."""
    rules = rules_of(battle)
    states = [rules.begin(rules.setups.read(battle.setup))]
    steps = 0
    for entry in entries[:version]:
        after = states[-1 if entry.back_to is None else entry.back_to]
        if entry.kind is Kind.STEP:
            steps += 1
            action = rules.actions.read(entry.action)
            after = rules.apply(after, action, entry.seat, SeededDice(battle.seed, steps)).state
        states.append(after)
    return states[-1]


def closed_now(battle: Battle, entries: tuple[JournalRow, ...]) -> Journal:
    """Return the journal with its seed, as it would be if an open battle were closed as it stands."""
    end = [battle.next_row(Kind.END, "referee")] if battle.is_open else []
    return Journal(battle.head, (*entries, *end), battle.seed, battle.outcome)


async def expect_sound(battles: BattleRepository, battle_id: int) -> Battle:
    """Replay the journal from the seed: unbroken, it leads to the state, the outcome and the counts that are kept."""
    battle = await read(battles, battle_id)
    entries = await battles.journal(battle_id)
    report = verify(rules_of(battle), closed_now(battle, entries))
    assert report.match, report.mismatch
    assert battle.version == len(entries)
    assert battle.steps == sum(entry.kind is Kind.STEP for entry in entries)
    assert battle.state == rules_of(battle).states.write(state_at(battle, entries, len(entries)))
    assert battle.is_open is not (bool(entries) and entries[-1].kind is Kind.END)
    assert battle.was_undone is any(entry.kind is Kind.UNDO for entry in entries)
    assert battle.moved == max((entry.n for entry in entries if entry.kind not in NOTES), default=0)
    switches = [entry.action for entry in entries if entry.kind is Kind.SEATS and isinstance(entry.action, dict)]
    assert battle.joining_closed is (bool(switches) and switches[-1]["do"] == "close")
    return battle


async def replayed(battles: BattleRepository, ids: Iterable[int]) -> Counter[str]:
    """Check that battles follow from their seeds by the rules; return how many steps each game has."""
    steps: Counter[str] = Counter()
    for battle_id in ids:
        battle = await expect_sound(battles, battle_id)
        steps[battle.system] += battle.steps
    return steps


async def count(db: Database, table: str) -> int:
    return await db.fetch_value(int, f"SELECT count(*) FROM {table}") or 0  # noqa: S608 - the test's own word
