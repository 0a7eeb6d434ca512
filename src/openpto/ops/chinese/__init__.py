"""The declarations in Chinese: every public operation by name. The English texts are the doc strings."""

from __future__ import annotations

from .comparison import COMPARISON
from .distributed import DISTRIBUTED, HELPERS
from .elementwise import BINARY, UNARY
from .indexing import INDEXING
from .products import COMPOSITES, EXPERIMENTAL, PRODUCTS, QUANTISATION, RANDOM
from .tensors import CREATION, REDUCTIONS, SHAPES, SORTING
from .text import Chinese

__all__ = ["CHINESE", "Chinese"]

CHINESE: dict[str, Chinese] = {
    name: text
    for family in (
        UNARY, BINARY, COMPARISON, REDUCTIONS, CREATION, SHAPES, INDEXING, SORTING, PRODUCTS, QUANTISATION, RANDOM,
        COMPOSITES, EXPERIMENTAL, DISTRIBUTED, HELPERS,
    )
    for name, text in family.items()
}  # fmt: skip
