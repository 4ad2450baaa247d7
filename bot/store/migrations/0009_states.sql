-- The state after the row, after some rows: from there on a long battle can be verified in parts, and taken back.
ALTER TABLE journal ADD COLUMN state TEXT CHECK (state IS NULL OR json_valid(state));
