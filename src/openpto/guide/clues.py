"""What tells apart the rules that share a code or a phrase: patterns that occur in the rest of the text."""

from __future__ import annotations

CLUES: dict[str, str] = {
    # Not concrete value
    "PTO115": r"\b(?:break|continue)\b",
    "PTO131": r"\b(?:int|float|len|list|str)\(",
    "PTO132": r"\bif \w+ (?:not )?in\b",
    "PTO134": r"(?<![\w.])range\(",
    "PTO234": r"\[[^\]\n]*:[^\]\n]*\]|slice|切片|symbols to int",
    "PTO286": r"set_(?:vec|cube|conv)_tile_shapes|\btile\b",
    "PTO661": r"is_loop_(?:begin|end)|helper|辅助函数",
    "PTO663": r"(?<![\w.])(?:min|max)\(|内建",
    "PTO669": r"\b(?:if|while) .*\b(?:and|or|not)\b| and .*[<>=]|ternary|三元",
    # tile shape not set
    "PTO302": r"set_vec_tile_shapes\([^)]*(?:\b0\b|-\d)|zero|negative|positive|为 ?0|负",
    "PTO306": r"\b(?:view|assemble|move|copy)\b.*without",
    # Run pass failed, FFFFFF, F40005
    "PTO224": r"dynamic|INT32_MAX|动态",
    "PTO233": r"\baxis\b|\bdim\b|轴",
    "PTO303": r"tile shape size|\brank\b|维",
    "PTO304": r"\bUB\b|MEM_UB|unified buffer|vector tile|向量",
    "PTO324": r"\bL0|\bL1\b|MEM_L|cube",
    "PTO410": r"F4[12]003|F74008|producer|uninitiali[sz]ed|never (?:been )?written|未初始化",
    # names
    "PTO121": r"branch|\belse\b|分支",
    "PTO404": r"on this run|PTO404",
    "PTO680": r"\bloop\b|循环",
    # parser
    "PTO114": r"\b(?:break|continue|return)\b",
    "PTO671": r"\bwhile\b|AnnAssign|lambda",
    "PTO664": r"\bwith\b",
    "PTO166": r"with pypto\.cond|RecordIfBranch",
    "PTO679": r"nested|inner function|def .*\n.*def ",
    "PTO259": r"got Tensor",
    "PTO660": r"RecordIfBranch|pypto\.cond",
    # the rest
    "PTO271": r"matmul|operand\d|矩阵",
    "PTO508": r"__future__|annotations",
    "PTO611": r"assemble|\] ?= ?.*\]",
    "PTO620": r"stitch",
    "PTO621": r"divid|整除",
    "PTO650": r"\] ?= ?[\d.]+",
    "PTO651": r"int64|int16|int8",
    "PTO257": r"iterable|non-sequence type Tensor|解包",
}
"""By rule, what speaks for it when a code or phrase of its was found that others have, too."""

TYPICAL = frozenset(
    {
        "PTO110", "PTO113", "PTO120", "PTO200", "PTO222", "PTO224", "PTO228", "PTO229", "PTO236", "PTO253", "PTO256",
        "PTO301", "PTO304", "PTO320", "PTO410", "PTO412", "PTO461", "PTO472", "PTO515", "PTO538", "PTO611",
        "PTO201", "PTO257", "PTO270", "PTO274", "PTO303", "PTO305", "PTO321", "PTO322", "PTO324", "PTO401", "PTO452",
        "PTO454", "PTO622", "PTO668", "PTO219", "PTO265", "PTO298",
        "aicore-exception", "toolchain-crash", "results-change", "compile-hangs", "sim-mode",
    }
)  # fmt: skip
"""Of the rules that share a code or a phrase, those that are met most; they win if nothing else tells."""

SELDOM = ("PTO54", "PTO55", "PTO56", "PTO57", "PTO58", "PTO59", "PTO7", "PTO9")
"""Beginnings of codes of rules about tools, conventions and OpenPTO itself; questions are seldom about them."""

FOLLOWS = frozenset({"error-codes", "masked-errors", "PTO904"})
"""Pages of messages that only say that something failed before."""

WRAPPERS = frozenset({"Run pass failed", "is not defined", "not yet available", "{why}", "{text}", "{also}"})
"""Phrases of rules that say nothing about the mistake."""

WRAPPED = ("PTO303", "PTO304", "PTO324", "PTO410")
"""What "Run pass failed" is known to wrap; the clue in the rest of the text tells which."""
