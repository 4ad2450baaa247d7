"""A program that others kill: for each seed and file on its input it forks a writer, which goes on until SIGKILL.

Forking spares each of the many writers the start of Python. Every line of the output is a JSON list: what the writer
has just done, `["writer", pid]` before, `["dead"]` after it.
"""

import asyncio
import itertools
import json
import os
import random
import sys
from pathlib import Path

from bot.backups import back_up
from bot.control import ControlSocket
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.opening import open_database
from tests.bot.store.games import advance, opened
from tests.bot.store.toy import ended, went_back
from tests.conformance.example import registered
from tests.conformance.plays import plays

CHANNEL = 10
OPEN_AT_ONCE = 3
LONGEST = 60


def tell(*words: str | int) -> None:
    # One write, below the size that a pipe takes as a whole: a killed writer leaves no half a line.
    os.write(1, f"{json.dumps(words)}\n".encode())


async def write(path: Path, seed: int) -> None:
    choose = random.Random(seed)
    db = await open_database(path)
    await ControlSocket(path, {"backup": lambda file: back_up(db, Path(file))}).open()
    battles, panels = BattleRepository(db), PanelRepository(db)
    for interaction in itertools.count(seed << 32):
        going = await battles.open_in(CHANNEL)
        battle = choose.choice(going) if len(going) == OPEN_AT_ONCE else None
        if battle is None:
            battle = await opened(battles, choose, channel=CHANNEL, interaction=interaction)
        elif battle.version >= LONGEST:
            battle = await ended(battles, battle, interaction)
        elif battle.version and choose.random() < 0.1:
            battle = await went_back(battles, battle, choose.randrange(battle.version), interaction)
        else:
            battle = await advance(battles, battle, choose, interaction)
        tell("committed", battle.id, battle.version, battle.revision, interaction)
        if choose.random() < 0.5:
            tell("showing", battle.id, battle.revision)
            await panels.mark_published(battle)
            tell("shown", battle.id, battle.revision)


def main() -> None:
    for system in registered():  # what the rules import once is imported once
        plays(system)
    for line in sys.stdin:
        seed, path = line.strip().split(maxsplit=1)
        pid = os.fork()
        if pid == 0:
            asyncio.run(write(Path(path), int(seed)))
        tell("writer", pid)
        os.waitpid(pid, 0)
        tell("dead")


if __name__ == "__main__":
    main()
