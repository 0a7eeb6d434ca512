"""PyPTO: the API that tile kernels are written against, implemented by OpenPTO."""

from openpto._version import API_LEVEL

__version__ = API_LEVEL

__all__ = ["__version__"]
