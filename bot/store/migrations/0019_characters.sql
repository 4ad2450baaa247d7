-- Which of the bot's characters has a seat; NULL where nobody chose one.
ALTER TABLE seats ADD COLUMN character TEXT;
