"""Facts of the Ascend chips, and the sizes of tiles that follow from them."""

from openpto.device.capacity import CubeNeed, TileBuffer, align, cube_need, tile_of, vector_bytes
from openpto.device.chips import CHIPS, Chip, chips_of
from openpto.device.scratch import VectorUse, least_bytes, scratch_bytes

__all__ = [
    "CHIPS",
    "Chip",
    "CubeNeed",
    "TileBuffer",
    "VectorUse",
    "align",
    "chips_of",
    "cube_need",
    "least_bytes",
    "scratch_bytes",
    "tile_of",
    "vector_bytes",
]
