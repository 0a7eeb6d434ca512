"""Ways from one element type to another, for the advice of PTO228, PTO231 and PTO265.

The pairs are those of the operation `cast` (a test compares them); names are those of DataType without the prefix.
"""

from __future__ import annotations

from collections.abc import Iterator

from openpto.diagnostics.language import T

EVERYWHERE: dict[str, tuple[str, ...]] = {
    "FP32": ("FP16", "FP32", "BF16", "INT64", "INT32", "INT16"),
    "FP16": ("FP32", "INT32", "INT16", "INT8", "UINT8", "INT4"),
    "BF16": ("FP32", "INT32"),
    "INT64": ("FP32", "INT32"),
    "INT32": ("FP32", "INT64", "INT16", "FP16"),
    "INT16": ("FP32", "FP16"),
    "INT8": ("FP16",),
    "UINT8": ("FP16",),
    "INT4": ("FP16",),
}
ONLY_950: dict[str, tuple[str, ...]] = {
    "FP32": ("FP8E4M3", "FP8E5M2", "HF8"),
    "FP16": ("HF8",),
    "BF16": ("FP16", "FP4_E2M1X2", "FP4_E1M2X2"),
    "INT32": ("UINT16", "UINT8"),
    "INT16": ("INT32", "UINT32", "UINT8"),
    "INT8": ("INT16", "INT32"),
    "UINT8": ("UINT16",),
    "UINT32": ("UINT8", "UINT16", "INT16"),
    **dict.fromkeys(("FP8E4M3", "FP8E5M2", "HF8"), ("FP32",)),
    **dict.fromkeys(("FP4_E2M1X2", "FP4_E1M2X2"), ("BF16",)),
}
_MOST = 3
_PREFERRED = ("FP32", "FP16", "BF16", "INT32", "INT16", "INT8", "UINT8")
_NUMBERS = T("pypto.where(mask, 1.0, 0.0), for BOOL is no number", "pypto.where(mask, 1.0, 0.0)，因为 BOOL 不是数值")


def _ways(source: str, target: str, most: int, pairs: tuple[dict[str, tuple[str, ...]], ...]) -> Iterator[list[str]]:
    """The types on ways of ``most`` steps, the target last."""
    steps = [name for table in pairs for name in table.get(source, ()) if name != source]
    if most == 1:
        if target in steps:
            yield [target]
        return
    for step in steps:
        for rest in _ways(step, target, most - 1, pairs):
            yield [step, *rest]


def way(source: str, target: str) -> str | None:
    """The expression that converts ``t``, in as few steps as possible and on every chip if that can be; None if none
    does."""
    source, target = source.removeprefix("DT_"), target.removeprefix("DT_")
    for pairs in ((EVERYWHERE,), (EVERYWHERE, ONLY_950)):
        for most in range(1, _MOST + 1):
            for names in _ways(source, target, most, pairs):
                text = "t"
                for name in names:
                    text = f"pypto.cast({text}, pypto.DT_{name})"
                return text
    return None


def in_steps(source: str, target: str) -> T:
    """What PTO265 advises: a conversion that no chip has in one step."""
    if source == "DT_BOOL":
        return T("pypto.where(mask, 1.0, 0.0), which gives FP32", "pypto.where(mask, 1.0, 0.0)，它得到 FP32")
    if target == "DT_BOOL":
        return T("a comparison, such as t > 0.0", "比较，例如 t > 0.0")
    found = way(source, target)
    if found is None:
        return T("another dtype: no steps lead to this one", "其他 dtype：没有步骤可以得到它")
    return T(found, found)


def to_one_of(dtype: str, taken: str) -> T:
    """What PTO231 advises: ``taken`` are the types that the operation has, by comma."""
    if dtype == "DT_BOOL":
        return T(
            f"{_NUMBERS.en}; pypto.logical_and and pypto.logical_not join conditions",
            f"{_NUMBERS.zh}；条件用 pypto.logical_and 与 pypto.logical_not 组合",
        )
    have = {name.removeprefix("DT_") for name in taken.split(", ")}
    for target in (*(name for name in _PREFERRED if name in have), *sorted(have)):
        found = way(dtype, target)
        if found is not None:
            return T(found, found)
    return T("pypto.cast(t, dtype)", "pypto.cast(t, dtype)")


def to_one(first: str, other: str) -> T:
    """What PTO228 advises where two operands differ."""
    if "DT_BOOL" in (first, other):
        return T(
            f"{_NUMBERS.en}; instead of a product, pypto.where(mask, t, 0.0)",
            f"{_NUMBERS.zh}；代替乘积可用 pypto.where(mask, t, 0.0)",
        )
    ways = [found for found in (way(other, first), way(first, other)) if found is not None]
    if not ways:
        return T("pypto.cast(t, dtype)", "pypto.cast(t, dtype)")
    short = min(ways, key=lambda text: text.count("cast"))
    return T(short, short)


def element_of(dtype: str) -> T:
    """The same beside an Element of another type."""
    text = f"pypto.Element(pypto.{dtype}, value)"
    return T(text, text)
