-- Characters that players keep for duels and dungeons. AUTOINCREMENT: an old form never means another one of the same id.
CREATE TABLE characters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id   INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    name_key   TEXT    NOT NULL,   -- the same for every spelling that people take for the same
    sheet      TEXT    NOT NULL CHECK (json_valid(sheet)),
    created_at INTEGER NOT NULL,   -- Unix seconds
    UNIQUE (owner_id, name_key)
) STRICT;

-- The messages of duels that a server replaced, or a person for direct messages: one of the two is there.
CREATE TABLE duel_words (
    guild_id INTEGER,
    user_id  INTEGER,
    message  TEXT NOT NULL,
    texts    TEXT NOT NULL CHECK (json_valid(texts)),
    CHECK ((guild_id IS NULL) <> (user_id IS NULL)),
    UNIQUE (guild_id, message),
    UNIQUE (user_id, message)
) STRICT;

-- What people gained in battles that are over; it outlives the battle. `guild_id`: NULL in direct messages.
CREATE TABLE scores (
    id         INTEGER PRIMARY KEY,
    system     TEXT    NOT NULL,
    guild_id   INTEGER,
    user_id    INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    points     INTEGER NOT NULL,
    told       TEXT    NOT NULL,   -- how it came about, in a few words
    created_at INTEGER NOT NULL    -- Unix seconds
) STRICT;

CREATE INDEX scores_by_guild ON scores (system, guild_id, points);
CREATE INDEX scores_by_user ON scores (user_id);
