"""The error of the store."""


class StoreError(Exception):
    """A database that can't be used.

    `str(error)` is one plain sentence for whoever runs the bot: the file and what is wrong with it.
    """
