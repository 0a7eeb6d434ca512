"""``Tensor``: a declaration outside of kernels, a tensor of the program inside.

A tensor of the program is a handle on an ``ir.trace.Var``; all handles of one Var are one object for the author. The
result of ``reshape(inplace=True)`` is a handle with another shape on the memory of its base: it reads by recording a
reshape of the base, and writes by recording the reshape back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from openpto.diagnostics import T, current_site, fail, user_boundary
from openpto.diagnostics.source import printable
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.enums import CachePolicy, StatusType, TileOpFormat
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import TileType
from openpto.ir.trace import Trace, Var, current
from openpto.ops import movement, reshaping

from . import libraries
from .faults import known_integers
from .symbolic import SymbolicScalar, refuse_no_value, to_dim

Declared = tuple[Any, ...]


class Tensor:
    """A tensor: ``Tensor(shape, dtype, name, format)``.

    Outside a kernel, or with DYNAMIC, STATIC, -1 or ``...`` in its shape, it is a declaration (an annotation). Inside a
    kernel ``Tensor([rows, cols], dtype)`` declares a local without contents; its extents may be symbols.

    Args:
        shape: list of ints, symbols and marks; empty: whatever it is given.
        dtype: element type; FP32 for a local, unchecked in an annotation, if left out.
        name: for messages.
        format: layout mark; ``TILEOP_ND`` if left out.
        data_ptr, device, ori_shape: accepted for compatibility, recorded only.

    Raises:
        TypeError: the shape is no list of ints and symbols, or dtype is no DataType.
        ValueError: a negative extent ("Invalid shape").

    Example::

        tile = pypto.Tensor([16, 16], pypto.DT_FP32, "tile")
    """

    __slots__ = ("_base", "_cache", "_declared", "_dtype", "_format", "_name", "_shape", "_var", "extra")
    _var: Var | None
    _base: Tensor | None
    _declared: Declared
    _dtype: DataType | None
    _format: TileOpFormat
    _name: str
    _shape: tuple[Dim, ...]
    _cache: dict[CachePolicy, bool]
    extra: dict[str, Any]
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy leaves operators between its arrays and tensors to us
    __array_function__ = libraries.array_function
    __torch_function__: Any = classmethod(libraries.torch_function)
    __array__ = libraries.array
    _is_pypto_tensor = True

    if TYPE_CHECKING:  # indexing.py, operators.py and functions.py give these
        __getitem__: Any
        __setitem__: Any
        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __floordiv__: Any
        __mod__: Any
        __pow__: Any
        __matmul__: Any
        __neg__: Any
        __pos__: Any
        __lt__: Any
        __le__: Any
        __gt__: Any
        __ge__: Any

        def __getattr__(self, name: str) -> Any: ...

    @user_boundary()
    def __init__(
        self,
        shape: Any = None,
        dtype: DataType | None = None,
        name: str = "",
        format: TileOpFormat | None = None,
        data_ptr: int | None = None,
        device: Any = None,
        ori_shape: Any = None,
    ) -> None:
        entries = _entries(shape)
        if dtype is not None and not isinstance(dtype, DataType):
            got = type(dtype).__name__
            fail(
                "PTO269",
                why=T(f"dtype must be a pypto DataType, got {got}", f"dtype 必须是 pypto 的 DataType，但得到 {got}"),
            )
        self._clear()
        self._declared, self._dtype, self._name = entries, dtype, str(name)
        self._format = TileOpFormat.TILEOP_ND if format is None else TileOpFormat(format)
        self.extra = {"data_ptr": data_ptr, "device": device, "ori_shape": ori_shape}
        trace = current()
        if trace is not None and not any(_is_mark(entry) for entry in entries):
            self._var = _local(trace, tuple(map(to_dim, entries)), dtype or DataType.DT_FP32, self._format, self._name)

    def _clear(self) -> None:
        self._declared, self._dtype, self._name = (), None, ""
        self._format = TileOpFormat.TILEOP_ND
        self._var, self._base, self._shape = None, None, ()
        self._cache, self.extra = {}, {}

    @classmethod
    def of(cls, var: Var) -> Tensor:
        """A handle on a tensor of the program."""
        self = object.__new__(cls)
        self._clear()
        self._var = var
        return self

    @classmethod
    def alias(cls, base: Tensor, shape: tuple[Dim, ...]) -> Tensor:
        """Another name, with this shape, of the memory of ``base``."""
        self = object.__new__(cls)
        self._clear()
        self._base, self._shape = base, shape
        return self

    @user_boundary()
    def __class_getitem__(cls, items: Any) -> Tensor:
        """``Tensor[[rows, cols], DT_FP32]``: the annotation form; the parts are told apart by their types."""
        return cls(**_subscript(items if isinstance(items, tuple) else (items,)))

    # -- the tensor of the program ---------------------------------------------------------------------------------

    @property
    def cell(self) -> Var:
        """The Var to read at this point; for an in-place reshape the base as it is now, reshaped."""
        if self._base is not None:
            return reshaping.reshaped(self._base.cell, self._shape, None)
        if self._var is None:
            fail("PTO221", name=self._name or "a Tensor")
        return self._var

    @property
    def base(self) -> Tensor | None:
        """The tensor whose memory this one shares under another shape, or None."""
        return self._base

    @property
    def is_declaration(self) -> bool:
        """Whether this only describes a tensor (an annotation)."""
        return self._var is None and self._base is None

    @property
    def memory(self) -> Var:
        """The Var whose contents this tensor is a name of; unlike ``cell`` this records nothing."""
        return self._base.memory if self._base is not None else self.cell

    def written(self, contents: Var) -> None:
        """Take ``contents``, a changed state of what ``cell`` gave, back into the shared memory."""
        if self._base is None:
            return
        target = self._base.cell
        back = reshaping.reshaped(contents, target.type.shape, None)
        movement.move(back, target)
        self._base.written(target)

    # -- attributes ------------------------------------------------------------------------------------------------

    @property
    def declared_shape(self) -> Declared:
        """The shape as it was written, marks included."""
        return self._declared

    @property
    def declared_dtype(self) -> DataType | None:
        """The dtype as it was written; None if it was left out."""
        return self._dtype

    @property
    def shape(self) -> list[Any]:
        """Extents: ints, and SymbolicScalars where they are known only at run time. A declaration shows its marks."""
        if self.is_declaration:
            return list(self._declared)
        return [d if isinstance(d, int) else SymbolicScalar.of(d) for d in self.type.shape]

    @property
    def valid_shape(self) -> list[SymbolicScalar]:
        """Meaningful extents, all as SymbolicScalars."""
        if self.is_declaration:
            return [SymbolicScalar.of(to_dim(d)) for d in self._declared]
        return [SymbolicScalar.of(d) for d in self.cell.valid]

    @property
    def type(self) -> TileType:
        """Shape, dtype and layout as they are now."""
        if self._base is not None:
            inner = self._base.type
            return TileType(self._shape, inner.dtype, inner.fmt)
        return self.cell.type

    @property
    def dim(self) -> int:
        """Number of axes."""
        return len(self._declared) if self.is_declaration else self.type.rank

    @property
    def dtype(self) -> DataType:
        """Element type."""
        return self._dtype or DataType.DT_FP32 if self.is_declaration else self.type.dtype

    @property
    def format(self) -> TileOpFormat:
        """Layout mark."""
        return self._format if self.is_declaration else self.type.fmt

    @property
    def id(self) -> int:
        """A number that tells tensors of a kernel apart."""
        return -1 if self.is_declaration else self.memory.uid

    @property
    def name(self) -> str:
        """Name for messages; may be set."""
        return self._name if self.is_declaration or self._base is not None else self.cell.name

    @name.setter
    def name(self, value: str) -> None:
        self._name = str(value)
        if self._var is not None:
            self._var.name = str(value)

    def is_empty(self) -> bool:
        """Whether the tensor has no storage: a declaration, or a local without shape that nothing was moved into."""
        return self.is_declaration or not self.type.shape

    def set_cache_policy(self, policy: CachePolicy, value: bool) -> None:
        """Record an L2 hint; it has no effect on results."""
        self._cache[CachePolicy(policy)] = bool(value)

    def get_cache_policy(self, policy: CachePolicy) -> bool:
        """The L2 hint, False unless it was set."""
        return self._cache.get(CachePolicy(policy), False)

    def __repr__(self) -> str:
        if self.is_declaration:
            return f"Tensor({list(self._declared)}, {self.dtype})"
        shape = ", ".join(ex.text(d) for d in self.type.shape)
        return f"Tensor([{shape}], {self.dtype}{f', {self.name!r}' if self.name else ''})"

    # -- writing ---------------------------------------------------------------------------------------------------

    @user_boundary()
    def move(self, source: Any) -> None:
        """``self[:] = source``: take over its valid region, on a parameter; else also its shape and dtype.

        Raises:
            TypeError: ``source`` is no Tensor ("type cannot be moved to Tensor").
            RuntimeError: on a parameter: another dtype, or another number of elements.
        """
        if not isinstance(source, Tensor):
            refuse_no_value(source)
            fail("PTO246", got=type(source).__name__)
        with known_integers():
            self.take(source.cell)

    def take(self, contents: Var) -> None:
        """Replace the contents; of an in-place reshape those of the memory, under its own shape."""
        if self._base is None:
            movement.move(contents, self.cell)
        else:
            self.written(contents)

    def copy(self, name: str = "") -> Tensor:
        """A new local of the same shape, dtype and format, without contents."""
        return Tensor(self.shape, self.dtype, name, self.format)

    # -- what Python asks ------------------------------------------------------------------------------------------

    @user_boundary()
    def __iter__(self) -> Iterator[Any]:
        fail("PTO257", shape=list(self.shape))

    def __contains__(self, item: object) -> bool:
        return _no_protocol(
            T(
                "'in' needs values now, and a Tensor has none while the kernel is traced",
                "'in' 此刻就需要数值，而追踪 kernel 时 Tensor 没有数值",
            )
        )

    def __len__(self) -> int:
        return _no_protocol(
            T(
                "object of type 'Tensor' has no len(); use t.shape[0]",
                "object of type 'Tensor' has no len()；请使用 t.shape[0]",
            )
        )

    def __delitem__(self, key: object) -> NoReturn:
        _no_protocol(
            T(
                "Delete target must be a name: elements of a Tensor cannot be deleted",
                "Delete target must be a name：不能删除 Tensor 的元素",
            )
        )

    @user_boundary()
    def __bool__(self) -> bool:
        fail("PTO259", shape=list(self.shape))

    def __int__(self) -> int:
        return _no_protocol(
            T(
                "int() needs a number now; read one element with t[i, j]",
                "int() 此刻就需要数值；请用 t[i, j] 读取一个元素",
            )
        )

    def __float__(self) -> float:
        return libraries.refuse_float(list(self.shape))


@user_boundary()
def _no_protocol(why: T) -> NoReturn:
    fail("PTO258", why=why, instead=T("use t.shape, windows and operations", "请使用 t.shape、窗口和操作"))


# -- arguments of the constructor ----------------------------------------------------------------------------------


def _entries(shape: Any) -> Declared:
    if shape is None:
        return ()
    if isinstance(shape, tuple) and any(isinstance(e, StatusType) or e is Ellipsis for e in shape):
        why = T(
            "Invalid value type: marks need a list, such as [pypto.DYNAMIC, 32], not a tuple",
            "Invalid value type：标记需要列表，例如 [pypto.DYNAMIC, 32]，而不是元组",
        )
        fail("PTO269", why=why)
    if not isinstance(shape, (list, tuple)):
        got = type(shape).__name__
        why = T(
            f"shape must be a list of int or SymbolicScalar, got {got}",
            f"shape 必须是 int 或 SymbolicScalar 的列表，但得到 {got}",
        )
        fail("PTO269", why=why)
    if any(e is Ellipsis for e in shape[:-1]):
        fail("PTO269", why=T("... may only be the last entry of a shape", "... 只能是 shape 的最后一项"))
    for entry in shape:
        _entry(entry, shape)
    return tuple(shape)


def _entry(entry: Any, shape: Any) -> None:
    if _is_mark(entry) or isinstance(entry, SymbolicScalar):
        return
    known = to_dim(entry)
    if isinstance(known, int) and known < 0:
        fail("PTO235", op="Tensor", extent=known, shape=f"[{', '.join(map(str, shape))}]")


def _is_mark(entry: Any) -> bool:
    """DYNAMIC, STATIC, ``...`` or -1."""
    minus_one = isinstance(entry, int) and not isinstance(entry, bool) and entry == -1
    return minus_one or entry is Ellipsis or isinstance(entry, StatusType)


def _local(trace: Trace, dims: tuple[Dim, ...], dtype: DataType, fmt: TileOpFormat, name: str) -> Var:
    """Record a local without contents."""
    site = current_site()
    trace.check_operands([d for d in dims if isinstance(d, Expr)], site)
    return trace.emit("alloc", [], [(TileType(dims, dtype, fmt), dims)], site=site, label=name)[0]


def _subscript(items: tuple[Any, ...]) -> dict[str, Any]:
    """Constructor arguments of ``Tensor[...]``: list or tuple, DataType, format, str and dict, in any order."""
    found: dict[str, Any] = {}
    for item in items:
        if isinstance(item, (list, tuple)):
            found["shape"] = item
        elif isinstance(item, DataType):
            found["dtype"] = item
        elif isinstance(item, TileOpFormat):
            found["format"] = item
        elif isinstance(item, str):
            found["name"] = item
        elif isinstance(item, dict) and set(item) <= _KEYS:
            found.update(item)
        else:
            got = printable(f"{item!r:.60}")
            why = T(
                f"Tensor[...] takes a shape list, a DataType, a format, a name or a dict, got {got}",
                f"Tensor[...] 接受 shape 列表、DataType、format、名称或字典，但得到 {got}",
            )
            fail("PTO269", why=why)
    return found


_KEYS = {"name", "format", "data_ptr", "device", "ori_shape", "dtype", "shape"}
