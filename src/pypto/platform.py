"""`pypto.platform`: which architecture kernels are held to."""

from typing import Any

from openpto.language.configuration import settings

_ARCHITECTURES = {"910B": "DAV_2201", "910C": "DAV_2201", "950": "DAV_3510"}


def __getattr__(name: str) -> Any:
    if name == "npuarch":  # follows `openpto.configure(platform=...)`; the 910 family where none is chosen
        return _ARCHITECTURES[settings().platform or "910B"]
    raise AttributeError(f"module 'pypto.platform' has no attribute {name!r}")
