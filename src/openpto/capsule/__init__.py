"""A kernel taken out of its program: its text with all that it uses as one file, its arguments as plain data, and other
interpreters that run such calls."""
