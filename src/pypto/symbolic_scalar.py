"""`pypto.symbolic_scalar`: the class under its other spelling, also where it is imported like a module."""

import sys
from typing import Any, cast

from openpto.language.symbolic import SymbolicScalar

SymbolicScalar.SymbolicScalar = SymbolicScalar  # type: ignore[attr-defined]
# for `from pypto.symbolic_scalar import SymbolicScalar`

sys.modules[__name__] = cast(Any, SymbolicScalar)
