"""Work counted, so that a slow or busy machine changes nothing."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def instructions(work: Callable[[], object]) -> int:
    """Return how many instructions of Python `work` takes."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - itself
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
