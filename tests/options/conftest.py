"""Settings are state of the process: every test starts and ends with the defaults."""

from collections.abc import Iterator

import pytest

from openpto.language.configuration import reset_configuration
from openpto.language.scopes import reset_options

VARIABLES = ("NUMERICS", "ENGINE", "TARGET", "PLATFORM", "NUM_THREADS", "RUN_MODE")


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for variable in VARIABLES:
        monkeypatch.delenv(f"PYPTO_{variable}", raising=False)
    reset_options()
    reset_configuration()
    yield
    reset_options()
    reset_configuration()
