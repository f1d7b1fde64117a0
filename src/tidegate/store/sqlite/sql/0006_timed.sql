-- When a block wrote what it wrote; 0: before this was noted. And what was answered last, without reading all of it.
ALTER TABLE output ADD COLUMN at REAL NOT NULL DEFAULT 0;
CREATE INDEX pauses_closed ON pauses (closed_at) WHERE state <> 0;
-- Answers that no history shows, for as long as their runs have not ended.
CREATE TABLE secrets (
    pause_id TEXT NOT NULL PRIMARY KEY,
    run_no INTEGER NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
    data BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX secrets_of_run ON secrets (run_no);
