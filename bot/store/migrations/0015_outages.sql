-- When nobody could reach the bot: the clocks of battles stand meanwhile. The last row is open: the latest sign of life,
-- with which an outage begins unless another sign follows.
CREATE TABLE outages (
    began INTEGER NOT NULL UNIQUE, -- Unix seconds
    ended INTEGER                  -- NULL for the last row
) STRICT;
