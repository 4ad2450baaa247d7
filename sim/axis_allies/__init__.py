"""Axis & Allies, all editions: armies, the average battle, exact odds, battles with dice."""
