-- How many battles a channel has had: a number such as #3 is never given twice, even when its battle is forgotten.
CREATE TABLE battle_numbers (
    channel_id INTEGER PRIMARY KEY,
    guild_id   INTEGER,            -- NULL in direct messages
    last       INTEGER NOT NULL
) STRICT;

CREATE INDEX battle_numbers_by_guild ON battle_numbers (guild_id);

-- A fight that lives in a channel. AUTOINCREMENT: an old message's buttons never meet another battle of the same id.
CREATE TABLE battles (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id     INTEGER NOT NULL,
    number         INTEGER NOT NULL,           -- within the channel, for people
    guild_id       INTEGER,                    -- NULL in direct messages
    starter_id     INTEGER,                    -- NULL when forgotten
    system         TEXT    NOT NULL,
    rules          INTEGER NOT NULL,           -- the edition of the system's rules
    setup          TEXT    NOT NULL CHECK (json_valid(setup)),
    seed           BLOB    NOT NULL,           -- secret while the battle is open
    seed_hash      TEXT    NOT NULL,
    version        INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),            -- rows in the journal
    steps          INTEGER NOT NULL DEFAULT 0 CHECK (steps BETWEEN 0 AND version),
    revision       INTEGER NOT NULL DEFAULT 0, -- counts everything that a panel shows: rows of the journal and seats
    state          TEXT    NOT NULL CHECK (json_valid(state)),
    status         TEXT    NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'finished', 'ended')),
    outcome        TEXT    CHECK (outcome IS NULL OR json_valid(outcome)),
    created_at     INTEGER NOT NULL,           -- Unix seconds
    updated_at     INTEGER NOT NULL,           -- when people last did something, or the battle was closed
    panel_id       INTEGER,                    -- the message with the buttons
    panels_retired TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(panels_retired)),  -- messages that still have some
    UNIQUE (channel_id, number)
) STRICT;

CREATE INDEX battles_by_age ON battles (status, updated_at);
CREATE INDEX battles_by_guild ON battles (guild_id);
CREATE INDEX battles_by_starter ON battles (starter_id);

CREATE TABLE seats (
    battle_id INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,    -- the order in which the system names its seats
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot has the seat, or nobody
    is_bot    INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    PRIMARY KEY (battle_id, seat),
    CHECK (user_id IS NULL OR NOT is_bot)
) STRICT;

CREATE INDEX seats_by_user ON seats (user_id);

-- The rows of sim.core.journal, unchanged for ever but for the actor, who may be forgotten.
CREATE TABLE journal (
    battle_id  INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL CHECK (n >= 1),
    kind       TEXT    NOT NULL CHECK (kind IN ('step', 'undo', 'end')),
    seat       TEXT    NOT NULL,
    actor      TEXT,               -- a user's id, outside the seal
    action     TEXT    NOT NULL CHECK (json_valid(action)),
    events     TEXT    NOT NULL CHECK (json_valid(events)),
    version    INTEGER NOT NULL,
    back_to    INTEGER,
    state_hash TEXT    NOT NULL,
    previous   TEXT    NOT NULL,
    hash       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,   -- Unix seconds, outside the seal
    PRIMARY KEY (battle_id, n)
) STRICT;

CREATE INDEX journal_by_actor ON journal (actor);

-- Discord may deliver an interaction twice, and a player may find a lost answer's button again.
CREATE TABLE applied_interactions (
    interaction_id INTEGER PRIMARY KEY,
    applied_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX applied_interactions_by_age ON applied_interactions (applied_at);

-- What was committed but not yet shown.
CREATE TABLE outbox (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    revision  INTEGER NOT NULL
) STRICT;

-- A player asks to take the last step back; void as soon as the battle goes on.
CREATE TABLE undo_requests (
    battle_id  INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    user_id    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX undo_requests_by_user ON undo_requests (user_id);

CREATE TABLE guilds_left (
    guild_id INTEGER PRIMARY KEY,
    left_at  INTEGER NOT NULL
) STRICT;
