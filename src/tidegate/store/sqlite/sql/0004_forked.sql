-- The point of another run that a run goes on from: it has that run's events up to there, then its own.
ALTER TABLE runs ADD COLUMN origin TEXT;
ALTER TABLE runs ADD COLUMN origin_seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_of_origin ON runs (origin, created_at) WHERE origin IS NOT NULL;
