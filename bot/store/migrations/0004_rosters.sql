-- Contents too large for a question's own row: each stands here once, however many name it, and goes with the last.
CREATE TABLE uploads (
    sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
    data   BLOB NOT NULL
) STRICT;

CREATE TABLE calculation_uploads (
    calculation_id TEXT NOT NULL REFERENCES calculations (id) ON DELETE CASCADE,
    sha256         TEXT NOT NULL REFERENCES uploads (sha256),
    PRIMARY KEY (calculation_id, sha256)
) STRICT;

CREATE INDEX calculation_uploads_by_sha256 ON calculation_uploads (sha256);

-- AUTOINCREMENT: what an old message offers never means another roster of the same id.
CREATE TABLE rosters (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    name     TEXT    NOT NULL,     -- as typed, for people
    name_key TEXT    NOT NULL,     -- the same for every spelling that people take for the same
    guild_id INTEGER,              -- the server that may use it, NULL when its owner alone may
    UNIQUE (owner_id, kind, name_key)
) STRICT;

CREATE INDEX rosters_by_guild ON rosters (guild_id, kind);

CREATE TABLE roster_versions (
    roster_id  INTEGER NOT NULL REFERENCES rosters (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL CHECK (version >= 1),
    sha256     TEXT    NOT NULL REFERENCES uploads (sha256),
    created_at INTEGER NOT NULL,   -- Unix seconds
    PRIMARY KEY (roster_id, version)
) STRICT;

CREATE INDEX roster_versions_by_sha256 ON roster_versions (sha256);

-- Whichever way a calculation or a roster goes, what nobody names any more goes in the same transaction.
CREATE TRIGGER forget_upload_of_calculation AFTER DELETE ON calculation_uploads BEGIN
    DELETE FROM uploads WHERE sha256 = old.sha256
        AND NOT EXISTS (SELECT 1 FROM calculation_uploads WHERE sha256 = old.sha256)
        AND NOT EXISTS (SELECT 1 FROM roster_versions WHERE sha256 = old.sha256);
END;

CREATE TRIGGER forget_upload_of_roster AFTER DELETE ON roster_versions BEGIN
    DELETE FROM uploads WHERE sha256 = old.sha256
        AND NOT EXISTS (SELECT 1 FROM calculation_uploads WHERE sha256 = old.sha256)
        AND NOT EXISTS (SELECT 1 FROM roster_versions WHERE sha256 = old.sha256);
END;
