"""What an operation is: one declaration holds its name, parameters, arithmetic, hardware facts and samples.

An op is declared by decorating its recording function with :func:`op`. That function gets tensors as ``Var``, symbols
as ``Expr``, ``Element`` as ``Imm`` and everything else as the author wrote it; it checks types and shapes and records
nodes of tile IR. Its signature and doc string are those of the public function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass, field
from openpto.ir.dtypes import DataType

from . import arith

Builder = Callable[..., arith.Expr]
Number = int
Core = Literal["vector", "cube", "move", "none"]
Status = Literal["exact", "missing"]
Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])


# What an op computes


@dataclass(frozen=True, slots=True)
class Pointwise:
    """Element by element: a scalar expression per kind of operand.

    ``float``, ``int`` and ``bool`` build it from operands of the types given; the dtype of operand number ``pivot``
    chooses. ``general`` replaces them where the expression also depends on the result's dtype or on attributes.
    """

    float: Builder | None = None
    int: Builder | None = None
    bool: Builder | None = None
    pivot: Number = 0
    general: Callable[[tuple[DataType, ...], DataType, Mapping[str, Any]], arith.Expr] | None = None

    def expression(self, operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> arith.Expr:
        """The scalar expression for operands of these dtypes: FP16 and BF16 are widened, the result is rounded once.

        Raises:
            LookupError: the declaration has no arithmetic for them (a mistake of ours: the type rule let them pass).
        """
        if self.general is not None:
            return arith.rounded(self.general(operands, result, attrs), result)
        pivot = operands[self.pivot]
        if pivot in arith.INTEGERS:
            builder = self.int
        else:
            builder = self.bool if pivot is DataType.DT_BOOL else self.float
        if builder is None:
            raise LookupError(f"no arithmetic for {', '.join(d.short for d in operands)}")
        return arith.rounded(arith.build(arith.on_widened(builder), *operands), result)


@dataclass(frozen=True, slots=True)
class Reduce:
    """A fold over axes with a fixed order (docs/contract.md): ``kind`` is sum, prod, amax or amin."""

    kind: Literal["sum", "prod", "amax", "amin"]


@dataclass(frozen=True, slots=True)
class Named:
    """A kernel of the runtime, by name."""

    kernel: str


@dataclass(frozen=True, slots=True)
class Composite:
    """Recorded as other ops, in this order."""

    parts: tuple[str, ...]


Arithmetic = Pointwise | Reduce | Named | Composite


# Facts about hardware and tests


@dataclass(frozen=True, slots=True)
class Dtypes:
    """Element types of the first tensor operand: on every chip, and those that only the 950 has."""

    everywhere: frozenset[DataType]
    only_950: frozenset[DataType] = frozenset()

    @property
    def union(self) -> frozenset[DataType]:
        """What some chip takes."""
        return self.everywhere | self.only_950


@dataclass(frozen=True, slots=True)
class Sample:
    """A runnable example with an independent golden.

    ``call`` is the expression an author writes (also the example in the documentation), or a statement that writes
    ``out``; the names in ``arrays`` are its tensors, made from a random generator. ``golden`` computes the result with
    numpy (in float64, or exactly for integers); the result may differ by ``ulp`` units in the last place. ``tile`` are
    the vector tiles to set; ``cube``: set cube tiles too. A golden in float64 stands for FP32, or for ``result``.
    With ``ranks`` so many ranks run it at once, and each ends with the golden.
    """

    call: str
    arrays: Mapping[str, Callable[[np.random.Generator], Array]]
    golden: Callable[..., Array]
    ulp: float = 0.0
    tile: tuple[int, ...] = (8, 16)
    cube: bool = False
    result: DataType | None = None
    ranks: int = 0

    @property
    def statement(self) -> str:
        """The line of a kernel that leaves the result in ``out``."""
        return self.call if "out" in self.call.replace("out_dtype", "") else f"out[:] = {self.call}"


@dataclass(frozen=True, slots=True)
class OpDecl:
    """One operation.

    name        public name (dotted for ``experimental`` and ``distributed``), or the IR name of an internal op
    family      letter of the family in the API table; "-" for internal ops
    summary     one line
    record      checks its arguments, records tile IR, returns the result (None: not available yet)
    signature   of the public function
    keywords    other spellings of parameters: spelling -> parameter
    method      also ``Tensor.<name>``
    writes      parameters that are changed in place
    core        unit that runs it on a device
    arithmetic  what is computed
    dtypes      element types a device takes; None: any
    promoted    types that are evaluated in FP32 and rounded where the chain of promoted ops ends
    only_950    whether the op exists on the 950 only
    elsewhere   provided by the language itself, not generated from a declaration
    """

    name: str
    family: str
    summary: str
    record: Callable[..., Any] | None = None
    signature: inspect.Signature = field(default_factory=inspect.Signature)
    keywords: Mapping[str, str] = field(default_factory=dict)
    method: bool = False
    writes: tuple[str, ...] = ()
    core: Core = "none"
    arithmetic: Arithmetic | None = None
    dtypes: Dtypes | None = None
    promoted: frozenset[DataType] = frozenset()
    only_950: bool = False
    elsewhere: bool = False
    doc: str = ""
    samples: tuple[Sample, ...] = ()

    @property
    def public(self) -> bool:
        """Whether the name belongs to the API."""
        return self.family != "-"

    @property
    def status(self) -> Status:
        """``missing`` for a name that stops with PTO902."""
        return "missing" if self.record is None and not self.elsewhere else "exact"


OPS: dict[str, OpDecl] = {}
"""Every declaration by name; filled when ``openpto.ops`` is imported, not changed afterwards."""


def declare(decl: OpDecl) -> OpDecl:
    """Add a declaration to OPS."""
    assert decl.name not in OPS, decl.name
    OPS[decl.name] = decl
    return decl


def op(
    name: str,
    family: str,
    *,
    arithmetic: Arithmetic | None,
    core: Core = "vector",
    dtypes: Dtypes | None = None,
    promoted: frozenset[DataType] = frozenset(),
    keywords: Mapping[str, str] | None = None,
    method: bool = False,
    writes: tuple[str, ...] = (),
    only_950: bool = False,
    samples: tuple[Sample, ...] = (),
) -> Callable[[F], F]:
    """Declare an op whose recording function is decorated; its doc string is the public one."""

    def decorate(record: F) -> F:
        doc = inspect.getdoc(record) or ""
        declare(
            OpDecl(
                name=name,
                family=family,
                summary=doc.split("\n", maxsplit=1)[0],
                record=record,
                signature=inspect.signature(record),
                keywords=dict(keywords or {}),
                method=method,
                writes=writes,
                core=core,
                arithmetic=arithmetic,
                dtypes=dtypes,
                promoted=promoted,
                only_950=only_950,
                doc=doc,
                samples=samples,
            )
        )
        return record

    return decorate


def internal(name: str, summary: str, *, core: Core, arithmetic: Arithmetic | None = None) -> OpDecl:
    """Declare an op of tile IR that has no public name."""
    return declare(OpDecl(name=name, family="-", summary=summary, core=core, arithmetic=arithmetic))


def missing(name: str, family: str, summary: str, *, method: bool = False, only_950: bool = False) -> OpDecl:
    """Declare a public name that is not available yet."""
    return declare(OpDecl(name=name, family=family, summary=summary, method=method, only_950=only_950))


def elsewhere(name: str, family: str, summary: str, sample: Sample) -> OpDecl:
    """Declare a public name that the language provides by itself (helpers of symbols, options)."""
    return declare(OpDecl(name=name, family=family, summary=summary, elsewhere=True, samples=(sample,)))
