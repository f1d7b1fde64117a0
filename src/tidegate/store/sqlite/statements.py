"""Every statement that writes, and the look-ups that decide whether to.

A change gets the next number of one sequence. Commits are serial, so the numbers follow the
order of commits; they are read from an index, because a counter row would be one more page to
write per commit.
"""

# ruff: noqa: S608  # what is joined here are constants; values are always bound

from typing import Final

_NEXT_CHANGE: Final = (
    "(SELECT 1 + max(coalesce((SELECT max(change_no) FROM runs), 0), value)"
    " FROM meta WHERE name = 'change_floor')"
)

# Never that of a removed run whose events may still be there.
_NEXT_RUN: Final = "(SELECT 1 + max(coalesce((SELECT max(run_no) FROM runs), 0), coalesce((SELECT max(run_no) FROM graves), 0)))"

FIND_RUN: Final = "SELECT run_no, head, epoch, status, link FROM runs WHERE run_id = ?"

ADD_RUN: Final = (
    "INSERT INTO runs (run_no, run_id, workflow, definition, created_at, updated_at, head, started_by, epoch,"
    " owner, lease_until, status, summary, parent, root, path, origin, origin_seq, link, change_no)"
    " VALUES (" + _NEXT_RUN + ", :run_id, :workflow, :definition, :began_at, :at, :head, :by, :epoch,"
    " :owner, :until, :status, encrypted(:summary), :parent, :root, :path, :origin, :origin_seq, :link, "
    + _NEXT_CHANGE
    + ")"
)
MOVE_HEAD: Final = (
    "UPDATE runs SET head = ?, link = ?, updated_at = ?, summary = encrypted(?), change_no = "
    + _NEXT_CHANGE
    + " WHERE run_no = ?"
)
# By itself, and only where it changes: it is in an index and it is counted, which most appends need not pay for.
SET_STATUS: Final = "UPDATE runs SET status = ? WHERE run_no = ?"
ADD_EVENT: Final = "INSERT INTO events (id, at, codec, body, link) VALUES (?, ?, ?, ?, ?)"

KEEP_DEFINITION: Final = (
    "INSERT INTO definitions (hash, name, body, source, created_at) VALUES (?, ?, encrypted(?), encrypted(?), ?)"
    # Texts that mean the same may differ: the first one is kept. A run that a block starts has none.
    " ON CONFLICT (hash) DO UPDATE SET source = excluded.source WHERE source = '' AND excluded.source <> ''"
)
HAS_VALUE: Final = "SELECT 1 FROM vals WHERE sha256 = ?"
USE_VALUE: Final = "INSERT OR IGNORE INTO value_uses (run_no, sha256) VALUES (?, ?)"
ADD_VALUE: Final = "INSERT OR IGNORE INTO vals (sha256, codec, data) VALUES (?, ?, encrypted(?))"

OPEN_PAUSE: Final = (
    "INSERT INTO pauses (pause_id, run_no, block, attempt, prompt, opened_at, opened_seq, deadline, assigned)"
    " VALUES (?, ?, ?, ?, encrypted(?), ?, ?, ?, encrypted(?))"
)
CLOSE_PAUSE: Final = "UPDATE pauses SET state = ?, closed_at = ?, answer = encrypted(?) WHERE pause_id = ? AND run_no = ? AND state = 0"
CLOSE_PAUSES: Final = "UPDATE pauses SET state = 3, closed_at = ? WHERE run_no = ? AND state = 0"
KEEP_ANSWER: Final = "INSERT OR REPLACE INTO secrets (pause_id, run_no, data) VALUES (?, ?, encrypted(?))"
FORGET_ANSWERS: Final = "DELETE FROM secrets WHERE run_no = ?"
ASSIGN_PAUSE: Final = (
    "UPDATE pauses SET assigned = encrypted(?) WHERE pause_id = ? AND run_no = ? AND state = 0"
)
SET_DEADLINE: Final = "UPDATE pauses SET deadline = ? WHERE pause_id = ? AND run_no = ? AND state = 0"
ADD_CHECKPOINT: Final = (
    "INSERT INTO checkpoints (checkpoint_id, run_no, seq, kind, created_at, block, label, summary,"
    " metadata) VALUES (?, ?, ?, ?, ?, ?, ?, encrypted(?), encrypted(?))"
)

# What somebody has pinned or placed outlives a run that discards the rest.
DROP_CHECKPOINTS: Final = "DELETE FROM checkpoints WHERE run_no = ? AND pinned = 0 AND placed = 0"
FIND_CHECKPOINT: Final = (
    "SELECT c.run_no, r.run_id, p.state, c.pinned FROM checkpoints c JOIN runs r USING (run_no)"
    " LEFT JOIN pauses p ON p.pause_id = c.checkpoint_id WHERE c.checkpoint_id = ?"
)
DROP_CHECKPOINT: Final = "DELETE FROM checkpoints WHERE checkpoint_id = ?"
PIN_CHECKPOINT: Final = "UPDATE checkpoints SET pinned = ? WHERE checkpoint_id = ?"
# One that a person placed has no other label than a person's.
LABEL_CHECKPOINT: Final = (
    "UPDATE checkpoints SET label = CASE placed WHEN 1 THEN coalesce(:label, '') ELSE label END,"
    " new_label = CASE placed WHEN 1 THEN NULL ELSE :label END WHERE checkpoint_id = :checkpoint_id"
)
PLACE_CHECKPOINT: Final = (
    "INSERT INTO checkpoints (checkpoint_id, run_no, seq, kind, created_at, label, summary, metadata, placed)"
    " VALUES (:checkpoint_id, :run_no, :seq, :kind, :at, :label, encrypted(:summary), encrypted(:metadata), 1)"
)
# What a person has placed or labelled goes when a person says so. no, not created_at: the clock may step.
TRIM_CHECKPOINTS: Final = (
    "DELETE FROM checkpoints WHERE no IN (SELECT c.no FROM checkpoints c"
    " WHERE c.run_no = ? AND c.pinned = 0 AND c.placed = 0 AND c.new_label IS NULL AND (c.kind <> 'pause' OR (? AND EXISTS"
    " (SELECT 1 FROM pauses p WHERE p.pause_id = c.checkpoint_id AND p.state <> 0)))"
    " ORDER BY c.no DESC LIMIT ? OFFSET ?)"
)
TOUCH_RUN: Final = "UPDATE runs SET change_no = " + _NEXT_CHANGE + " WHERE run_no = ?"

FIND_LEASE: Final = "SELECT head, epoch, owner, lease_until FROM runs WHERE run_id = ?"
TAKE_LEASE: Final = (
    "UPDATE runs SET epoch = ?, owner = ?, lease_until = ?, change_no = " + _NEXT_CHANGE + " WHERE run_id = ?"
)
EXTEND_LEASE: Final = "UPDATE runs SET lease_until = ? WHERE run_id = ? AND owner <> ''"
GIVE_BACK_LEASE: Final = (
    "UPDATE runs SET owner = '', lease_until = 0, change_no = "
    + _NEXT_CHANGE
    + " WHERE run_id = ? AND epoch = ? AND head = ?"
)
END_LEASE: Final = "UPDATE runs SET owner = '', lease_until = 0 WHERE run_no = ?"

DROP_OUTPUT: Final = "DELETE FROM output WHERE run_no = ? AND block = ? AND attempt = ? AND n >= ? AND n < ?"
ADD_OUTPUT: Final = (
    "INSERT OR REPLACE INTO output (run_no, block, attempt, n, stream, start, at, codec, data, crc)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

# -- removal ----------------------------------------------------------------------------------

FIND_ROOT: Final = "SELECT root FROM runs WHERE run_id = ?"
FIND_DRIVER: Final = "SELECT owner, lease_until FROM runs WHERE run_no = ?"
FIND_TREE: Final = (
    "SELECT run_no, run_id, definition, status, updated_at, workflow FROM runs WHERE run_id = :run_id"
    " UNION ALL SELECT run_no, run_id, definition, status, updated_at, workflow FROM runs WHERE root = :run_id"
)
FIND_PINNED: Final = (
    "SELECT checkpoint_id FROM checkpoints WHERE pinned = 1 AND run_no IN"
    " (SELECT run_no FROM runs WHERE run_id = :run_id UNION ALL SELECT run_no FROM runs WHERE root = :run_id)"
    " LIMIT 1"
)
_TREE: Final = (
    "(SELECT run_id FROM runs WHERE run_id = :run_id UNION ALL SELECT run_id FROM runs WHERE root = :run_id)"
)
FIND_FORK: Final = (
    f"SELECT run_id, origin, origin_seq FROM runs WHERE origin IN {_TREE} AND run_id NOT IN {_TREE} LIMIT 1"
)
FIND_GOING: Final = "SELECT run_no, run_id, definition FROM runs WHERE run_id = ?"
HAS_RUN: Final = "SELECT 1 FROM runs WHERE run_id = ?"
RUNS_BELOW: Final = "SELECT run_no, run_id, definition FROM runs WHERE root = ? LIMIT ?"
COUNT_ROWS: Final = (
    "SELECT (SELECT count(*) FROM pauses WHERE run_no = :run_no)"
    " + (SELECT count(*) FROM checkpoints WHERE run_no = :run_no)"
)

NEXT_CHANGE: Final = "SELECT " + _NEXT_CHANGE
# Nothing gets this number any more, also when the grave is forgotten.
RAISE_FLOOR: Final = "UPDATE meta SET value = ? WHERE name = 'change_floor'"
DIG_GRAVE: Final = "INSERT INTO graves (run_no, run_id, change_no, removed_at) VALUES (?, ?, ?, ?)"
NOTE_REMOVAL: Final = (
    "INSERT OR IGNORE INTO removals (no, run_id, workflow, status, ended_at, removed_at, runs, removed_by, why)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
NEXT_REMOVAL: Final = "SELECT 1 + coalesce(max(no), 0) FROM removals"
FORGET_REMOVALS: Final = "DELETE FROM removals WHERE no <= (SELECT max(no) FROM removals) - ?"
# Their pauses and checkpoints go with them.
DROP_RUN: Final = "DELETE FROM runs WHERE run_no = ?"
DROP_DEFINITION: Final = (
    "DELETE FROM definitions WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE definition = hash)"
)

NEXT_GRAVE: Final = "SELECT run_no, run_id, removed_at FROM graves WHERE emptied = 0 ORDER BY run_no LIMIT 1"
GRAVE_EMPTIED: Final = "UPDATE graves SET emptied = 1 WHERE run_no = ?"
FORGET_GRAVES: Final = (
    "DELETE FROM graves WHERE run_no IN"
    " (SELECT run_no FROM graves WHERE emptied = 1 AND removed_at < ? LIMIT ?)"
)

SIZES_OF_EVENTS: Final = (
    "SELECT id, length(body) FROM events WHERE id >= ? << 32 AND id < (? + 1) << 32 ORDER BY id LIMIT ?"
)
DROP_EVENT: Final = "DELETE FROM events WHERE id = ?"
SIZES_OF_OUTPUT: Final = "SELECT rowid, length(data) FROM output WHERE run_no = ? LIMIT ?"
DROP_CHUNK: Final = "DELETE FROM output WHERE rowid = ?"
# Of a value that another run uses nothing is freed.
SIZES_OF_VALUES: Final = (
    "SELECT u.sha256, CASE WHEN EXISTS"
    " (SELECT 1 FROM value_uses x WHERE x.sha256 = u.sha256 AND x.run_no <> u.run_no) THEN 0"
    " ELSE coalesce(length(v.data), 0) END"
    " FROM value_uses u LEFT JOIN vals v USING (sha256) WHERE u.run_no = ? LIMIT ?"
)
DROP_USE: Final = "DELETE FROM value_uses WHERE run_no = ? AND sha256 = ?"
DROP_VALUE: Final = (
    "DELETE FROM vals WHERE sha256 = ?"
    " AND NOT EXISTS (SELECT 1 FROM value_uses u WHERE u.sha256 = vals.sha256)"
)

FIND_CLEAN_UP: Final = "SELECT value FROM meta WHERE name = 'cleaned_up_at'"
NOTE_CLEAN_UP: Final = (
    "INSERT INTO meta (name, value) VALUES ('cleaned_up_at', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
