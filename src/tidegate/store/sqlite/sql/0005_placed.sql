-- Checkpoints that a person has placed, of which the journal knows nothing; and what a person calls one that it
-- knows. NULL: nothing else than the journal does.
ALTER TABLE checkpoints ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkpoints ADD COLUMN new_label TEXT;
DROP INDEX checkpoints_of_run;
CREATE INDEX checkpoints_of_run ON checkpoints (run_no, pinned, kind, placed, new_label);
