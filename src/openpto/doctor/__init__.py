"""`pypto doctor`: what is installed, what runs kernels and why, what is wrong with it, and what to do.

A file per subject, each a function that returns a `Section`. Of the other rooms only `diagnostics` is imported at the
top: the doctor has to speak where numpy cannot be loaded.
"""
