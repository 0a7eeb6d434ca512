"""OpenPTO: an independent open implementation of PyPTO, the tile-kernel framework of Ascend NPUs.

Kernels are written against `pypto`; this package is the implementation behind it and everything that is ours
(settings, testing, tools). Its own names load on first use, so that importing one room does not load the others.
"""

from openpto._version import __version__

__all__ = ["__version__"]
