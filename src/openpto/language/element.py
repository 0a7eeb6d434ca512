"""``Element``: a scalar that carries its own dtype."""

from __future__ import annotations

from openpto.diagnostics import T, fail, user_boundary
from openpto.ir.dtypes import DataType


class Element:
    """A number together with the dtype an op shall give it.

    Raises:
        TypeError: PTO222, the two in another order.
        ValueError: PTO207, ``value`` is neither int nor float ("Invalid data type <class> for Element").

    >>> Element(DataType.DT_FP16, 2.0).value
    2.0
    """

    __slots__ = ("_dtype", "_value")

    @user_boundary()
    def __init__(self, dtype: DataType, value: int | float) -> None:
        if isinstance(value, DataType) or not isinstance(dtype, (DataType, int)):
            got = f"{type(dtype).__name__}, {type(value).__name__}"
            why = T(
                f"incompatible constructor arguments: dtype comes before value, got ({got})",
                f"incompatible constructor arguments：dtype 应在 value 之前，但得到 ({got})",
            )
            fail("PTO222", op="Element", why=why)
        if not isinstance(value, (int, float)):
            fail("PTO207", got=str(type(value)))
        self._dtype = DataType(dtype)
        self._value = value

    @property
    def dtype(self) -> DataType:
        """Element type."""
        return self._dtype

    @property
    def value(self) -> int | float:
        """The number as given."""
        return self._value

    def __repr__(self) -> str:
        return f"Element({self._dtype}, {self._value!r})"
