"""LLVM text of sixteen lanes of one element type: types, literals, and the lines of a function.

FP16 and BF16 lanes are held as 16-bit integers.
"""

from __future__ import annotations

import struct

from openpto._records import dataclass, field
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ops import arith
from openpto.ops.arith import BOOL, F32, F64

from .loopir import LANES


def element(dtype: DataType) -> str:
    """LLVM type of one lane."""
    if dtype is BOOL:
        return "i1"
    if dtype is F32:
        return "float"
    return "double" if dtype is F64 else f"i{8 * bytes_of(dtype)}"


def memory(dtype: DataType) -> str:
    """LLVM type of one element in memory."""
    return "i8" if dtype is BOOL else element(dtype)


def vector(dtype: DataType) -> str:
    """LLVM type of sixteen lanes."""
    return f"<{LANES} x {element(dtype)}>"


def literal(node: arith.Expr) -> str:
    """LLVM text of a CONST node (one lane)."""
    pattern = int(node.attr or 0)
    if node.dtype is F32:
        return double_hex(float(arith.const_value(node)), pattern)
    if node.dtype is F64:
        return f"0x{pattern:016X}"
    return ("true" if pattern else "false") if node.dtype is BOOL else str(pattern)


def double_hex(value: float, pattern: int = 0) -> str:
    """A float as LLVM writes it; ``pattern`` are the bits of an FP32 NaN."""
    if value != value:  # the payload of an FP32 NaN sits in the upper bits of the double's
        sign, mantissa = pattern >> 31, pattern & 0x7FFFFF
        return f"0x{(sign << 63) | (0x7FF << 52) | (mantissa << 29):016X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def splat(type_: str, value: str) -> str:
    """A constant vector with the same lane everywhere."""
    return f"splat ({type_} {value})"


@dataclass
class Code:
    """Lines of one function and the declarations they need; names of registers begin with ``prefix``."""

    lines: list[str] = field(default_factory=list)
    declared: dict[str, None] = field(default_factory=dict)
    count: int = 0
    prefix: str = "v"
    known: dict[str, str] = field(default_factory=dict)
    """Registers of the present block by what :meth:`once` put there."""

    def name(self) -> str:
        """A fresh register."""
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def put(self, text: str) -> str:
        """One instruction with a result."""
        self.count += 1
        register = f"%{self.prefix}{self.count}"
        self.lines.append(f"  {register} = {text}")
        return register

    def once(self, text: str) -> str:
        """One instruction that depends on its operands alone; the register that has its result if it is in the present
        block already."""
        register = self.known.get(text)
        if register is None:
            register = self.known[text] = self.put(text)
        return register

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.known.clear()

    def do(self, text: str) -> None:
        """One instruction without a result."""
        self.lines.append(f"  {text}")

    def call(self, function: str, result: str, *typed: tuple[str, str]) -> str:
        """A call of an intrinsic or routine with (type, value) arguments."""
        self.declare(function, result, [t for t, _ in typed])
        return self.put(f"call {result} @{function}({', '.join(f'{t} {v}' for t, v in typed)})")

    def call_void(self, function: str, *typed: tuple[str, str]) -> None:
        """The same without a result."""
        self.declare(function, "void", [t for t, _ in typed])
        self.do(f"call void @{function}({', '.join(f'{t} {v}' for t, v in typed)})")

    def declare(self, function: str, result: str, types: list[str]) -> None:
        """Note that ``function`` is needed."""
        self.declared[f"declare {result} @{function}({', '.join(types)})"] = None
