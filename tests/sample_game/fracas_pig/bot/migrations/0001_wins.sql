-- Who won how many games of Pig in a server, or with guild_id 0 in direct messages.
CREATE TABLE pig_wins (
    guild_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    wins     INTEGER NOT NULL CHECK (wins >= 1),
    PRIMARY KEY (guild_id, user_id)
) STRICT;

CREATE INDEX pig_wins_by_user ON pig_wins (user_id);
