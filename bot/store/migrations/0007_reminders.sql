-- Of whose turn the people of a battle were told last, and the message that told it. It names nobody.
CREATE TABLE reminders (
    battle_id  INTEGER PRIMARY KEY REFERENCES battles (id) ON DELETE CASCADE,
    turn       TEXT NOT NULL,      -- such as 3:2, the second player's in round 3
    message_id INTEGER             -- NULL when no message was needed
) STRICT;
