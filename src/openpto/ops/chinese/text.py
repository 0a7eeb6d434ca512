"""What a declaration says in Chinese, and sentences that many share."""

from __future__ import annotations

from openpto._records import dataclass


@dataclass(frozen=True, slots=True)
class Chinese:
    """The doc string of an operation in Chinese: one sentence, then what it says of shapes and of types and results.

    Element types are not repeated where the declaration lists them, and errors have texts of their own.
    """

    summary: str
    shapes: str
    results: str


SAME_SHAPE = "任意 1-4 维；结果的 shape 与有效 shape 同操作数。"
BROADCAST = "1-4 维，按 numpy 规则广播；每个轴的有效长度取该轴为全长的操作数中的最小值。"
ONE_RANK = "两个操作数维数相同（1-4 维），可广播；每个轴的有效长度取该轴为全长的操作数中的最小值。"
SAME_TYPE = "结果类型同操作数。"
BOTH = "两个操作数类型相同。"
