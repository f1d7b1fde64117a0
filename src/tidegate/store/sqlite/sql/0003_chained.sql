-- Each event carries a hash over itself and everything before it in its run, and a run that of its head:
-- what was changed, moved, taken out or cut off is then found. An event that is not what its old
-- checksum says gets an empty link here, and stays known as damaged.
CREATE TABLE linked (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    codec INTEGER NOT NULL,
    body BLOB NOT NULL,
    link BLOB NOT NULL
);
INSERT INTO linked (id, at, codec, body, link)
    SELECT e.id, e.at, e.codec, e.body, relink(r.run_id, e.id & 4294967295, e.at, e.body, e.crc)
    FROM events e CROSS JOIN runs r ON r.run_no = e.id >> 32;
DROP TABLE events;
ALTER TABLE linked RENAME TO events;
ALTER TABLE runs ADD COLUMN link BLOB NOT NULL DEFAULT x'';
UPDATE runs SET link = coalesce((SELECT link FROM events WHERE id = (run_no << 32) + head), x'');

-- Which runs a value is kept for: it goes with the last of them.
CREATE TABLE value_uses (
    run_no INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (run_no, sha256)
) WITHOUT ROWID;
CREATE INDEX value_uses_by_value ON value_uses (sha256);
INSERT OR IGNORE INTO value_uses (run_no, sha256)
    SELECT e.id >> 32, v.sha256
    FROM events e, json_each(stored_values(e.codec, e.body)) j CROSS JOIN vals v ON v.sha256 = digest(j.value);

-- Without the reference to runs: a removed run's output goes in slices, after its row.
CREATE TABLE output_kept (
    run_no INTEGER NOT NULL,
    block TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    n INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    start INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (run_no, block, attempt, n)
);
INSERT INTO output_kept SELECT run_no, block, attempt, n, stream, start, codec, data FROM output;
DROP TABLE output;
ALTER TABLE output_kept RENAME TO output;

-- Removed runs: who follows changes is told of them, and what is left of them is known until it is gone.
CREATE TABLE graves (
    run_no INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    change_no INTEGER NOT NULL,
    removed_at REAL NOT NULL,
    emptied INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX graves_by_change ON graves (change_no);
CREATE INDEX graves_to_empty ON graves (run_no) WHERE emptied = 0;

ALTER TABLE checkpoints ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX checkpoints_pinned ON checkpoints (run_no) WHERE pinned = 1;
-- With what decides whether a mark may go: those are counted from the index alone.
DROP INDEX checkpoints_of_run;
CREATE INDEX checkpoints_of_run ON checkpoints (run_no, pinned, kind);
CREATE INDEX runs_of_definition ON runs (definition);
CREATE INDEX runs_of_workflow ON runs (workflow, created_at);
