"""Cards: the pictures of answers and panels, drawn from prepared pieces. Imports Pillow: only workers import this."""
