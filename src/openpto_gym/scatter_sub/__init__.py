"""Rows subtracted from a table at given indices."""

from openpto_gym.scatter_sub.kernel import scatter_sub

__all__ = ["scatter_sub"]
