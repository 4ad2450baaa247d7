"""The command `fracas`: the modules of its commands."""
