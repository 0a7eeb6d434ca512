"""Linear attention with a corrected state, token by token, with states in slots."""

from openpto_gym.recurrent_delta_rule.kernel import recurrent_delta_rule

__all__ = ["recurrent_delta_rule"]
