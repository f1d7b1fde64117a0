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
    " owner, lease_until, status, summary, parent, root, path, link, change_no)"
    " VALUES (" + _NEXT_RUN + ", :run_id, :workflow, :definition, :at, :at, :head, :by, :epoch,"
    " :owner, :until, :status, :summary, :parent, :root, :path, :link, " + _NEXT_CHANGE + ")"
)
MOVE_HEAD: Final = (
    "UPDATE runs SET head = ?, link = ?, updated_at = ?, summary = ?, change_no = "
    + _NEXT_CHANGE
    + " WHERE run_no = ?"
)
# By itself, and only where it changes: it is in an index and it is counted, which most appends need not pay for.
SET_STATUS: Final = "UPDATE runs SET status = ? WHERE run_no = ?"
ADD_EVENT: Final = "INSERT INTO events (id, at, codec, body, link) VALUES (?, ?, ?, ?, ?)"

KEEP_DEFINITION: Final = (
    "INSERT OR IGNORE INTO definitions (hash, name, body, source, created_at) VALUES (?, ?, ?, ?, ?)"
)
HAS_VALUE: Final = "SELECT 1 FROM vals WHERE sha256 = ?"
USE_VALUE: Final = "INSERT OR IGNORE INTO value_uses (run_no, sha256) VALUES (?, ?)"
ADD_VALUE: Final = "INSERT OR IGNORE INTO vals (sha256, codec, data) VALUES (?, ?, ?)"

OPEN_PAUSE: Final = (
    "INSERT INTO pauses (pause_id, run_no, block, attempt, prompt, opened_at, opened_seq, deadline)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
CLOSE_PAUSE: Final = (
    "UPDATE pauses SET state = ?, closed_at = ?, answer = ? WHERE pause_id = ? AND run_no = ? AND state = 0"
)
CLOSE_PAUSES: Final = "UPDATE pauses SET state = 3, closed_at = ? WHERE run_no = ? AND state = 0"
SET_DEADLINE: Final = "UPDATE pauses SET deadline = ? WHERE pause_id = ? AND run_no = ? AND state = 0"
ADD_CHECKPOINT: Final = (
    "INSERT INTO checkpoints (checkpoint_id, run_no, seq, kind, created_at, block, label, summary,"
    " metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

DROP_CHECKPOINTS: Final = "DELETE FROM checkpoints WHERE run_no = ?"
FIND_CHECKPOINT: Final = (
    "SELECT c.run_no, r.run_id, p.state FROM checkpoints c JOIN runs r USING (run_no)"
    " LEFT JOIN pauses p ON p.pause_id = c.checkpoint_id WHERE c.checkpoint_id = ?"
)
DROP_CHECKPOINT: Final = "DELETE FROM checkpoints WHERE checkpoint_id = ?"
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
    "INSERT OR REPLACE INTO output (run_no, block, attempt, n, stream, start, codec, data)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
