-- Battles of a server that are linked: what is left after one enters the next.
CREATE TABLE campaigns (
    id         INTEGER PRIMARY KEY,
    guild_id   INTEGER NOT NULL,
    founder_id INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    name_key   TEXT    NOT NULL,
    system     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,   -- Unix seconds, as below
    ended_at   INTEGER,
    UNIQUE (guild_id, name_key)
) STRICT;

CREATE INDEX campaigns_by_founder ON campaigns (founder_id);

-- What happened in a campaign, in order: its battles, and care in between.
CREATE TABLE campaign_rows (
    campaign_id INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    n           INTEGER NOT NULL,          -- from 1
    battle_id   INTEGER UNIQUE,            -- it may be deleted by now; NULL for care
    channel_id  INTEGER,                   -- where the battle is
    number      INTEGER,                   -- of the battle within the channel
    panel_id    INTEGER,                   -- the message that shows the battle
    seed        TEXT,                      -- of the battle, once it is over
    setup       TEXT,                      -- of the battle, once it is over: the next one's terms
    text        TEXT    NOT NULL,          -- a sentence: how the battle ended, what care was given
    muster      TEXT    NOT NULL,          -- JSON: the sides afterwards; while the battle goes on, as they entered it
    veterans    TEXT    NOT NULL,          -- JSON: the fighters of the muster
    sums        TEXT    NOT NULL,          -- a sentence about both sides
    deeds       TEXT    NOT NULL,          -- JSON: what each fighter did in the battle
    at          INTEGER,                   -- NULL while the battle goes on
    PRIMARY KEY (campaign_id, n)
) STRICT;
