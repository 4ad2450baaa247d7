-- Battles in which puzzles were looked for, and what was found: it waits for a day.
CREATE TABLE aa_puzzle_finds (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    puzzle    TEXT              -- NULL: nothing was found, or it had its day
) STRICT;
