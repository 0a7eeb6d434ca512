"""Every test runs on both engines."""

import pytest

import openpto


@pytest.fixture(autouse=True, params=["reference", "native"])
def engine(request):
    with openpto.configure(engine=request.param):
        yield request.param
