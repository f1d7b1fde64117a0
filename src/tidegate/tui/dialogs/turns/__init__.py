"""The dialogs that start a run, fork it, or turn its course: what would come of it, and then once more whether to."""
