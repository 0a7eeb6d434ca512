"""The tokens that a query of sparse attention sees, by weighted scores of small heads."""

from openpto_gym.lightning_indexer.kernel import lightning_indexer

__all__ = ["lightning_indexer"]
