"""`python -m openpto.cli`: the `pypto` command of this interpreter, whatever is on the path."""

from openpto.cli import main

main()
