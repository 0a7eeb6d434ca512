"""What the annotation of a tensor parameter demands of its argument."""

from __future__ import annotations

from typing import Any, Literal

from openpto._records import dataclass
from openpto.ir import expr as E
from openpto.ir.dtypes import DataType
from openpto.ir.enums import StatusType, TileOpFormat
from openpto.ir.expr import Expr
from openpto.language.tensor import Tensor

DimKind = Literal["fixed", "static", "dynamic", "symbol"]


@dataclass(frozen=True, slots=True)
class DimSpec:
    """One declared extent: a fixed int, STATIC, DYNAMIC (no value), or an expression of named symbols."""

    kind: DimKind
    value: int | Expr | None = None

    @property
    def is_mark(self) -> bool:
        """Whether the entry is DYNAMIC or STATIC and so says nothing about the extent."""
        return self.kind in ("static", "dynamic")

    def __str__(self) -> str:
        return E.text(self.value) if self.value is not None else self.kind.upper()


STATIC = DimSpec("static")


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A declared tensor. ``open_ended``: more axes may follow, all STATIC (`[]`, `[..., ]`); ``dtype`` None: any."""

    dims: tuple[DimSpec, ...]
    open_ended: bool
    dtype: DataType | None
    fmt: TileOpFormat

    @property
    def has_marks(self) -> bool:
        """Whether any entry is DYNAMIC or STATIC; such a list does not fix the rank."""
        return any(d.is_mark for d in self.dims)

    def __str__(self) -> str:
        inner = ", ".join([*map(str, self.dims), *(["..."] if self.open_ended else [])])
        return f"[{inner}]"


def is_tensor_annotation(annotation: object) -> bool:
    """Whether a parameter with this annotation is a tensor parameter: an instance of Tensor, or the class."""
    return isinstance(annotation, Tensor) or (isinstance(annotation, type) and issubclass(annotation, Tensor))


def spec_of(annotation: Any) -> TensorSpec:
    """Read a tensor annotation; the bare class declares nothing."""
    if isinstance(annotation, type):
        return TensorSpec((), True, None, TileOpFormat.TILEOP_ND)
    entries = list(annotation.declared_shape)
    open_ended = not entries or entries[-1] is Ellipsis
    dims = tuple(_dim(entry) for entry in entries if entry is not Ellipsis)
    return TensorSpec(dims, open_ended, annotation.declared_dtype, annotation.format)


def _dim(entry: Any) -> DimSpec:
    if isinstance(entry, StatusType):
        return STATIC if entry is StatusType.STATIC else DimSpec("dynamic")
    symbol = getattr(entry, "expr", None)
    if isinstance(symbol, Expr):
        known = symbol.concrete()
        return DimSpec("symbol", symbol) if known is None else DimSpec("fixed", known)
    value = int(entry)
    return DimSpec("dynamic") if value == -1 else DimSpec("fixed", value)
