-- Rows about the clock and about the seats, beside those of the game. What a CHECK allows can't be altered.
CREATE TABLE journal_again (
    battle_id  INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL CHECK (n >= 1),
    kind       TEXT    NOT NULL CHECK (kind IN ('step', 'undo', 'end', 'clock', 'seats')),
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
    state      TEXT CHECK (state IS NULL OR json_valid(state)),
    PRIMARY KEY (battle_id, n)
) STRICT;

INSERT INTO journal_again (battle_id, n, kind, seat, actor, action, events, version, back_to, state_hash, previous,
    hash, created_at, state)
SELECT battle_id, n, kind, seat, actor, action, events, version, back_to, state_hash, previous, hash, created_at,
    state
FROM journal;

DROP TABLE journal;

ALTER TABLE journal_again RENAME TO journal;

CREATE INDEX journal_by_actor ON journal (actor);
CREATE INDEX journal_notes ON journal (battle_id, n) WHERE kind IN ('clock', 'seats');
CREATE INDEX journal_undone ON journal (battle_id) WHERE kind = 'undo';

ALTER TABLE battles ADD COLUMN joining_closed INTEGER NOT NULL DEFAULT 0;

-- Who was made the referee of a battle that has no seat for one.
CREATE TABLE referees (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    user_id   INTEGER NOT NULL
) STRICT;

CREATE INDEX referees_by_user ON referees (user_id);

-- When the bot looks at an open battle's clock next. The rest of a clock follows from the journal.
CREATE TABLE clocks (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    next_at   INTEGER,             -- Unix seconds, 0 as soon as possible, NULL when something has happened
    seated_at INTEGER              -- when a free seat was last taken
) STRICT;

CREATE INDEX clocks_by_time ON clocks (next_at);

INSERT INTO clocks (battle_id, next_at) SELECT id, 0 FROM battles WHERE status = 'open';

-- Until when the turn lasted of whose end the people were warned.
ALTER TABLE reminders ADD COLUMN warned_for INTEGER;

CREATE TABLE server_hours (
    guild_id   INTEGER PRIMARY KEY,
    zone       TEXT NOT NULL,      -- such as Europe/Berlin
    quiet_from INTEGER,            -- minutes after midnight; NULL without quiet hours
    quiet_to   INTEGER,
    quiet_rule TEXT NOT NULL CHECK (quiet_rule IN ('skip', 'wait'))
) STRICT;
