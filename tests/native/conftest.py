"""Skips this folder where there is no llvmlite."""

import pytest

pytest.importorskip("llvmlite")
