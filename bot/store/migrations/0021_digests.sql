-- When people get one direct message a day about what waits for them.
CREATE TABLE digests (
    user_id INTEGER PRIMARY KEY,
    minute  INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439), -- of the day, on the zone's wall clock
    zone    TEXT    NOT NULL,
    next_at INTEGER, -- when the next one is due; NULL where direct messages are closed
    sent_at INTEGER  -- when the last one was sent
) STRICT;

CREATE INDEX digests_by_next_at ON digests (next_at);
