-- The closed battles that the chronicle has dealt with.
CREATE TABLE chronicled (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE
) STRICT;

-- What is remembered of an ended battle; it outlives the battle, whose id it has.
CREATE TABLE results (
    id         INTEGER PRIMARY KEY,
    guild_id   INTEGER,            -- NULL in direct messages
    channel_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,   -- of the battle within the channel
    panel_id   INTEGER,            -- the message that shows the battle
    system     TEXT    NOT NULL,
    ended_at   INTEGER NOT NULL,   -- Unix seconds
    rated      INTEGER NOT NULL CHECK (rated IN (0, 1))   -- whether it counts for ladders
) STRICT;

CREATE INDEX results_by_guild ON results (guild_id, ended_at);
CREATE INDEX results_by_channel ON results (channel_id, number);

CREATE TABLE result_seats (
    battle_id INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot had the seat, or nobody, or somebody who is forgotten
    team      INTEGER,             -- seats of the same number fought together; NULL for who didn't fight
    place     INTEGER,             -- of the team, from 1
    PRIMARY KEY (battle_id, seat)
) STRICT;

CREATE INDEX result_seats_by_user ON result_seats (user_id);

-- The dice of a seat that count the same, such as hits: all that were thrown, and what they showed.
CREATE TABLE dice_luck (
    battle_id  INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    seat       TEXT    NOT NULL,
    unit       TEXT    NOT NULL,
    user_id    INTEGER,
    dice       TEXT    NOT NULL,   -- JSON: weights of each kind of die, and how many
    rolled     INTEGER NOT NULL,
    tie        INTEGER NOT NULL,   -- where the battle's seed breaks ties
    best_odds  REAL    NOT NULL,
    best       TEXT    NOT NULL,   -- JSON: the luckiest moment
    worst_odds REAL    NOT NULL,
    worst      TEXT    NOT NULL,
    PRIMARY KEY (battle_id, seat, unit)
) STRICT;

CREATE INDEX dice_luck_by_user ON dice_luck (user_id);

-- The servers whose managers want ladders.
CREATE TABLE ladders (
    guild_id INTEGER PRIMARY KEY
) STRICT;
