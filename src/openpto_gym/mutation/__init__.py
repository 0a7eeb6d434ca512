"""Mutants: kernels of this package with one planted fault each, and which check finds it.

A mutator is a rule that changes one place of a kernel file (`mutators.py` lists them); faults that no rule reaches are
written down beside the operator (`<operator>/mutants.py`). Every mutant is linted and run on the cases of its operator;
what passes everything is an escape, unless a written reason there shows that it means the same.
"""
