"""The guide: leaves that lead from a situation to its cure, and the search that `pypto explain` answers with."""
