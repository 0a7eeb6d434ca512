"""Operators written with `pypto`, each in a folder of its own: kernel, golden, cases and README."""
