-- Records of fights with hands beside those of before. What a PRIMARY KEY holds can't be altered.
CREATE TABLE boss_records_again (
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

INSERT INTO boss_records_again (guild_id, boss_key, times, hands, user_id, boss, score, score_rank, damage, damage_rank,
    fights)
SELECT guild_id, boss_key, times, 0, user_id, boss, score, score_rank, damage, damage_rank, fights
FROM boss_records;

DROP TABLE boss_records;

ALTER TABLE boss_records_again RENAME TO boss_records;

CREATE INDEX boss_records_by_user ON boss_records (user_id);
