"""PyPTO: the API that tile kernels are written against, implemented by OpenPTO."""

import os

from openpto import _install
from openpto._version import API_LEVEL

_install.check(own=os.path.dirname(os.path.dirname(__file__)))

__version__ = API_LEVEL

__all__ = ["__version__"]
