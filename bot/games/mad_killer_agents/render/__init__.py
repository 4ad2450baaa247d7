"""Mad Killer Agents: pages and panels."""
