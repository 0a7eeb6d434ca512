"""The report of `pypto gym run --html`: one file without external resources, the same bytes for the same results."""
