"""The store in a SQLite database: a file, or one in memory."""
