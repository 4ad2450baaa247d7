-- The puzzle of each day, the same for all.
CREATE TABLE aa_puzzles (
    day    TEXT PRIMARY KEY,      -- ISO, in UTC
    puzzle TEXT NOT NULL
) STRICT;

-- What was answered, once a day.
CREATE TABLE aa_puzzle_answers (
    day      TEXT    NOT NULL,
    user_id  INTEGER NOT NULL,
    guild_id INTEGER,             -- where; NULL in direct messages
    choice   INTEGER NOT NULL,    -- place among the choices, from 0
    correct  INTEGER NOT NULL CHECK (correct IN (0, 1)),
    PRIMARY KEY (day, user_id)
) STRICT;

CREATE INDEX aa_puzzle_answers_by_user ON aa_puzzle_answers (user_id);
CREATE INDEX aa_puzzle_answers_by_guild ON aa_puzzle_answers (guild_id);

-- The channels in which the puzzle is posted each day.
CREATE TABLE aa_puzzle_channels (
    channel_id INTEGER PRIMARY KEY,
    guild_id   INTEGER NOT NULL,
    posted     TEXT               -- the last day whose puzzle was sent, perhaps in vain
) STRICT;

CREATE INDEX aa_puzzle_channels_by_guild ON aa_puzzle_channels (guild_id);
