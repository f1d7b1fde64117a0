-- A run, with what a list shows of it.
CREATE TABLE runs (
    run_no INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    definition TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    head INTEGER NOT NULL,
    started_by TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    owner TEXT NOT NULL,
    lease_until REAL NOT NULL,
    status TEXT NOT NULL,
    summary BLOB NOT NULL,
    change_no INTEGER NOT NULL
);
CREATE INDEX runs_by_age ON runs (created_at);
CREATE INDEX runs_by_change ON runs (change_no);

-- id is run_no * 2^32 + seq: a journal is one range, in order, without a second index.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    body BLOB NOT NULL,
    crc INTEGER NOT NULL
);

CREATE TABLE pauses (
    pause_id TEXT NOT NULL UNIQUE,
    run_no INTEGER NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
    block TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    prompt BLOB NOT NULL,
    opened_at REAL NOT NULL,
    opened_seq INTEGER NOT NULL,
    deadline REAL,
    state INTEGER NOT NULL DEFAULT 0,
    closed_at REAL,
    answer BLOB
);
CREATE INDEX pauses_of_run ON pauses (run_no, opened_seq);
CREATE INDEX pauses_open ON pauses (deadline) WHERE state = 0;

-- no counts the marks in the order they were committed: the clock may step, this does not.
CREATE TABLE checkpoints (
    no INTEGER PRIMARY KEY,
    checkpoint_id TEXT NOT NULL UNIQUE,
    run_no INTEGER NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    created_at REAL NOT NULL,
    block TEXT,
    label TEXT NOT NULL,
    summary BLOB NOT NULL
);
CREATE INDEX checkpoints_of_run ON checkpoints (run_no);

CREATE TABLE definitions (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    source TEXT NOT NULL,
    created_at REAL NOT NULL
) WITHOUT ROWID;

-- codec: 0 as it is, 1 zstd.
CREATE TABLE vals (
    sha256 BLOB NOT NULL UNIQUE,
    codec INTEGER NOT NULL,
    data BLOB NOT NULL
);

CREATE TABLE output (
    run_no INTEGER NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
    block TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    n INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    start INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (run_no, block, attempt, n)
);

-- change_floor: no change gets a number at or below it, even if the runs that had them are deleted.
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES
    ('store_id', lower(hex(randomblob(16)))),
    ('change_floor', 0);
