"""The rows of boss fights: exchanges of long decks, the best five of sixty tokens, the best order of a full party.

The sets of tokens are of the game, or made to be hard for the search.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from sim.boss_fight.battle import State
from sim.boss_fight.best_choices import BestOrderRequest, BestTokensRequest
from sim.boss_fight.exchange import exchange
from sim.boss_fight.fight_cards import draw_battle
from sim.boss_fight.tables import TABLE, Kind
from sim.boss_fight.values import FLAGS, Boss, Deck, Element, Entrant, Token, Trait
from sim.core import TooMuchError
from sim.core.battle import REFEREE
from tests.bench.rows import Row
from tests.sim.boss_fight.builders import FIGHT, RUN, act, begin, token, trait

SETS = 100
"""Sets of tokens that the search is tried on."""


def game_token(rng: random.Random, number: int) -> Token:
    """Draw a token as the game makes them: one trait of each group of its kind."""
    kind = rng.choice(list(Kind))
    groups: dict[str, list[Trait]] = {}
    for row in TABLE:
        if row.kind is kind:
            groups.setdefault(row.group, []).append(row.trait)
    traits = tuple(rng.choice(group) for group in groups.values())
    return Token(name=f"t{number}", element=rng.choice([None, *Element]), traits=traits)


def game_boss(rng: random.Random) -> Boss:
    """Draw a boss of the game's size."""
    return Boss(
        name="Troll",
        element=rng.choice([None, *Element]),
        health=rng.choice([1000, 6500, 30_000, 100_000]),
        physical_damage=rng.choice([0, 3500, 9000]),
        magical_damage=rng.choice([0, 4500, 8000]),
        **{flag: rng.random() < 0.5 for flag in FLAGS},
    )


def hard_set(rng: random.Random) -> BestTokensRequest:
    """Draw a set in which no token beats another: damage is bought with health and with resistance."""
    most, price, budget = rng.choice([2, 8, 20]), rng.choice([10, 50, 150, 400]), rng.choice([1000, 3000, 10_000])
    tokens = []
    for number in range(60):
        damage = rng.randint(0, budget // 2)
        resisting = [rng.randint(0, most), rng.randint(0, most)]
        health = max(0, budget - damage - price * sum(resisting) - rng.randint(0, 10))
        signs = [*zip(("PR", "MR"), resisting, strict=True)]
        flags = [" ".join(sign for sign, count in signs if at < count) for at in range(max(1, *resisting))]
        traits = [trait(0 if at else health, 0 if at else damage, flags=has) for at, has in enumerate(flags)]
        tokens.append(token(*traits, element=rng.choice([None, *Element]), name=f"t{number}"))
    best = sorted((token.traits[0].physical_damage for token in tokens), reverse=True)[:5]
    boss = Boss(
        name="Troll",
        element=rng.choice([None, Element.WATER]),
        health=max(1, int(sum(best) * rng.uniform(0.3, 1))),
        physical_damage=rng.choice([3000, 10**6, 10**8]),
        magical_damage=rng.choice([0, 3000, 10**7]),
    )
    return BestTokensRequest(boss=boss, deck=Deck(tokens=tuple(tokens)))


def searches(make: Callable[[random.Random], BestTokensRequest]) -> Callable[[], None]:
    """Return the search over all sets; what is too much is refused."""
    requests = [make(random.Random(seed)) for seed in range(SETS)]

    def search() -> None:
        for request in requests:
            with suppress(TooMuchError):
                request.run()

    return search


def hand(rng: random.Random, size: int) -> Deck:
    """Draw so many tokens of the game."""
    return Deck(tokens=tuple(game_token(rng, number) for number in range(size)))


def party(rng: random.Random) -> tuple[State, BestOrderRequest]:
    """Draw a full party before a boss that takes a while."""
    boss = game_boss(rng).model_copy(update={"health": 10**9, "magical_damage": 0, "physical_damage": 1})
    entrants = tuple(Entrant(name=f"M{number}", deck=hand(rng, 5)) for number in range(12))
    state = begin(boss, *((entrant.name, entrant.deck) for entrant in entrants))
    return state, BestOrderRequest(boss=boss.model_copy(update={"health": 10**5}), entrants=entrants)


def rows() -> Iterator[Row]:
    """Yield the rows."""
    rng = random.Random(1)
    for size in (5, 100, 500):
        yield Row(f"exchange, {size} tokens", partial(exchange, game_boss(rng), hand(rng, size)))
    game = searches(lambda rng: BestTokensRequest(boss=game_boss(rng), deck=hand(rng, 60)))
    yield Row(f"best 5 of 60, tokens of the game, {SETS} times", game)
    yield Row(f"best 5 of 60, hard sets, {SETS} times", searches(hard_set))
    state, order = party(rng)
    yield Row("best order of 12", order.run)
    yield Row("100 rounds of 12", lambda: act(state, RUN, REFEREE))
    yield Row("state of 12 to JSON and back", lambda: FIGHT.states.read(FIGHT.states.write(state)))
    yield Row("picture of 12", lambda: draw_battle(state).png())
