"""Tokens in the order of their experts."""

from openpto_gym.moe_dispatch.kernel import moe_dispatch

__all__ = ["moe_dispatch"]
