"""What a product is computed with: the step of the micro-kernel, and how operands enter packed memory."""

from __future__ import annotations

from enum import Enum

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ops import arith

from .plan import Plan
from .text import Text


class Step(Enum):
    """``sum += a * b`` on words of 32 bits.

    FMA     one FP32, fused
    BYTES   four INT8 (of A as UINT8, 128 too large), x86 instruction; exact
    PAIRS   two INT16, x86 instruction; exact
    WHOLE   one INT32; exact
    """

    FMA = "fma"
    BYTES = "bytes"
    PAIRS = "pairs"
    WHOLE = "whole"

    @property
    def sum(self) -> str:
        """LLVM type of a sum."""
        return "float" if self is Step.FMA else "i32"

    @property
    def word(self) -> str:
        """LLVM type of a word of A or B."""
        return self.sum

    @property
    def factors(self) -> int:
        """Elements in a word."""
        return {Step.BYTES: 4, Step.PAIRS: 2}.get(self, 1)

    @property
    def corrected(self) -> bool:
        """Whether sums start from a row that stands before every panel of B."""
        return self is Step.BYTES

    def operand(self, text: Text, lanes: int, words: str) -> str:
        """Words as the instruction wants them."""
        if self is not Step.PAIRS:
            return words
        return text.put(f"bitcast <{lanes} x i32> {words} to <{2 * lanes} x i16>")

    def emit(self, text: Text, lanes: int, acc: str, a: str, b: str, into: str | None) -> str:
        """The step; ``into`` is the register to put the result in."""
        vector = f"<{lanes} x {self.sum}>"
        if self is Step.FMA:
            what = _call(text, f"llvm.fma.v{lanes}f32", vector, [(vector, a), (vector, b), (vector, acc)])
        elif self is Step.BYTES:
            name = f"llvm.x86.avx512.vpdpbusd.{32 * lanes}"
            what = _call(text, name, vector, [(vector, acc), (vector, a), (vector, b)])
        else:
            if self is Step.PAIRS:
                halves = f"<{2 * lanes} x i16>"
                name = {16: "avx512.pmaddw.d.512", 8: "avx2.pmadd.wd", 4: "sse2.pmadd.wd"}[lanes]
                product = text.put(_call(text, f"llvm.x86.{name}", vector, [(halves, a), (halves, b)]))
            else:
                product = text.put(f"mul {vector} {a}, {b}")
            what = f"add {vector} {acc}, {product}"
        if into is None:
            return text.put(what)
        text.do(f"{into} = {what}")
        return into


def _call(text: Text, name: str, result: str, typed: list[tuple[str, str]]) -> str:
    text.declare(name, result, [kind for kind, _ in typed])
    return f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in typed)})"


@dataclass(frozen=True, slots=True)
class Kind:
    """Operands of one element type: ``entering`` is the FP32 expression of an element (None: as it is)."""

    name: str
    source: DataType
    step: Step
    entering: arith.Expr | None = None


def whole_step(features: frozenset[str], is_x86: bool, plan: Plan) -> Step:
    """How INT8 is multiplied on a code path."""
    if not is_x86:
        return Step.WHOLE
    if ("avx512vnni" in features and plan.lanes == 16) or ("avxvnni" in features and plan.lanes == 8):
        return Step.BYTES
    return Step.PAIRS
