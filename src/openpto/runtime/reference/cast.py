"""Casts of numpy arrays; the rules are those of ``openpto.ops.math.conversion``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy
from openpto.ir.enums import CastMode, SaturationMode
from openpto.ops.math.conversion import cast_expression

from .evaluate import evaluate


def cast(
    x: NDArray[Any],
    target: DataType,
    mode: CastMode = CastMode.CAST_NONE,
    saturation: SaturationMode = SaturationMode.OFF,
) -> NDArray[Any]:
    """``x`` as a new array of ``target``'s host type.

    Raises:
        TypeError: there is no cast between these types.
    """
    source = from_numpy(x.dtype)
    if source is None:
        raise TypeError(f"element type {x.dtype} has no counterpart")
    return evaluate(cast_expression(source, target, mode, saturation), [np.asarray(x)])
