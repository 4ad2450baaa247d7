-- The channels that have a challenge each week.
CREATE TABLE weeklies (
    id         INTEGER PRIMARY KEY,
    guild_id   INTEGER NOT NULL,
    channel_id INTEGER NOT NULL UNIQUE,
    system     TEXT,              -- NULL: another kind each week
    shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),   -- whether the seed is that of all servers that share it
    next_at    INTEGER            -- Unix seconds, as below: when something is to be posted; NULL once closed
) STRICT;

CREATE INDEX weeklies_by_guild ON weeklies (guild_id);
CREATE INDEX weeklies_by_next ON weeklies (next_at);

CREATE TABLE weekly_challenges (
    id        INTEGER PRIMARY KEY,
    weekly_id INTEGER NOT NULL REFERENCES weeklies (id) ON DELETE CASCADE,
    week      TEXT    NOT NULL,   -- ISO, such as 2026-W48
    system    TEXT    NOT NULL,
    setup     TEXT    NOT NULL,
    ends_at   INTEGER NOT NULL,
    post_at   INTEGER,            -- when the post was sent, perhaps in vain
    post_id   INTEGER,
    card_at   INTEGER,            -- likewise the card at the end
    card_id   INTEGER,
    UNIQUE (weekly_id, week)
) STRICT;

-- What was tried: once a day.
CREATE TABLE weekly_tries (
    challenge_id INTEGER NOT NULL REFERENCES weekly_challenges (id) ON DELETE CASCADE,
    user_id      INTEGER NOT NULL,
    day          TEXT    NOT NULL,          -- ISO, in the server's time zone
    battle_id    INTEGER NOT NULL UNIQUE,   -- it may be deleted by now
    number       INTEGER NOT NULL,          -- of the battle within the channel
    points       INTEGER,                   -- NULL while it goes on; -1 if it doesn't count
    rounds       INTEGER,
    text         TEXT,
    PRIMARY KEY (challenge_id, user_id, day)
) STRICT;

CREATE INDEX weekly_tries_by_user ON weekly_tries (user_id);

-- What is said on the panel of a battle whose steps stand, such as a try; NULL for all others.
ALTER TABLE battles ADD COLUMN bond TEXT;
