"""The page of results for special operands, operation by operation; in Chinese with the table of translations."""

from __future__ import annotations

from collections.abc import Iterator

import contract_table
from contract_table import BINARY_FLOAT, BINARY_INT, UNARY_FLOAT, UNARY_INT
from docsite.op_texts import texts
from docsite.op_words import how
from docsite.sources import Source, read
from openpto.diagnostics.language import Language

PATH = "contract-ops.md"

_HEADER = """\
# 逐操作的契约

[契约](contract.md)对每个操作与元素类型的具体结果。本页由操作的声明生成，特殊操作数的结果由声明中的算术计算得出。

*计算*：各步骤所用的类型。*舍入*：FP16 与 BF16 在何处就近取偶舍入：每个操作之后，或者对 *promoted* 操作，
在数值方式 `npu` 下于一串 promoted 操作结束处。
类型的最大值与最小值写作 max 与 min；最小的浮点数为 −max。只有 950 才有的类型带有标记。
"""

_CELLS = {"operation": "操作", "type": "类型", "types": "类型", "computed": "计算", "rounded": "舍入"}
_ROUNDED = {"each step": "每一步", "each operation": "每个操作", "end of chain": "链的末端"}


def contract_ops(language: Language) -> Source:
    """The page."""
    if language == "en":
        return read(f"docs/{PATH}")
    sections = (
        ("一个操作数，浮点", contract_table.pointwise_table(1, UNARY_FLOAT, floats=True)),
        ("一个操作数，整数与布尔", contract_table.pointwise_table(1, UNARY_INT, floats=False)),
        ("两个操作数，浮点", contract_table.pointwise_table(2, BINARY_FLOAT, floats=True)),
        ("两个操作数，整数与布尔", contract_table.pointwise_table(2, BINARY_INT, floats=False)),
    )
    lines = [_HEADER]
    for title, table in sections:
        lines += [f"## {title}", "", *map(_translated, table), ""]
    lines += ["## 其他操作", "", *_others(), ""]
    return Source(f"docs/{PATH}", "\n".join(lines))


def _translated(row: str) -> str:
    cells = row.strip("|").split("|")
    words = _CELLS | _ROUNDED
    return f"|{'|'.join(_same_space(cell, words.get(cell.strip(), cell.strip())) for cell in cells)}|"


def _same_space(cell: str, text: str) -> str:
    return f" {text} " if cell.startswith(" ") else text


def _others() -> Iterator[str]:
    yield "| 操作 | 类型 | FP16、BF16 舍入 | 方式 | 元素类型与结果 |"
    yield "|---|---|---|---|---|"
    for decl in contract_table.public():
        if contract_table.has_results(decl):
            continue
        types = (
            "任意"
            if decl.dtypes is None
            else "、".join(contract_table.type_text(decl, dtype) for dtype in contract_table.types_of(decl))
        )
        halves = "、".join(dtype.short for dtype in sorted(decl.promoted))
        rounded = f"{halves}：链的末端" if halves else ""
        results = texts(decl, "zh").results.replace("|", "\\|")
        yield f"| `{decl.name}` | {types} | {rounded} | {how(decl, 'zh')} | {results} |"
