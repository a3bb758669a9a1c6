"""The command line: a verb file parses, calls one job, prints."""
