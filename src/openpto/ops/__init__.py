"""Operations: one declaration each, a file per family; importing this package fills the registry."""

from openpto.ops import (
    binary,
    bits,
    compare,
    composite,
    convert,
    create,
    experimental,
    indexing,
    lanes,
    matmul,
    missing,
    movement,
    padding,
    paged,
    pairs,
    power,
    promotion,
    quotient,
    random_numbers,
    reduce,
    reshaping,
    scan,
    selection,
    sort,
    statistics,
    structural,
    transcendental,
    unary,
    updates,
)
from openpto.ops.registry import OPS, OpDecl

PUBLIC: tuple[str, ...] = tuple(sorted(name for name, decl in OPS.items() if decl.public))
"""Every public operation name of the API, available or not."""

FAMILIES = (
    binary,
    bits,
    compare,
    composite,
    convert,
    create,
    experimental,
    indexing,
    lanes,
    matmul,
    missing,
    movement,
    padding,
    paged,
    pairs,
    power,
    promotion,
    quotient,
    random_numbers,
    reduce,
    reshaping,
    scan,
    selection,
    sort,
    statistics,
    structural,
    transcendental,
    unary,
    updates,
)
"""The modules that declare operations."""

__all__ = ["FAMILIES", "OPS", "PUBLIC", "OpDecl"]
