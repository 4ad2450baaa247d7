"""The error of commands."""


class CommandError(Exception):
    """A command can't be done; `str(error)` is one plain sentence for the operator."""
