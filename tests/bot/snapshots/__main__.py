"""Writes the snapshots anew: `python -m tests.bot.snapshots`, and `git diff` shows what changed."""

import os
import sys

import pytest

from tests.bot.snapshots.test_snapshots import FOLDER, WRITE

os.environ[WRITE] = "write"
sys.exit(pytest.main([str(FOLDER), "-q"]))
