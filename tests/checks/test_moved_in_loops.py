"""PTO610 in loops: a read is told if some iteration can find what an earlier one moved, and only then."""

import warnings

import numpy as np
import pytest

import openpto
import pypto

F, D = pypto.DT_FP32, pypto.DYNAMIC
ROWS = pypto.Tensor([D, 16], F)


@pypto.frontend.jit
def moved_at_the_end(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.full([8, 16], 0.0, F)
    for i in pypto.loop(0, x.shape[0], 8):
        total[:] = total + pypto.view(x, [8, 16], [i, 0])
        rows = total * 2.0
        if pypto.is_loop_end(i):
            other = pypto.full([8, 16], 0.0, F)
            other[:] = total
            pypto.assemble(other + rows, [0, 0], out)


@pypto.frontend.jit
def moved_in_the_only_iteration(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.view(x, [8, 16], [0, 0]) * 3.0
    for _ in pypto.loop(1):
        pypto.assemble(total, [0, 0], out)
        other = pypto.full([8, 16], 0.0, F)
        other[:] = total
        pypto.assemble(other, [8, 0], out)


@pypto.frontend.jit
def read_at_the_beginning(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.view(x, [8, 16], [0, 0]) * 3.0
    for i in pypto.loop(0, x.shape[0], 8):
        if pypto.is_loop_begin(i):
            pypto.assemble(total, [0, 0], out)
        else:
            other = pypto.full([8, 16], 0.0, F)
            other[:] = pypto.view(x, [8, 16], [i, 0])
            pypto.assemble(other, [i, 0], out)
        if pypto.is_loop_end(i):
            last = pypto.full([8, 16], 0.0, F)
            last[:] = total
            pypto.assemble(last, [0, 0], out)


@pypto.frontend.jit
def moved_but_not_at_the_end(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.full([8, 16], 1.0, F)
    for i in pypto.loop(0, x.shape[0], 8):
        pypto.assemble(total, [i, 0], out)  # told
        if not pypto.is_loop_end(i):
            other = pypto.full([8, 16], 0.0, F)
            other[:] = total  # told


@pypto.frontend.jit
def read_after_the_first(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.full([8, 16], 1.0, F)
    for i in pypto.loop(0, x.shape[0], 8):
        if pypto.is_loop_begin(i):
            other = pypto.full([8, 16], 0.0, F)
            other[:] = total
            pypto.assemble(other, [i, 0], out)
        else:
            pypto.assemble(total, [i, 0], out)  # told


@pypto.frontend.jit
def read_after_the_loop(x: ROWS, out: ROWS):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.view(x, [8, 16], [0, 0]) * 3.0
    for i in pypto.loop(0, x.shape[0], 8):
        if pypto.is_loop_end(i):
            other = pypto.full([8, 16], 0.0, F)
            other[:] = total
            pypto.assemble(other, [8, 0], out)
    pypto.assemble(total, [0, 0], out)  # told


def told(kernel):
    """Lines of PTO610 in a kernel, from that of its decorator, and its output."""
    x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        kernel(x, out)
    found = [w.message for w in shown if w.message.code == "PTO610"]
    return {w.site.span.line for w in found}, x, out


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (moved_at_the_end, lambda x: np.concatenate([(x[:8] + x[8:]) * 3, np.zeros((8, 16))])),
        (moved_in_the_only_iteration, lambda x: np.concatenate([x[:8] * 3, x[:8] * 3])),
        (read_at_the_beginning, lambda x: np.concatenate([x[:8] * 3, x[8:]])),
    ],
)
def test_no_iteration_finds_it_moved(kernel, expected):
    lines, x, out = told(kernel)
    assert lines == set()
    np.testing.assert_array_equal(out, expected(x))
    for target in ("0.2", "0.3"):
        with openpto.configure(target=target):
            kernel.lower(x, out)


@pytest.mark.parametrize("kernel", [moved_but_not_at_the_end, read_after_the_first, read_after_the_loop])
def test_some_iteration_finds_it_moved(kernel):
    lines, x, out = told(kernel)
    with open(__file__, encoding="utf-8") as source:
        marked = {n for n, line in enumerate(source, 1) if "# told" in line}
    code = kernel.function.__code__
    assert lines == {n for n in marked if n in {line for _, _, line in code.co_lines()}}
    with openpto.configure(target="0.3"), pytest.raises(pypto.PyptoError) as caught:
        kernel.lower(x, out)
    assert caught.value.code == "PTO610"
