"""Linear attention with a corrected state that decays at a rate per column, in chunks."""

from openpto_gym.kimi_delta_attention.kernel import CHUNK, kimi_delta_attention

__all__ = ["CHUNK", "kimi_delta_attention"]
