"""`pypto.pypto_impl`: names that kernels take from the compiled module of the toolchain."""

from openpto.language.api import ReLuType as ConvReLuType
from openpto.language.tile_shapes import TileL0Info, TileL1Info

__all__ = ["ConvReLuType", "TileL0Info", "TileL1Info"]
