"""What Python itself refuses in a kernel is the author's mistake: never an internal error of ours."""

import linecache
import textwrap

import numpy as np
import pytest

import pypto

KERNEL = """
@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 8], pypto.DT_FP32), out: pypto.Tensor([8, 8], pypto.DT_FP32)):
    {line}
    out[:] = x
"""


def failure(line):
    name = f"<mistake {line}>"
    source = textwrap.dedent(KERNEL.format(line=line))
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"pypto": pypto}
    exec(compile(source, name, "exec"), names)
    x = np.zeros((8, 8), np.float32)
    with pytest.raises(Exception) as raised:
        names["kernel"](x, x.copy())
    return raised.value


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("min(3)", TypeError),
        ("max()", TypeError),
        ("min([])", ValueError),
        ("max(1, 'a')", TypeError),
        ("range('a')", TypeError),
        ("range()", TypeError),
        ("map(3)", TypeError),
        ("print(1, sep=3)", TypeError),
        ("for i in map(int, ['a']): pass", ValueError),
        ("[i for i in map(int, ['a'])]", ValueError),
    ],
)
def test_pythons_own_error_passes(line, kind):
    error = failure(line)
    assert type(error) is kind
    assert not isinstance(error, pypto.PyptoError)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("for i in 3: pass", "PTO152"),
        ("pypto.set_cube_tile_shapes([16, 16], [16, 16])", "PTO222"),
        ("pypto.set_vec_tile_shapes(8, 8, unknown=2)", "PTO222"),
        ("pypto.Tensor([8], nam='x')", "PTO222"),
        ("out.move()", "PTO222"),
        ("pypto.is_loop_begin()", "PTO222"),
        ("pypto.set_pass_options(1)", "PTO222"),
    ],
)
def test_a_call_of_ours_with_wrong_arguments_has_a_code_and_the_line(line, code):
    error = failure(line)
    assert isinstance(error, TypeError)
    assert error.code == code
    assert f"<mistake {line}>:4:" in str(error)
