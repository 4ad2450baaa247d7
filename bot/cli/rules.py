"""`fracas rules …`: the rules in a terminal, as `python -m sim` has them."""

from collections.abc import Sequence

import sim.__main__


def main(argv: Sequence[str]) -> int:
    """Run a command of the rules; return its exit status."""
    return sim.__main__.main(argv, prog="fracas rules")
