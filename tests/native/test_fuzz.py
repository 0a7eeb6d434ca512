"""Random kernels do the same on both engines: bits, faults, warnings and reports (see tools/fuzz_engines.py)."""

import pytest

from fuzz import compare, generate

PROGRAMS = 300
GROUP = 10


@pytest.mark.parametrize("first", range(0, PROGRAMS, GROUP))
def test_programs(first, tmp_path, monkeypatch):
    """Programs of consecutive seeds, every other group on vectors of 256 bits. One that fails is shrunk by
    ``python tools/fuzz_engines.py --seed N``."""
    monkeypatch.setenv("PYPTO_CPU", "native" if first // GROUP % 2 else "avx2")
    for seed in range(first, first + GROUP):
        program, found = compare.repaired(generate.program(seed), tmp_path)
        assert not found.bad, f"seed {seed}\n{program.source()[0]}\n{found.detail}"


def test_seeds_are_reproducible():
    """A seed always means the same program."""
    for seed in (3, 17):
        assert generate.program(seed).source()[0] == generate.program(seed).source()[0]
