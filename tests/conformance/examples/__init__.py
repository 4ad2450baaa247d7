"""Examples of every game, a module a system: `EXAMPLE` in the file that is called like the system."""
