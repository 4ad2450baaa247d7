-- Whether messages of a server that mention the bot are answered.
ALTER TABLE server_hours ADD COLUMN mentions INTEGER NOT NULL DEFAULT 1;
