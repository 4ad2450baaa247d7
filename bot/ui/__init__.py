"""Shared Discord plumbing: interactions, items, modals, options, progress, error replies."""
