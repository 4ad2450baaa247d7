-- What people chose to be known by.
CREATE TABLE people (
    user_id INTEGER PRIMARY KEY,
    emblem  TEXT NOT NULL,
    color   TEXT NOT NULL
) STRICT;

-- The side that won a campaign's battle; NULL for nobody, and for battles before this.
ALTER TABLE campaign_rows ADD COLUMN winner TEXT;
