-- Rows about a beacon's round, beside those of before. What a CHECK allows can't be altered.
CREATE TABLE journal_again (
    battle_id  INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL CHECK (n >= 1),
    kind       TEXT    NOT NULL CHECK (kind IN ('step', 'undo', 'end', 'clock', 'seats', 'round', 'beacon')),
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
CREATE INDEX journal_sealed ON journal (battle_id, n) WHERE kind IN ('round', 'beacon');

-- The hash of the beacon's chain that has a part in the dice; NULL for a seed alone.
ALTER TABLE battles ADD COLUMN chain TEXT;

-- The message with the hash of the row that names the round; NULL when it couldn't be posted in time.
ALTER TABLE battles ADD COLUMN seal_id INTEGER;

-- Whether only battles count whose dice were sealed.
ALTER TABLE ladders ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;

-- Whether the battles of a server that are opened from now on have the beacon's part in their dice.
ALTER TABLE server_hours ADD COLUMN beacon INTEGER NOT NULL DEFAULT 1;
