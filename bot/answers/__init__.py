"""Answers: a stored query becomes a paged document that is found again after a restart."""
