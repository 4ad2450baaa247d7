-- The edition of Axis & Allies that a person or a server plays unless they say otherwise: one of the two is there.
CREATE TABLE aa_editions (
    user_id  INTEGER UNIQUE,
    guild_id INTEGER UNIQUE,
    edition  TEXT NOT NULL,
    CHECK ((guild_id IS NULL) <> (user_id IS NULL))
) STRICT;
