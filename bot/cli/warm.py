"""`fracas warm`: compiles the kernels before the bot starts."""

import time
from collections.abc import Sequence

from bot.cli.errors import CommandError
from bot.cli.options import parser_of
from sim.jobs import kernel_cache
from sim.jobs.warm_up import warm_up


def main(argv: Sequence[str]) -> int:
    """Compile every kernel into its folder on disk, and say where that is."""
    parser_of("warm").parse_args(argv)
    folder = kernel_cache.use_kernel_cache()
    if folder is None:
        raise CommandError("Compiled kernels can be kept nowhere; let NUMBA_CACHE_DIR name a folder open to writing.")
    if kernel_cache.is_complete():
        print(f"The kernels are compiled already: {folder}")
        return 0
    began = time.monotonic()
    warm_up()
    kernel_cache.mark_complete()
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"Kernels compiled in {time.monotonic() - began:.0f} s ({size / 1e6:.0f} MB): {folder}")
    return 0
