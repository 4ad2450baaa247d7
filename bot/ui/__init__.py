"""Discord's things, no battle: interactions, items, modals, progress, error replies."""
