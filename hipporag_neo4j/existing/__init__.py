"""Retrieval over a graph that others made and keep: nothing of theirs is written."""
