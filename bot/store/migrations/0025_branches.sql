-- Where a battle begins that goes on from another one: {"hash", "row", "state"}; NULL for all others.
ALTER TABLE battles ADD COLUMN branch TEXT;
-- That other battle's number within the channel.
ALTER TABLE battles ADD COLUMN branch_of INTEGER;
