-- Whether the person in a seat agreed that the battle is rated. Nobody did in those that are open by now.
ALTER TABLE seats ADD COLUMN agreed INTEGER NOT NULL DEFAULT 0;

-- Who had a seat until row `n` of the journal gave it to somebody else.
CREATE TABLE seats_left (
    battle_id INTEGER NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    seat      TEXT    NOT NULL,
    user_id   INTEGER,             -- NULL when the bot had the seat, or nobody, or somebody who is forgotten
    PRIMARY KEY (battle_id, n)
) STRICT;

CREATE INDEX seats_left_by_user ON seats_left (user_id);

-- The team's chance before the first roll; NULL when it isn't known.
ALTER TABLE result_seats ADD COLUMN chance REAL;

-- The dice of one seat may be several people's now. What a PRIMARY KEY holds can't be altered.
CREATE TABLE dice_luck_again (
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
    worst      TEXT    NOT NULL,
    PRIMARY KEY (battle_id, seat, unit, left_at)
) STRICT;

INSERT INTO dice_luck_again (battle_id, seat, unit, user_id, dice, rolled, tie, best_odds, best, worst_odds, worst)
SELECT battle_id, seat, unit, user_id, dice, rolled, tie, best_odds, best, worst_odds, worst FROM dice_luck;

DROP TABLE dice_luck;

ALTER TABLE dice_luck_again RENAME TO dice_luck;

CREATE INDEX dice_luck_by_user ON dice_luck (user_id);
