-- Bosses that players made: a server's, or in direct messages (guild_id NULL) their maker's own.
CREATE TABLE bosses (
    id       INTEGER PRIMARY KEY,
    guild_id INTEGER,
    maker_id INTEGER NOT NULL,
    name     TEXT    NOT NULL,     -- as typed, for people
    name_key TEXT    NOT NULL,     -- the same for every spelling that people take for the same
    figures  TEXT    NOT NULL CHECK (json_valid(figures)), -- what it fights with
    words    TEXT    NOT NULL CHECK (json_valid(words)),   -- what it says
    picture  BLOB                  -- a PNG that a worker drew anew, NULL without one
) STRICT;

CREATE UNIQUE INDEX bosses_by_guild ON bosses (guild_id, name_key) WHERE guild_id IS NOT NULL;
CREATE UNIQUE INDEX bosses_by_maker ON bosses (maker_id, name_key) WHERE guild_id IS NULL;
CREATE INDEX bosses_of_maker ON bosses (maker_id);

-- The best that a person did against a boss in a server. Figures as they are shown; the ranks beside them only sort.
CREATE TABLE boss_records (
    guild_id    INTEGER NOT NULL,
    boss_key    TEXT    NOT NULL,
    times       INTEGER NOT NULL CHECK (times >= 1), -- what the boss's health was multiplied by
    user_id     INTEGER NOT NULL,
    boss        TEXT    NOT NULL,                    -- its name, for people
    score       TEXT    NOT NULL,
    score_rank  REAL    NOT NULL,
    damage      TEXT    NOT NULL,
    damage_rank REAL    NOT NULL,
    fights      INTEGER NOT NULL CHECK (fights >= 1),
    PRIMARY KEY (guild_id, boss_key, times, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX boss_records_by_user ON boss_records (user_id);
