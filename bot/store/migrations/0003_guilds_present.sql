-- The servers that the bot was last seen in: one that is missing at a start removed it while it was away. Servers where
-- people use it without it being a member never stand here.
CREATE TABLE guilds_present (
    guild_id INTEGER PRIMARY KEY
) STRICT;
