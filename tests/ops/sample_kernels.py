"""Kernels made of one statement of a declaration's samples."""

from __future__ import annotations

import itertools
import linecache
import types

from openpto.ir.dtypes import from_numpy

TEMPLATE = """import pypto


@pypto.frontend.jit
def kernel({params}):
    pypto.set_vec_tile_shapes({tile})
    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
    {statement}
"""
_numbers = itertools.count(1)


def compile_kernel(sample, arrays, out):
    """A kernel whose body is the sample's statement."""
    declared = {**arrays, "out": out}
    params = ", ".join(
        f"{n}: pypto.Tensor({list(a.shape)}, pypto.{from_numpy(a.dtype).name})" for n, a in declared.items()
    )
    text = TEMPLATE.format(params=params, tile=", ".join(map(str, sample.tile)), statement=sample.statement)
    file = f"<sample-{next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("sample")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.kernel
