"""Mad Killer Agents: a war on a map, by people and AIs."""
