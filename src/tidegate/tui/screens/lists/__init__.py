"""The modes that list something: rows that are filtered, ordered and marked, with a preview beside them."""
