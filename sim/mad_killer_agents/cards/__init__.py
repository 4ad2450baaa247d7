"""Pictures: the map and its parts, a film of a war, cards of battles and of wars that are over."""
