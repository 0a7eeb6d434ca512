"""The two version numbers: ours, and the level of the API that kernels are written against."""

__version__ = "0.1.0.dev0"
API_LEVEL = "0.3.0"
