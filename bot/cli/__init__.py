"""The command `fracas`: a module for each of its commands."""
