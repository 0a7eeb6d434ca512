"""Which operations hand FP32 to each other is what the contract lists, type by type."""

from __future__ import annotations

import re
from pathlib import Path

from openpto.ir.dtypes import DataType
from openpto.ops import OPS, PUBLIC
from openpto.ops.registry import Named, Pointwise, Reduce

CONTRACT = Path(__file__).resolve().parents[2] / "docs" / "contract.md"
UPDATES = re.compile("index_add")
"""They write into a tensor, so that they neither read nor give FP32."""


def declared(dtype):
    return {
        name
        for name in PUBLIC
        if dtype in OPS[name].promoted
        and isinstance(OPS[name].arithmetic, Pointwise | Reduce | Named)
        and not UPDATES.match(name)
    }


def test_the_contract_lists_them():
    text = " ".join(CONTRACT.read_text(encoding="utf-8").split())
    passage = text[text.index("For FP16 `add`") : text.index("**Fused multiply-add**")]
    first, second = passage.split("; for BF16 these, and")
    fp16, bf16 = (set(re.findall(r"`(\w+)`", part)) for part in (first, second))
    assert declared(DataType.DT_FP16) == fp16
    assert declared(DataType.DT_BF16) == fp16 | bf16
