"""Facts of the Ascend chips, and the sizes of tiles that follow from them."""

from openpto.device.capacity import (
    BLOCK,
    MX_SCALES,
    CubeUse,
    TileBuffer,
    align,
    cube_demands,
    cube_step,
    documented_l1,
    scale_demands,
    tile_of,
    vector_bytes,
    vector_demand,
)
from openpto.device.chips import CHIPS, Chip, chip_name, chips_of
from openpto.device.memory import KIB, Demand, Piece, compared, size_text
from openpto.device.scratch import VectorUse, documented_bytes, least_bytes, scratch_bytes

__all__ = [
    "BLOCK",
    "CHIPS",
    "KIB",
    "MX_SCALES",
    "Chip",
    "CubeUse",
    "Demand",
    "Piece",
    "TileBuffer",
    "VectorUse",
    "align",
    "chip_name",
    "chips_of",
    "compared",
    "cube_demands",
    "cube_step",
    "documented_bytes",
    "documented_l1",
    "least_bytes",
    "scale_demands",
    "scratch_bytes",
    "size_text",
    "tile_of",
    "vector_bytes",
    "vector_demand",
]
