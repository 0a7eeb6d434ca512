"""Windows of the input of a convolution."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from openpto.ir.nodes import Op
from openpto.ops.convolution import Geometry

from . import regions
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Region
from .tiles import Array, Tile, framed, tile


@impl("windows")
def windows(m: Machine, op: Op) -> Tile:
    """Every element that a kernel position meets at an output position; zeros, which are defined, in the padding."""
    source = m.read(op.operands[0])
    shape = Geometry(*op.attrs["shape"])
    body = _gathered(source.body, shape, op.attrs["spatial"], 0)
    defined: Region = FULL
    if source.defined is not None:
        mask = _gathered(regions.to_mask(source.defined, source.valid), shape, op.attrs["spatial"], True)
        defined = regions.from_mask(mask)
    return tile(framed(body, m.shape(result_of(op).type)), body.shape, defined)


def _gathered(x: Array, shape: Geometry, spatial: tuple[int, ...], outside: int) -> Array:
    batch, channels = x.shape[:2]
    padded = np.pad(x, [(0, 0), (0, 0), *shape.paddings], constant_values=outside)
    part = channels // shape.groups
    out = np.empty((batch, shape.groups, part, *shape.kernel, *spatial), x.dtype)
    for position in product(*map(range, shape.kernel)):
        window = tuple(
            slice(p * d, p * d + n * s, s)
            for p, d, n, s in zip(position, shape.dilations, spatial, shape.strides, strict=True)
        )
        values = padded[(slice(None), slice(None), *window)]
        goal: tuple[Any, ...] = (slice(None), slice(None), slice(None), *position)
        out[goal] = values.reshape(batch, shape.groups, part, *spatial)
    return out.reshape(batch, shape.groups, part * int(np.prod(shape.kernel)), int(np.prod(spatial)))
