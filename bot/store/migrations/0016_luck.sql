-- Where the throws of a battle stand among all battles, from 0 to 1, whenever it ended; NULL for battles before this.
ALTER TABLE dice_luck ADD COLUMN place REAL;
