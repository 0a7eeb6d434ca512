"""Ranges of tokens from a paged store, packed."""

from openpto_gym.kv_cache_gather.kernel import kv_cache_gather

__all__ = ["kv_cache_gather"]
