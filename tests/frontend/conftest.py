"""Kernels of this directory take `x` [8, 8] FP32, `n` [1] INT32 and `out` [8, 8] FP32."""

import warnings

import numpy as np
import pytest

X = np.arange(64, dtype=np.float32).reshape(8, 8) / 8 - 3


@pytest.fixture
def x():
    return X.copy()


@pytest.fixture
def run():
    """Call a kernel quietly; gives `out`."""

    def call(kernel, n=3, *, fill=-777.0, **named):
        out = np.full((8, 8), fill, np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel(X.copy(), np.full(1, n, np.int32), out, **named)
        return out

    return call


@pytest.fixture
def refusal(run):
    """Call a kernel that must be refused; gives the exception."""

    def call(kernel, code, n=3, **named):
        import pypto

        with pytest.raises(pypto.PyptoError) as caught:
            run(kernel, n, **named)
        assert caught.value.code == code, str(caught.value)
        return caught.value

    return call
