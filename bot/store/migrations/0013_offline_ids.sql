-- The offline table's own server, its channel and the people whom the operator names, so that they are the same after a
-- restart. The numbers are made up: nobody at Discord has them.
CREATE TABLE offline_ids (
    name TEXT    PRIMARY KEY,      -- server, channel, or person and a name in lower case
    id   INTEGER NOT NULL UNIQUE
) STRICT;
