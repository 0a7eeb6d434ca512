"""Means of windows of images."""

from openpto_gym.avg_pool2d.kernel import avg_pool2d

__all__ = ["avg_pool2d"]
