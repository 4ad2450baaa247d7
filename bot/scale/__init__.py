"""All that outgrows one machine: PostgreSQL for several processes, and a cluster. Loaded only where it is set."""
