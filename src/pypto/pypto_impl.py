"""`pypto.pypto_impl`: names that kernels take from the compiled module of the toolchain."""

from openpto.language.tile_shapes import TileL0Info, TileL1Info

__all__ = ["TileL0Info", "TileL1Info"]
