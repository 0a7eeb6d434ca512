"""Enumerations of the public API; integer values follow the published tables."""

from __future__ import annotations

import enum


class _Shown(enum.IntEnum):
    """An IntEnum whose str and repr read ``ClassName.MEMBER``."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __repr__ = __str__
    __hash__ = object.__hash__  # every member is one object; Enum would take the hash of its name each time


class CastMode(_Shown):
    """Rounding of ``cast``; NONE is TRUNC for float to int and RINT otherwise."""

    CAST_NONE = 0
    CAST_RINT = 1
    CAST_ROUND = 2
    CAST_FLOOR = 3
    CAST_CEIL = 4
    CAST_TRUNC = 5
    CAST_ODD = 6


class SaturationMode(_Shown):
    """What float to int does out of range: ON clamps, OFF keeps the low bits."""

    ON = 0
    OFF = 1


class OpType(_Shown):
    """Comparison selectors."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5


class OutType(_Shown):
    """Output layout of comparisons; public ops always use BOOL."""

    BOOL = 0
    BIT = 1


class ReLuType(_Shown):
    """Fused activation of ``matmul``."""

    NO_RELU = 0
    RELU = 1


class TransMode(_Shown):
    """TF32 rounding of FP32 matmul operands."""

    CAST_NONE = 0
    CAST_RINT = 1
    CAST_ROUND = 2


class ScatterMode(_Shown):
    """Reduction applied by scatter."""

    NONE = 0
    ADD = 1
    MULTIPLY = 2


class ReduceMode(_Shown):
    """Reduction across cores."""

    ATOMIC_ADD = 0


class AtomicType(_Shown):
    """How a shared-memory put combines."""

    SET = 0
    ADD = 1


class AtomicRMWMode(_Shown):
    """Read-modify-write combination."""

    ADD = 0
    MAX = 1
    MIN = 2


class CachePolicy(_Shown):
    """L2 hints of a tensor; recorded only."""

    PREFETCH = 0
    NONE_CACHEABLE = 1


class TileOpFormat(_Shown):
    """Layout mark of a tensor. Host data stay in logical order in both."""

    TILEOP_ND = 0
    TILEOP_NZ = 1


class RunMode(_Shown):
    """Where a kernel runs."""

    NPU = 0
    SIM = 1


class CompStage(_Shown):
    """Stage after which compilation stops."""

    ALL_COMPLETE = 0
    TENSOR_GRAPH = 1
    TILE_GRAPH = 2
    EXECUTE_GRAPH = 3
    CODEGEN_INSTRUCTION = 4
    CODEGEN_BINARY = 5


class StatusType(enum.Enum):
    """Marks used in shape annotations."""

    DYN = "DYN"
    DYNAMIC = "DYNAMIC"
    STATIC = "STATIC"

    def __repr__(self) -> str:
        return f"StatusType.{self.name}"


class PrecisionType(_Shown):
    """Instruction choice of transcendental ops; both give the contract's result here."""

    INTRINSIC = 0
    HIGH_PRECISION = 1


class TopKAlgo(_Shown):
    """Algorithm of ``topk``."""

    MERGE_SORT = 0
    RADIX_SELECT = 1


class LogBaseType(_Shown):
    """Base of a logarithm."""

    LOG_E = 0
    LOG_2 = 1
    LOG_10 = 2


class DequantScaleRoundingMode(_Shown):
    """Scale rounding of ``quant_mx``: UP is the NV rule, DOWN the OCP rule."""

    ROUND_UP = 0
    ROUND_DOWN = 1


class SatStatus(_Shown):
    """Answer of ``SymbolicScalar.check``."""

    SAT = 0
    UNSAT = 1
    UNKNOWN = 2
