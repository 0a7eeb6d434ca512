"""Where a kernel's text comes from, and that rewritten code keeps Python's scopes."""

import functools
import linecache
import warnings

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32
T, N = pypto.Tensor([8, 8], F), pypto.Tensor([1], I)


def call(kernel, n=3, *rest, **named):
    x, out = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel(x, np.full(1, n, np.int32), out, *rest, **named)
    return out


def value(kernel, n=3, *rest, **named):
    out = call(kernel, n, *rest, **named)
    assert (out == out[0, 0]).all()
    return float(out[0, 0])


TEXT = """
def factory(pypto, T, N, gain):
    @pypto.frontend.jit
    def kernel(x: T, n: N, out: T):
        pypto.set_vec_tile_shapes(8, 8)
        out[:] = x * gain
        for _ in pypto.loop(n[0]):
            out[:] = out + 1.0
    return kernel
"""


def from_text(name):
    space = {}
    exec(compile(TEXT, name, "exec"), space)
    return space["factory"](pypto, T, N, 10.0)


def test_text_from_linecache_as_in_a_notebook():
    linecache.cache["<cell 1>"] = (len(TEXT), None, TEXT.splitlines(True), "<cell 1>")
    kernel = from_text("<cell 1>")
    del linecache.cache["<cell 1>"]  # the text was captured when the kernel was decorated
    assert value(kernel) == 13


def test_without_text_the_call_says_what_to_do():
    kernel = from_text("<nowhere>")
    with pytest.raises(pypto.PyptoError, match="linecache") as caught:
        call(kernel)
    assert caught.value.code == "PTO101"


def test_text_that_changed_is_not_used():
    other = TEXT.replace("def kernel(x: T, n: N, out: T)", "def another(x: T, n: N, out: T)")
    linecache.cache["<cell 2>"] = (len(other), None, other.splitlines(True), "<cell 2>")
    with pytest.raises(pypto.PyptoError) as caught:
        call(from_text("<cell 2>"))
    assert caught.value.code == "PTO101"


def make(gain):
    offset = 1.0

    @pypto.frontend.jit(
        runtime_options={"run_mode": pypto.RunMode.SIM},
    )
    def kernel(
        x: T,
        n: N,
        out: T,
        extra=2.0,
    ):
        """A text
        with lines further left than the code.
        """
        pypto.set_vec_tile_shapes(8, 8)
        note = """
kept as it is"""
        out[:] = x * gain + offset + extra
        for _ in pypto.loop(n[0]):
            if note == "\nkept as it is":
                out[:] = out + 1.0

    return kernel


def test_factories_closures_defaults_and_decorators_over_lines():
    assert value(make(10.0)) == 16
    assert value(make(20.0), 0, extra=0.5) == 21.5


def scaled(x, *, by=2.0, **named):
    return x * by + named.get("plus", 0.0)


class Layer:
    """Methods, private names, callable objects."""

    gain = 3.0

    def __init__(self):
        self.__secret = 4.0

    def forward(self, t, c):
        if c > 2:
            t = t * self.gain
        else:
            t = t * self.__secret
        return t

    def __call__(self, t, c):
        for _ in pypto.loop(c):
            t = t + 1.0
        return t

    @staticmethod
    def fixed(t, c):
        if c > 2:
            t = t + 7.0
        return t

    @classmethod
    def made(cls, t, c):
        return cls.fixed(t, c) * cls.gain


def decorated(function):
    @functools.wraps(function)
    def wrapper(t, c):
        return function(t, c) + 0.5

    return wrapper


@decorated
def wrapped(t, c):
    if c > 2:
        t = t + 1.0
    return t


def fold(t, depth, c):
    """Recursion over a known depth."""
    if depth == 0:
        if c > 2:
            t = t + 100.0
        return t
    return fold(t + 1.0, depth - 1, c)


@pypto.frontend.function
def marked(t: pypto.Tensor([8, 8], F), out, c):
    if c > 2:
        out[:] = t + 1.0
    else:
        out[:] = t + 2.0


LAYER = Layer()


@pypto.frontend.jit
def keywords(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = scaled(x, by=4.0, plus=1.0)


@pypto.frontend.jit
def methods(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = LAYER.forward(x, n[0])


@pypto.frontend.jit
def callable_object(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = LAYER(x, n[0])


@pypto.frontend.jit
def static_and_class_methods(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = Layer.fixed(x, n[0]) + LAYER.made(x, n[0])


@pypto.frontend.jit
def partials(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = functools.partial(fold, c=n[0])(x, 3)


@pypto.frontend.jit
def through_a_wrapper(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = wrapped(x, n[0])


@pypto.frontend.jit
def through_map_and_reduce(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    parts = list(map(lambda t: wrapped(t, n[0]), [x, x]))
    out[:] = functools.reduce(lambda a, b: a + b, parts)


@pypto.frontend.jit
def marked_helper(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    marked(x, out, n[0])


@pypto.frontend.jit
def other_kernel(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x + 1.0
    for _ in pypto.loop(n[0]):
        out[:] = out * 2.0


@pypto.frontend.jit
def kernel_in_kernel(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    t = pypto.tensor([8, 8], F, "t")
    other_kernel(x, n, t)
    out[:] = t + 1.0


@pypto.frontend.jit
def scopes(x: T, n: N, out: T):
    """Comprehensions see locals, walrus binds outside, inner functions see later stores, del ends a name."""
    pypto.set_vec_tile_shapes(8, 8)
    k = 2
    squares = [j * k for j in range(4) if (last := j) >= 0]

    def later():
        return k + sum(squares)

    k = 3
    text = f"{k!r:>3}|{last}"
    temporary = 1
    del temporary
    first, *rest = squares
    total = later() + len(rest) + first + (5 if text == "  3|3" else 0)
    lowest, biggest = min(squares), max(squares, key=lambda v: -v)
    for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
        total += a * b * c
    while total > 1000:
        total -= 1
    out[:] = x * float(total + lowest + biggest)


CASES = [
    (keywords, 5, 5),
    (methods, 3, 4),
    (callable_object, 4, 3),
    (static_and_class_methods, 32, 4),
    (partials, 104, 4),
    (through_a_wrapper, 2.5, 1.5),
    (through_map_and_reduce, 5, 3),
    (marked_helper, 2, 3),
    (kernel_in_kernel, 17, 9),
]


@pytest.mark.parametrize(("kernel", "with_3", "with_2"), CASES, ids=[c[0].__name__ for c in CASES])
def test_helpers(kernel, with_3, with_2):
    assert value(kernel, 3) == with_3
    assert value(kernel, 2) == with_2


def test_scopes():
    assert value(scopes) == 3 + 12 + 3 + 0 + 5 + 6 + 120


@pypto.frontend.jit
def printing(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    acc = x
    for _ in pypto.loop(n[0]):
        print("traced")
        acc = acc + 1.0
        box = (acc, 1)
        acc = box[0]
    out[:] = acc


def test_what_a_body_prints_is_printed_once(capsys):
    assert value(printing) == 4
    assert capsys.readouterr().out == "traced\n"


def test_annotations_need_not_exist_in_the_body():
    def kernel(x: "T", n: "N", out: "T"):
        pypto.set_vec_tile_shapes(8, 8)
        out[:] = x + 1.0

    kernel.__annotations__ = {"x": T, "n": N, "out": T}
    assert value(pypto.frontend.jit(kernel)) == 2


def test_kernels_of_an_installed_collection(tmp_path, monkeypatch):
    """A package among the libraries that holds kernels counts as the user's, its helper modules too."""
    from openpto.diagnostics import boundary

    folder = tmp_path / "site-packages" / "kernel_collection"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "helpers.py").write_text(
        "import pypto\n\n\ndef grow(t, c):\n    for _ in pypto.loop(c):\n        t = t + 1.0\n    return t\n"
    )
    (folder / "kernels.py").write_text(
        "import pypto\nfrom kernel_collection.helpers import grow\n\nT = pypto.Tensor([8, 8], pypto.DT_FP32)\n\n\n"
        "@pypto.frontend.jit\ndef kernel(x: T, n: pypto.Tensor([1], pypto.DT_INT32), out: T):\n"
        "    pypto.set_vec_tile_shapes(8, 8)\n    out[:] = grow(x, n[0])\n"
    )
    libraries = (*boundary._LIBRARY_DIRECTORIES, f"{tmp_path / 'site-packages'}/")
    monkeypatch.setattr(boundary, "_LIBRARY_DIRECTORIES", libraries)
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    from kernel_collection.kernels import kernel

    assert value(kernel) == 4
