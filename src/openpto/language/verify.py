"""Prints and dumps of a verification run; in other runs they do nothing."""

from __future__ import annotations

from typing import Any

from openpto.diagnostics import fail, user_boundary

from .options import get_verify_options


@user_boundary()
def pass_verify_print(*values: Any, cond: Any = 1) -> None:
    """Print tensors, symbols and texts while a kernel is verified; without ``enable_pass_verify`` nothing happens.

    Raises:
        NotImplementedError: PTO902, ``enable_pass_verify`` is set: verification is not available yet.
    """
    _only_outside_of_verification("pypto.pass_verify_print")


@user_boundary()
def pass_verify_save(tensor: Any, fname: str, cond: Any = 1, **kwargs: Any) -> None:
    """Dump a tensor while a kernel is verified; without ``enable_pass_verify`` nothing happens.

    Raises:
        NotImplementedError: PTO902, ``enable_pass_verify`` is set: verification is not available yet.
    """
    _only_outside_of_verification("pypto.pass_verify_save")


def _only_outside_of_verification(name: str) -> None:
    if get_verify_options().get("enable_pass_verify"):
        fail("PTO902", op=f"{name} with enable_pass_verify")
