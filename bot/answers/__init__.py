"""Answers: a stored query becomes a paged document that works after a restart."""
