"""The linter: rules over the text of kernel files. Nothing of a file is imported or executed.

A file is parsed, its imports and functions are collected (modules.py, functions.py), and every kernel is walked with
what its text tells of the values (walk.py, values.py). Rules (rules/) are asked where something happens (hooks.py);
their texts are in the registry of diagnostics like those of all others.
"""
