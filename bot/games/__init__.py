"""The games, a package each; no game imports another."""
