"""`pypto.runtime`: device calls of test scripts. There is no device, so start, stop and waiting do nothing."""

from typing import Any, NoReturn

from openpto.diagnostics import fail, user_boundary


def _device_init(*args: Any, **kwargs: Any) -> None:
    """Nothing to start."""


def _device_fini(*args: Any, **kwargs: Any) -> None:
    """Nothing to stop."""


def _device_synchronize(*args: Any, **kwargs: Any) -> None:
    """A kernel call returns when its results are there."""


@user_boundary()
def _device_run_once_data_from_host(*tensors: Any) -> NoReturn:
    """Run the graph built in `with pypto.function(...)`; not yet available (PTO902), like that form itself."""
    fail("PTO902", op="pypto.runtime._device_run_once_data_from_host")
