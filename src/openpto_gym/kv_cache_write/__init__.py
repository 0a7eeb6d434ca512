"""Keys and values of new tokens into a paged store."""

from openpto_gym.kv_cache_write.kernel import kv_cache_write

__all__ = ["kv_cache_write"]
