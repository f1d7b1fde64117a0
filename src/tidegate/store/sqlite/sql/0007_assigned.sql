-- What a person has said of whose business a question is.
ALTER TABLE pauses ADD COLUMN assigned BLOB;
