"""`fracas warm`: compiles the kernels before the bot starts."""

import time
from collections.abc import Sequence

from bot.cli.options import CommandError, parser_of
from sim.jobs import kernel_cache
from sim.jobs.warm_up import warm_ups


def main(argv: Sequence[str]) -> int:
    """Compile every kernel into its folder on disk; say where that is, and how long each game takes."""
    parser_of("warm").parse_args(argv)
    folder = kernel_cache.use_kernel_cache()
    if folder is None:
        raise CommandError("Compiled kernels can be kept nowhere; let NUMBA_CACHE_DIR name a folder open to writing.")
    if kernel_cache.is_complete():
        print(f"Nothing to compile: the kernels are in {folder}")
        return 0
    print(f"Compiling the kernels of the games, which takes a minute or so, into {folder}", flush=True)
    began = before = time.monotonic()
    for game in warm_ups():
        now = time.monotonic()
        print(f"{game}: {now - before:.1f} s", flush=True)
        before = now
    kernel_cache.mark_complete()
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"Compiled in {time.monotonic() - began:.0f} s; {size / 1e6:.0f} MB.")
    return 0
