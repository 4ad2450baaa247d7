-- A calculation that was answered: its pages are worked out again from the request after a restart.
CREATE TABLE calculations (
    id         TEXT    PRIMARY KEY,
    kind       TEXT    NOT NULL,
    asker_id   INTEGER NOT NULL,
    guild_id   INTEGER,            -- NULL in direct messages
    request    TEXT    NOT NULL CHECK (json_valid(request)),
    created_at INTEGER NOT NULL    -- Unix seconds
) STRICT;

CREATE INDEX calculations_by_age ON calculations (created_at);
CREATE INDEX calculations_by_asker ON calculations (asker_id);

-- What a player sent to a command lately, for autocomplete. AUTOINCREMENT never gives a number twice, so the
-- highest sequence is the newest text whatever the clock does.
CREATE TABLE recent_texts (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id  INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    text     TEXT    NOT NULL,
    UNIQUE (user_id, kind, text)
) STRICT;
