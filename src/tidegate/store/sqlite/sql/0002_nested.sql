-- Where a run was started from; NULL and '' for a run that nobody's block started.
ALTER TABLE runs ADD COLUMN parent TEXT;
ALTER TABLE runs ADD COLUMN root TEXT;
ALTER TABLE runs ADD COLUMN path TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_on_top ON runs (created_at) WHERE parent IS NULL;
CREATE INDEX runs_of_parent ON runs (parent, created_at) WHERE parent IS NOT NULL;
CREATE INDEX runs_below ON runs (root) WHERE root IS NOT NULL;
-- The list of these is read all the time, and stays short however many runs have ended.
CREATE INDEX runs_unfinished ON runs (created_at)
    WHERE status NOT IN ('succeeded', 'failed', 'rejected', 'cancelled');

-- How many runs on top have each status. Counted where the change is made, whoever makes it.
CREATE TABLE run_counts (
    status TEXT NOT NULL PRIMARY KEY,
    runs INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO run_counts (status, runs) SELECT status, count(*) FROM runs GROUP BY status;
CREATE TRIGGER run_added AFTER INSERT ON runs WHEN new.parent IS NULL
BEGIN
    INSERT INTO run_counts (status, runs) VALUES (new.status, 1)
        ON CONFLICT (status) DO UPDATE SET runs = runs + 1;
END;
CREATE TRIGGER run_moved AFTER UPDATE OF status ON runs WHEN new.parent IS NULL
BEGIN
    UPDATE run_counts SET runs = runs - 1 WHERE status = old.status;
    INSERT INTO run_counts (status, runs) VALUES (new.status, 1)
        ON CONFLICT (status) DO UPDATE SET runs = runs + 1;
END;
CREATE TRIGGER run_removed AFTER DELETE ON runs WHEN old.parent IS NULL
BEGIN
    UPDATE run_counts SET runs = runs - 1 WHERE status = old.status;
END;

-- JSON; NULL: none.
ALTER TABLE checkpoints ADD COLUMN metadata BLOB;

-- With its state in it: open pauses can then be counted from the index alone.
DROP INDEX pauses_open;
CREATE INDEX pauses_open ON pauses (state, deadline) WHERE state = 0;

-- codec: as of vals. crc is of the body as it stands here.
ALTER TABLE events ADD COLUMN codec INTEGER NOT NULL DEFAULT 0;
