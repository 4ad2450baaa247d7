-- table aa_editions
CREATE TABLE aa_editions (
    user_id  INTEGER UNIQUE,
    guild_id INTEGER UNIQUE,
    edition  TEXT NOT NULL,
    CHECK ((guild_id IS NULL) <> (user_id IS NULL))
) STRICT;
-- table aa_puzzle_answers
CREATE TABLE aa_puzzle_answers (
    day      TEXT    NOT NULL,
    user_id  INTEGER NOT NULL,
    guild_id INTEGER,             -- where; NULL in direct messages
    choice   INTEGER NOT NULL,    -- place among the choices, from 0
    correct  INTEGER NOT NULL CHECK (correct IN (0, 1)),
    PRIMARY KEY (day, user_id)
) STRICT;
-- index aa_puzzle_answers_by_guild
CREATE INDEX aa_puzzle_answers_by_guild ON aa_puzzle_answers (guild_id);
-- index aa_puzzle_answers_by_user
CREATE INDEX aa_puzzle_answers_by_user ON aa_puzzle_answers (user_id);
-- table aa_puzzle_channels
CREATE TABLE aa_puzzle_channels (
    channel_id INTEGER PRIMARY KEY,
    guild_id   INTEGER NOT NULL,
    posted     TEXT               -- the last day whose puzzle was sent, perhaps in vain
) STRICT;
-- index aa_puzzle_channels_by_guild
CREATE INDEX aa_puzzle_channels_by_guild ON aa_puzzle_channels (guild_id);
-- table aa_puzzle_finds
CREATE TABLE aa_puzzle_finds (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    puzzle    TEXT              -- NULL: nothing was found, or it had its day
) STRICT;
-- table aa_puzzles
CREATE TABLE aa_puzzles (
    day    TEXT PRIMARY KEY,      -- ISO, in UTC
    puzzle TEXT NOT NULL
) STRICT;
-- table applied_interactions
CREATE TABLE applied_interactions (
    interaction_id INTEGER PRIMARY KEY,
    applied_at     INTEGER NOT NULL
) STRICT;
-- index applied_interactions_by_age
CREATE INDEX applied_interactions_by_age ON applied_interactions (applied_at);
-- table battle_numbers
CREATE TABLE battle_numbers (
    channel_id INTEGER PRIMARY KEY,
    guild_id   INTEGER,            -- NULL in direct messages
    last       INTEGER NOT NULL
) STRICT;
-- index battle_numbers_by_guild
CREATE INDEX battle_numbers_by_guild ON battle_numbers (guild_id);
-- table battles
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
    panels_retired TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(panels_retired)), joining_closed INTEGER NOT NULL DEFAULT 0, chain TEXT, seal_id INTEGER, bond TEXT, thread_id INTEGER, branch TEXT, branch_of INTEGER,  -- messages that still have some
    UNIQUE (channel_id, number)
) STRICT;
-- index battles_by_age
CREATE INDEX battles_by_age ON battles (status, updated_at);
-- index battles_by_guild
CREATE INDEX battles_by_guild ON battles (guild_id);
-- index battles_by_starter
CREATE INDEX battles_by_starter ON battles (starter_id);
-- index battles_by_thread
CREATE INDEX battles_by_thread ON battles (thread_id);
-- table boss_records
CREATE TABLE "boss_records" (
    guild_id    INTEGER NOT NULL,
    boss_key    TEXT    NOT NULL,
    times       INTEGER NOT NULL CHECK (times >= 1), -- what the boss's health was multiplied by
    hands       INTEGER NOT NULL,                    -- 1 where tokens rest, 0 where whole decks fought
    user_id     INTEGER NOT NULL,
    boss        TEXT    NOT NULL,                    -- its name, for people
    score       TEXT    NOT NULL,
    score_rank  REAL    NOT NULL,
    damage      TEXT    NOT NULL,
    damage_rank REAL    NOT NULL,
    fights      INTEGER NOT NULL CHECK (fights >= 1),
    PRIMARY KEY (guild_id, boss_key, times, hands, user_id)
) STRICT, WITHOUT ROWID;
-- index boss_records_by_user
CREATE INDEX boss_records_by_user ON boss_records (user_id);
-- table bosses
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
-- index bosses_by_guild
CREATE UNIQUE INDEX bosses_by_guild ON bosses (guild_id, name_key) WHERE guild_id IS NOT NULL;
-- index bosses_by_maker
CREATE UNIQUE INDEX bosses_by_maker ON bosses (maker_id, name_key) WHERE guild_id IS NULL;
-- index bosses_of_maker
CREATE INDEX bosses_of_maker ON bosses (maker_id);
-- table calculation_uploads
CREATE TABLE calculation_uploads (
    calculation_id TEXT NOT NULL REFERENCES calculations (id) ON DELETE CASCADE,
    sha256         TEXT NOT NULL REFERENCES uploads (sha256),
    PRIMARY KEY (calculation_id, sha256)
) STRICT;
-- index calculation_uploads_by_sha256
CREATE INDEX calculation_uploads_by_sha256 ON calculation_uploads (sha256);
-- table calculations
CREATE TABLE calculations (
    id         TEXT    PRIMARY KEY,
    kind       TEXT    NOT NULL,
    asker_id   INTEGER NOT NULL,
    guild_id   INTEGER,            -- NULL in direct messages
    request    TEXT    NOT NULL CHECK (json_valid(request)),
    created_at INTEGER NOT NULL    -- Unix seconds
) STRICT;
-- index calculations_by_age
CREATE INDEX calculations_by_age ON calculations (created_at);
-- index calculations_by_asker
CREATE INDEX calculations_by_asker ON calculations (asker_id);
-- table campaign_rows
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
    at          INTEGER, winner TEXT,                   -- NULL while the battle goes on
    PRIMARY KEY (campaign_id, n)
) STRICT;
-- table campaigns
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
-- index campaigns_by_founder
CREATE INDEX campaigns_by_founder ON campaigns (founder_id);
-- table characters
CREATE TABLE characters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id   INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    name_key   TEXT    NOT NULL,   -- the same for every spelling that people take for the same
    sheet      TEXT    NOT NULL CHECK (json_valid(sheet)),
    created_at INTEGER NOT NULL,   -- Unix seconds
    UNIQUE (owner_id, name_key)
) STRICT;
-- table chronicled
CREATE TABLE chronicled (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE
) STRICT;
-- table clocks
CREATE TABLE clocks (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    next_at   INTEGER,             -- Unix seconds, 0 as soon as possible, NULL when something has happened
    seated_at INTEGER              -- when a free seat was last taken
) STRICT;
-- index clocks_by_time
CREATE INDEX clocks_by_time ON clocks (next_at);
-- table dice_luck
CREATE TABLE "dice_luck" (
    battle_id  INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    seat       TEXT    NOT NULL,
    unit       TEXT    NOT NULL,
    left_at    INTEGER NOT NULL DEFAULT 0,   -- the row that gave the seat to somebody else; 0 for who had it at the end
    user_id    INTEGER,
    dice       TEXT    NOT NULL,   -- JSON: weights of each kind of die, and how many
    rolled     INTEGER NOT NULL,
    tie        INTEGER NOT NULL,   -- where the battle's seed breaks ties
    best_odds  REAL    NOT NULL,
    best       TEXT    NOT NULL,   -- JSON: the luckiest moment
    worst_odds REAL    NOT NULL,
    worst      TEXT    NOT NULL, place REAL,
    PRIMARY KEY (battle_id, seat, unit, left_at)
) STRICT;
-- index dice_luck_by_user
CREATE INDEX dice_luck_by_user ON dice_luck (user_id);
-- table digests
CREATE TABLE digests (
    user_id INTEGER PRIMARY KEY,
    minute  INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439), -- of the day, on the zone's wall clock
    zone    TEXT    NOT NULL,
    next_at INTEGER, -- when the next one is due; NULL where direct messages are closed
    sent_at INTEGER  -- when the last one was sent
) STRICT;
-- index digests_by_next_at
CREATE INDEX digests_by_next_at ON digests (next_at);
-- table duel_words
CREATE TABLE duel_words (
    guild_id INTEGER,
    user_id  INTEGER,
    message  TEXT NOT NULL,
    texts    TEXT NOT NULL CHECK (json_valid(texts)),
    CHECK ((guild_id IS NULL) <> (user_id IS NULL)),
    UNIQUE (guild_id, message),
    UNIQUE (user_id, message)
) STRICT;
-- table events
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
-- index events_by_guild
CREATE INDEX events_by_guild ON events (guild_id);
-- trigger forget_upload_of_calculation
CREATE TRIGGER forget_upload_of_calculation AFTER DELETE ON calculation_uploads BEGIN
    DELETE FROM uploads WHERE sha256 = old.sha256
        AND NOT EXISTS (SELECT 1 FROM calculation_uploads WHERE sha256 = old.sha256)
        AND NOT EXISTS (SELECT 1 FROM roster_versions WHERE sha256 = old.sha256);
END;
-- trigger forget_upload_of_roster
CREATE TRIGGER forget_upload_of_roster AFTER DELETE ON roster_versions BEGIN
    DELETE FROM uploads WHERE sha256 = old.sha256
        AND NOT EXISTS (SELECT 1 FROM calculation_uploads WHERE sha256 = old.sha256)
        AND NOT EXISTS (SELECT 1 FROM roster_versions WHERE sha256 = old.sha256);
END;
-- table guilds_left
CREATE TABLE guilds_left (
    guild_id INTEGER PRIMARY KEY,
    left_at  INTEGER NOT NULL
) STRICT;
-- table guilds_present
CREATE TABLE guilds_present (
    guild_id INTEGER PRIMARY KEY
) STRICT;
-- table journal
CREATE TABLE "journal" (
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
-- index journal_by_actor
CREATE INDEX journal_by_actor ON journal (actor);
-- index journal_notes
CREATE INDEX journal_notes ON journal (battle_id, n) WHERE kind IN ('clock', 'seats');
-- index journal_sealed
CREATE INDEX journal_sealed ON journal (battle_id, n) WHERE kind IN ('round', 'beacon');
-- index journal_undone
CREATE INDEX journal_undone ON journal (battle_id) WHERE kind = 'undo';
-- table ladders
CREATE TABLE ladders (
    guild_id INTEGER PRIMARY KEY
, sealed INTEGER NOT NULL DEFAULT 0) STRICT;
-- table offline_ids
CREATE TABLE offline_ids (
    name TEXT    PRIMARY KEY,      -- server, channel, or person and a name in lower case
    id   INTEGER NOT NULL UNIQUE
) STRICT;
-- table outages
CREATE TABLE outages (
    began INTEGER NOT NULL UNIQUE, -- Unix seconds
    ended INTEGER                  -- NULL for the last row
) STRICT;
-- table outbox
CREATE TABLE outbox (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    revision  INTEGER NOT NULL
) STRICT;
-- table people
CREATE TABLE people (
    user_id INTEGER PRIMARY KEY,
    emblem  TEXT NOT NULL,
    color   TEXT NOT NULL
, positions INTEGER NOT NULL DEFAULT 0) STRICT;
-- table recent_texts
CREATE TABLE recent_texts (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id  INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    text     TEXT    NOT NULL,
    UNIQUE (user_id, kind, text)
) STRICT;
-- table referees
CREATE TABLE referees (
    battle_id INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    user_id   INTEGER NOT NULL
) STRICT;
-- index referees_by_user
CREATE INDEX referees_by_user ON referees (user_id);
-- table reminders
CREATE TABLE reminders (
    battle_id  INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    turn       TEXT NOT NULL,      -- such as 3:2, the second player's in round 3
    message_id INTEGER             -- NULL when no message was needed
, warned_for INTEGER) STRICT;
-- table result_seats
CREATE TABLE result_seats (
    battle_id INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot had the seat, or nobody, or somebody who is forgotten
    team      INTEGER,             -- seats of the same number fought together; NULL for who didn't fight
    place     INTEGER, chance REAL,             -- of the team, from 1
    PRIMARY KEY (battle_id, seat)
) STRICT;
-- index result_seats_by_user
CREATE INDEX result_seats_by_user ON result_seats (user_id);
-- table results
CREATE TABLE results (
    id         INTEGER PRIMARY KEY,
    guild_id   INTEGER,            -- NULL in direct messages
    channel_id INTEGER NOT NULL,
    number     INTEGER NOT NULL,   -- of the battle within the channel
    panel_id   INTEGER,            -- the message that shows the battle
    system     TEXT    NOT NULL,
    ended_at   INTEGER NOT NULL,   -- Unix seconds
    rated      INTEGER NOT NULL CHECK (rated IN (0, 1))   -- whether it counts for ladders
) STRICT;
-- index results_by_channel
CREATE INDEX results_by_channel ON results (channel_id, number);
-- index results_by_guild
CREATE INDEX results_by_guild ON results (guild_id, ended_at);
-- table roster_versions
CREATE TABLE roster_versions (
    roster_id  INTEGER NOT NULL REFERENCES rosters (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL CHECK (version >= 1),
    sha256     TEXT    NOT NULL REFERENCES uploads (sha256),
    created_at INTEGER NOT NULL,   -- Unix seconds
    PRIMARY KEY (roster_id, version)
) STRICT;
-- index roster_versions_by_sha256
CREATE INDEX roster_versions_by_sha256 ON roster_versions (sha256);
-- table rosters
CREATE TABLE rosters (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    name     TEXT    NOT NULL,     -- as typed, for people
    name_key TEXT    NOT NULL,     -- the same for every spelling that people take for the same
    guild_id INTEGER,              -- the server that may use it, NULL when its owner alone may
    UNIQUE (owner_id, kind, name_key)
) STRICT;
-- index rosters_by_guild
CREATE INDEX rosters_by_guild ON rosters (guild_id, kind);
-- table scores
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
-- index scores_by_guild
CREATE INDEX scores_by_guild ON scores (system, guild_id, points);
-- index scores_by_user
CREATE INDEX scores_by_user ON scores (user_id);
-- table seats
CREATE TABLE seats (
    battle_id INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,    -- the order in which the system names its seats
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot has the seat, or nobody
    is_bot    INTEGER NOT NULL CHECK (is_bot IN (0, 1)), agreed INTEGER NOT NULL DEFAULT 0, character TEXT,
    PRIMARY KEY (battle_id, seat),
    CHECK (user_id IS NULL OR NOT is_bot)
) STRICT;
-- index seats_by_user
CREATE INDEX seats_by_user ON seats (user_id);
-- table seats_left
CREATE TABLE seats_left (
    battle_id INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot had the seat, or nobody, or somebody who is forgotten
    PRIMARY KEY (battle_id, n)
) STRICT;
-- index seats_left_by_user
CREATE INDEX seats_left_by_user ON seats_left (user_id);
-- table server_hours
CREATE TABLE server_hours (
    guild_id   INTEGER PRIMARY KEY,
    zone       TEXT NOT NULL,      -- such as Europe/Berlin
    quiet_from INTEGER,            -- minutes after midnight; NULL without quiet hours
    quiet_to   INTEGER,
    quiet_rule TEXT NOT NULL CHECK (quiet_rule IN ('skip', 'wait'))
, beacon INTEGER NOT NULL DEFAULT 1, threads TEXT NOT NULL DEFAULT 'never', forum_id INTEGER, mentions INTEGER NOT NULL DEFAULT 1) STRICT;
-- table sqlite_sequence
CREATE TABLE sqlite_sequence(name,seq);
-- table threads
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
-- table undo_requests
CREATE TABLE undo_requests (
    battle_id  INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    user_id    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
-- index undo_requests_by_user
CREATE INDEX undo_requests_by_user ON undo_requests (user_id);
-- table uploads
CREATE TABLE uploads (
    sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
    data   BLOB NOT NULL
) STRICT;
-- table weeklies
CREATE TABLE weeklies (
    id         INTEGER PRIMARY KEY,
    guild_id   INTEGER NOT NULL,
    channel_id INTEGER NOT NULL UNIQUE,
    system     TEXT,              -- NULL: another kind each week
    shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),   -- whether the seed is that of all servers that share it
    next_at    INTEGER            -- Unix seconds, as below: when something is to be posted; NULL once closed
) STRICT;
-- index weeklies_by_guild
CREATE INDEX weeklies_by_guild ON weeklies (guild_id);
-- index weeklies_by_next
CREATE INDEX weeklies_by_next ON weeklies (next_at);
-- table weekly_challenges
CREATE TABLE weekly_challenges (
    id        INTEGER PRIMARY KEY,
    weekly_id INTEGER NOT NULL REFERENCES weeklies (id) ON DELETE CASCADE,
    week      TEXT    NOT NULL,   -- ISO, such as 2026-W48
    system    TEXT    NOT NULL,
    setup     TEXT    NOT NULL,
    ends_at   INTEGER NOT NULL,
    post_at   INTEGER,            -- when the post was sent, perhaps in vain
    post_id   INTEGER,
    card_at   INTEGER,            -- likewise the card at the end
    card_id   INTEGER,
    UNIQUE (weekly_id, week)
) STRICT;
-- table weekly_tries
CREATE TABLE "weekly_tries" (
    challenge_id INTEGER NOT NULL REFERENCES weekly_challenges (id) ON DELETE CASCADE,
    user_id      INTEGER NOT NULL,
    day          TEXT    NOT NULL,          -- ISO, in the server's time zone
    battle_id    INTEGER UNIQUE,            -- it may be deleted by now; NULL for an answer
    number       INTEGER,                   -- of the battle within the channel
    points       INTEGER,                   -- NULL while it goes on; -1 if it doesn't count
    rounds       INTEGER,
    text         TEXT,
    PRIMARY KEY (challenge_id, user_id, day)
) STRICT;
-- index weekly_tries_by_user
CREATE INDEX weekly_tries_by_user ON weekly_tries (user_id);
