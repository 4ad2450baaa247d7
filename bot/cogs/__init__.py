"""One cog per rule system: reads the interaction, asks, answers."""
