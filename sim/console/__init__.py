"""The commands of the terminal, a module for each system: `add_commands(systems)` puts its own on the list."""
