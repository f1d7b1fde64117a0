-- The checksum of a chunk, over its place and what is stored of it; NULL: it was written before there was one.
ALTER TABLE output ADD COLUMN crc INTEGER;
