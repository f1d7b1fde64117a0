-- When a block wrote what it wrote; 0: before this was noted. And what was answered last, without reading all of it.
ALTER TABLE output ADD COLUMN at REAL NOT NULL DEFAULT 0;
CREATE INDEX pauses_closed ON pauses (closed_at) WHERE state <> 0;
