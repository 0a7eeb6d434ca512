"""A client for one test, and one that many share: the server takes most of a second to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsp_client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A session of its own, not initialized yet."""
    client = Client(tmp_path)
    yield client
    client.kill()


@pytest.fixture(scope="module")
def shared_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    client = Client(tmp_path_factory.mktemp("session"))
    client.initialize()
    yield client
    assert client.leave() == 0
    assert client.log == []
    client.kill()


@pytest.fixture
def session(shared_client: Client) -> Iterator[Client]:
    """A session in which nothing is open."""
    yield shared_client
    shared_client.close_all()
