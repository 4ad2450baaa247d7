"""The same repositories on PostgreSQL, for several processes that share the shards."""
