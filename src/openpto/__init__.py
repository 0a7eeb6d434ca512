"""OpenPTO: an independent open implementation of PyPTO, the tile-kernel framework of Ascend NPUs.

Kernels are written against `pypto`; this package is the implementation behind it and everything that is ours
(settings, testing, tools). Its own names load on first use, so that importing one room does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from openpto._version import __version__

if TYPE_CHECKING:
    from openpto import distributed, testing
    from openpto.checks.query import TileFinding, check_tiles
    from openpto.kernel.receipt import Receipt, last_run
    from openpto.language.configuration import Settings, configure, settings
    from openpto.torch_ops import register_torch_op

__all__ = [
    "Receipt",
    "Settings",
    "TileFinding",
    "__version__",
    "check_tiles",
    "configure",
    "distributed",
    "last_run",
    "register_torch_op",
    "settings",
    "testing",
]

_HOMES = {
    "Receipt": "openpto.kernel.receipt",
    "Settings": "openpto.language.configuration",
    "TileFinding": "openpto.checks.query",
    "check_tiles": "openpto.checks.query",
    "configure": "openpto.language.configuration",
    "last_run": "openpto.kernel.receipt",
    "register_torch_op": "openpto.torch_ops",
    "settings": "openpto.language.configuration",
}


def __getattr__(name: str) -> Any:
    if name in ("distributed", "testing"):
        return import_module(f"openpto.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'openpto' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
