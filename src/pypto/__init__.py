"""PyPTO: the API that tile kernels are written against, implemented by OpenPTO."""

# ruff: noqa: E402 - an installation that cannot work says so before anything else is loaded
import os

from openpto import _install
from openpto._version import API_LEVEL

_install.check(own=os.path.dirname(os.path.dirname(__file__)))

from openpto.kernel import api as _kernel
from openpto.kernel.api import *  # noqa: F403 - kernels and their runs
from openpto.language import api as _language
from openpto.language.api import *  # noqa: F403 - operations, dtypes, enumerations, settings
from pypto import distributed as distributed
from pypto import error as error
from pypto import experimental as experimental
from pypto import frontend as frontend
from pypto import logging as logging
from pypto import operation as operation
from pypto import platform as platform
from pypto import pypto_impl as pypto_impl
from pypto import runtime as runtime
from pypto import symbolic_scalar as symbolic_scalar

__version__ = API_LEVEL

_GROUPS = ["distributed", "error", "experimental", "frontend", "platform"]

__all__ = ["__version__", *_GROUPS, *dict.fromkeys([*_language.__all__, *_kernel.__all__])]
