-- What is still known of runs that were removed, a row for each of the newest: no is never given twice, so that
-- the newest one counts them all. by: '' was not noted.
CREATE TABLE removals (
    no INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    workflow TEXT NOT NULL,
    status TEXT NOT NULL,
    ended_at REAL NOT NULL,
    removed_at REAL NOT NULL,
    runs INTEGER NOT NULL,
    removed_by TEXT NOT NULL,
    why TEXT NOT NULL
);
