"""Who is told of completed calls of kernels.

It imports nothing, so that a tool can ask to be told before anything of a kernel is loaded, and at no cost where no
kernel ever runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

observers: list[Callable[[Any], None]] = []
"""Called with every receipt, or with what makes one when asked (``kernel.receipt.receipt_of``), in the thread of the
call. An observer must not raise."""
