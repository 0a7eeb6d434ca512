"""How the result of an operation comes about, in a sentence of either language."""

from __future__ import annotations

from contract_table import FOLDS
from openpto.diagnostics.language import Language
from openpto.ops.registry import Composite, Named, OpDecl, Pointwise, Reduce

_SUMMED = "最后一轴分 16 路并按二分树合并，其余轴按升序；空集的结果为 "
_ORDERS = {
    "sum": f"{_SUMMED}+0",
    "prod": f"{_SUMMED}1",
    "amax": "与顺序无关，结果精确；NaN 优先，−0 < +0；空集的结果为 −inf 或最小整数",
    "amin": "与顺序无关，结果精确；NaN 优先，−0 < +0；空集的结果为 +inf 或最大整数",
}


def how(decl: OpDecl, language: Language) -> str:
    """The order of a fold, the parts of a composite, or the kind of work; empty if there is nothing to say."""
    arithmetic, english = decl.arithmetic, language == "en"
    if isinstance(arithmetic, Reduce):
        return FOLDS[arithmetic.kind] if english else _ORDERS[arithmetic.kind]
    if isinstance(arithmetic, Composite):
        parts = [f"`{part}`" for part in arithmetic.parts]
        return f"in this order: {', '.join(parts)}" if english else f"依次为 {'、'.join(parts)}"
    if isinstance(arithmetic, Pointwise):
        return "element by element" if english else "逐元素"
    if isinstance(arithmetic, Named) and decl.core == "move":
        return "copies" if english else "拷贝"
    return ""
