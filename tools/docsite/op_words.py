"""How the result of an operation comes about, in a sentence of either language."""

from __future__ import annotations

import contract_table
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
    if language == "en":
        return contract_table.how(decl)
    arithmetic = decl.arithmetic
    if isinstance(arithmetic, Reduce):
        return _ORDERS[arithmetic.kind]
    if isinstance(arithmetic, Composite):
        return f"依次为 {'、'.join(f'`{part}`' for part in arithmetic.parts)}"
    if isinstance(arithmetic, Pointwise):
        return "逐元素"
    return "拷贝" if isinstance(arithmetic, Named) and decl.core == "move" else ""
