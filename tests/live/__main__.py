"""`python -m tests.live HTTP GATEWAY ...`: the bot as it is, but its Discord is at these addresses."""

import sys

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.cli import main


def run() -> int:
    """Run the bot, and return its status."""
    Route.BASE, gateway, *arguments = sys.argv[1:]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    return main(arguments)


if __name__ == "__main__":
    sys.exit(run())
