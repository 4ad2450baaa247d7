-- Tries that are answers to a question have no battle. What is NOT NULL can't be altered.
CREATE TABLE weekly_tries_again (
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

INSERT INTO weekly_tries_again (challenge_id, user_id, day, battle_id, number, points, rounds, text)
SELECT challenge_id, user_id, day, battle_id, number, points, rounds, text FROM weekly_tries;

DROP TABLE weekly_tries;

ALTER TABLE weekly_tries_again RENAME TO weekly_tries;

CREATE INDEX weekly_tries_by_user ON weekly_tries (user_id);

-- Whether positions of a person's battles may be shown without names, as tasks for others.
ALTER TABLE people ADD COLUMN positions INTEGER NOT NULL DEFAULT 0;
