"""The offline table: Fracas on a local page, without Discord."""
