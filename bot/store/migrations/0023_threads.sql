-- The thread that shows a battle; NULL for the channel, which numbers it in any case.
ALTER TABLE battles ADD COLUMN thread_id INTEGER;

CREATE INDEX battles_by_thread ON battles (thread_id);

-- The threads that the bot opened for battles.
CREATE TABLE threads (
    battle_id  INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    thread_id  INTEGER NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL,               -- where the line about the battle is
    line_id    INTEGER,                        -- its message; NULL when it was deleted
    line       TEXT    NOT NULL DEFAULT '',    -- a hash of what it says
    name       TEXT    NOT NULL DEFAULT '',    -- a hash of the thread's name
    named_at   INTEGER NOT NULL,               -- Unix seconds
    closed     INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))
) STRICT;

-- Whether new battles of a server get threads, and the forum whose posts these are; NULL for threads of the channel.
ALTER TABLE server_hours ADD COLUMN threads TEXT NOT NULL DEFAULT 'never';
ALTER TABLE server_hours ADD COLUMN forum_id INTEGER;

-- What a referee has put among a server's events: the end of a battle's turn, or the night of a campaign.
CREATE TABLE events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    battle_id   INTEGER UNIQUE REFERENCES battles (id) ON DELETE CASCADE,
    campaign_id INTEGER UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
    guild_id    INTEGER NOT NULL,
    channel_id  INTEGER NOT NULL,              -- where it takes place
    starts_at   INTEGER NOT NULL,              -- Unix seconds
    event_id    INTEGER,                       -- Discord's; NULL while there is none
    CHECK ((battle_id IS NULL) <> (campaign_id IS NULL))
) STRICT;

CREATE INDEX events_by_guild ON events (guild_id);
