"""Readable definitions of what the fast core computes: to be read, and to be tested against."""
