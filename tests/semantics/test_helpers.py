"""Helpers, closures, factories, nesting of kernels, refused syntax (semantics 4, core 1.8 and 3)."""

import functools
import linecache
import textwrap

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, fails, jit, refused_by, whole

import pypto

SCALE = 3.0


def scaled(x, factor=SCALE, *, offset=0.0):
    return x * factor + offset


def run(body, x=None, shape=(4, 8)):
    """`o[:] = body(x)` for FP32 tiles of one shape."""

    @jit
    def kernel(x: T(list(shape), F32), o: T(list(shape), F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = body(x)

    x = whole(*shape) if x is None else x
    o = blank(*shape)
    kernel(x, o)
    return x, o


def test_defaults_and_keywords():
    """Helpers take defaults, keywords and keyword-only arguments."""
    x, o = run(lambda x: scaled(x) + scaled(x, 2.0) + scaled(offset=1.0, x=x, factor=4.0))
    assert np.array_equal(o, x * 9 + 1)


def test_helpers_return_tuples():
    """A helper may return several values, concrete early returns included."""

    def parts(x, flag):
        if flag:
            return x * 2.0, 5.0
        return x, 1.0

    def body(x):
        a, scale = parts(x, True)
        b, _ = parts(x, False)
        return a * scale + b

    x, o = run(body)
    assert np.array_equal(o, x * 11)


def test_helper_with_symbolic_control_flow():
    """A helper's own loops and branches are the kernel's."""

    def accumulate(x, n):
        total = pypto.full([1, 8], 0.0, F32)
        for i in pypto.loop(n, name="H", idx_name="h"):
            if i % 2 == 0:
                total = total + pypto.view(x, [1, 8], [i, 0])
            else:
                total = total * 2.0
        return total

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        o[:] = accumulate(x, x.shape[0])

    x, o = whole(5, 8), blank(1, 8)
    kernel(x, o)
    total = np.zeros(8, np.float32)
    for i in range(5):
        total = total + x[i] if i % 2 == 0 else total * 2
    assert np.array_equal(o[0], total)


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.apply(x)

    def apply(self, x, times=1):
        for _ in range(times):
            x = x * self.factor
        return x

    @staticmethod
    def negated(x):
        return -x

    @classmethod
    def doubled(cls, x):
        return cls(2.0).apply(x)


def test_methods():
    """Methods, static and class methods, callable objects."""
    scaler = Scaler(3.0)
    x, o = run(lambda x: scaler.apply(x, times=2) + scaler(x) + Scaler.negated(x) + Scaler.doubled(x))
    assert np.array_equal(o, x * 9 + x * 3 - x + x * 2)


def test_nested_functions_lambdas_and_partials():
    """Nested defs, lambdas, partials and decorators with wraps."""

    def doubled(fn):
        @functools.wraps(fn)
        def wrapper(x):
            return fn(x) * 2.0

        return wrapper

    @doubled
    def plus_one(x):
        return x + 1.0

    def body(x):
        def inner(y):
            return y + x

        negate = lambda y: -y
        return inner(plus_one(x)) + negate(x) + functools.partial(scaled, factor=10.0)(x)

    x, o = run(body)
    assert np.array_equal(o, (x + 1) * 2 + x - x + x * 10)


def test_recursion():
    """Recursion that ends while tracing is fine; without an end it is a coded stop."""

    def tower(x, n):
        return x if n == 0 else tower(x, n - 1) + 1.0

    x, o = run(lambda x: tower(x, 6))
    assert np.array_equal(o, x + 6)

    def endless(x):
        return endless(x) + 1.0

    with fails("recurs"):
        run(endless)


def test_factories_and_closures():
    """A factory's variables are visible; each kernel keeps its own."""

    def build(size, factor):
        @jit
        def kernel(x: T([D, size], F32), o: T([D, size], F32)):
            pypto.set_vec_tile_shapes(1, size)
            for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
                pypto.assemble(pypto.view(x, [1, size], [i, 0]) * factor, [i, 0], o)

        return kernel

    kernels = {(size, factor): build(size, factor) for size in (4, 8) for factor in (2.0, 5.0)}
    for (size, factor), kernel in kernels.items():
        x, o = whole(3, size), blank(3, size)
        kernel(x, o)
        assert np.array_equal(o, x * factor)


def test_frontend_function():
    """A `frontend.function` helper is inlined: symbolic `if`, positional tensors and scalars, annotations checked."""

    @pypto.frontend.function
    def store(x: T([4, 8], F32), o: T([4, 8], F32), n):
        if n > 0:
            o[:] = x + 1.0
        else:
            o[:] = x - 1.0

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), n: T([1], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        store(x, o, n[0])

    for n in (1, 0):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, o, np.array([n], np.int32))
        assert np.array_equal(o, x + 1 if n else x - 1)


def test_frontend_function_outside_a_kernel():
    """Calling it outside a kernel is a TypeError."""

    @pypto.frontend.function
    def helper(x):
        return x

    with fails("NestedFunctionMarker|kernel", exc=TypeError):
        helper(1)


def test_frontend_function_checks_its_annotations():
    """Annotated tensors are checked for rank, int dims and dtype."""

    @pypto.frontend.function
    def helper(x: T([4, 16], F32), o):
        o[:] = x

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        helper(x, o)

    with fails("16"):
        kernel(whole(4, 8), blank(4, 8))


def test_kernel_in_a_kernel():
    """A kernel called inside a kernel is inlined; refused by 0.2 and 0.3."""

    @jit
    def inner(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * 2.0

    @jit
    def outer(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32)
        inner(x, t)
        o[:] = t + 1.0

    def call():
        x, o = whole(4, 8), blank(4, 8)
        outer(x, o)
        assert np.array_equal(o, x * 2 + 1)

    refused_by(("0.2", "0.3"), "input type is not currently supported|kernel", call, line="inner(x, t)")


def test_globals_and_builtins():
    """Globals, builtins, f-strings, comprehension, star calls, walrus: ordinary Python."""

    def body(x):
        values = sorted({3, 1, 2}, reverse=True)
        text = f"{values[0]}-{len(values):02d}"
        assert text == "3-03"
        terms = [x * float(v) for v in values if v != 2]
        total = scaled(*[terms[0]], **{"factor": 1.0})
        if (count := len(terms)) == 2:
            total = total + terms[1] * float(count)
        return total * SCALE

    x, o = run(body)
    assert np.array_equal(o, (x * 3 + x * 2) * 3)


def from_source(body, **names):
    """A kernel made of source text, as a notebook cell would."""
    source = textwrap.dedent(
        """
        import pypto
        @pypto.frontend.jit
        def kernel(x: pypto.Tensor([4, 8], pypto.DT_FP32), o: pypto.Tensor([4, 8], pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(4, 8)
        """
    ) + textwrap.indent(textwrap.dedent(body), "    ")
    name = f"<cell {abs(hash(body))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "cell", **names}
    exec(compile(source, name, "exec"), space)
    return space["kernel"]


def test_notebook_cells():
    """Kernels in `exec` with linecache work, and their errors show the line."""
    kernel = from_source("o[:] = x * 2.0 + 1.0")
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2 + 1)
    with fails("o\\[:\\] = pypto.view", line="o[:] = pypto.view(x, [1], [0])"):
        from_source("o[:] = pypto.view(x, [1], [0])")(x, o)


def test_source_that_cannot_be_found():
    """Where Python keeps no text, a coded error says what to do."""
    space = {"__name__": "nowhere"}
    exec(
        "import pypto\n"
        "@pypto.frontend.jit\n"
        "def kernel(x: pypto.Tensor([4, 8], pypto.DT_FP32), o: pypto.Tensor([4, 8], pypto.DT_FP32)):\n"
        "    pypto.set_vec_tile_shapes(4, 8)\n"
        "    o[:] = x + 1.0\n",
        space,
    )
    with fails("source"):
        space["kernel"](whole(4, 8), blank(4, 8))


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("try:\n    o[:] = x\nfinally:\n    pass", "try"),
        ("import math\no[:] = x", "import"),
        ("from math import pi\no[:] = x", "import"),
        ("class A:\n    pass\no[:] = x", "class"),
        ("global G\no[:] = x", "global"),
        ("for i in range(2):\n    o[:] = x\nelse:\n    pass", "else"),
        ("while False:\n    pass\nelse:\n    o[:] = x", "else"),
        ("yield\no[:] = x", "yield|generator"),
        ("o[:] = x\nreturn x", "return"),
        ("raise\no[:] = x", "raise"),
    ],
    ids=["try", "import", "from", "class", "global", "for-else", "while-else", "yield", "return", "raise"],
)
def test_refused_syntax(body, match):
    """What both toolchains refuse in a kernel is a coded error."""
    with fails(match):
        from_source(body)(whole(4, 8), blank(4, 8))


def test_refused_syntax_in_a_helper():
    """The same in a traced helper."""

    def careful(x):
        try:
            return x + 1.0
        except ValueError:
            return x

    def variadic(*parts):
        return parts[0]

    def outer(x):
        count = 0

        def inner():
            nonlocal count
            count += 1
            return x

        return inner()

    for helper, match in ((careful, "try"), (variadic, r"\*|args|variable"), (outer, "nonlocal")):
        with fails(match):
            run(helper)


def test_keyword_bag_in_a_helper():
    """`**kwargs` helpers work (semantics 8)."""

    def helper(x, **kwargs):
        return x * kwargs["factor"]

    x, o = run(lambda x: helper(x, factor=2.0))
    assert np.array_equal(o, x * 2)


def test_raise_with_an_argument():
    """A user's own exception passes through."""

    def helper(x):
        if x.shape[0] == 4:
            raise KeyError("my own")
        return x

    with pytest.raises(KeyError, match="my own"):
        run(helper)


def test_options_as_a_context():
    """`with pypto.options(...)` runs; refused by 0.2 and 0.3."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        with pypto.options(vec_tile_shapes=[4, 8]):
            t = x + 1.0
        pypto.set_vec_tile_shapes(2, 8)
        o[:] = t

    def call():
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, o)
        assert np.array_equal(o, x + 1)

    refused_by(("0.2", "0.3"), "with|options", call, line="with pypto.options")


def test_errors_name_the_helper_chain():
    """An error in a helper shows the helper's line and the chain of calls."""

    def innermost(x):
        return pypto.view(x, [1], [0])

    def middle(x):
        return innermost(x)

    with fails("middle", line="return pypto.view(x, [1], [0])") as caught:
        run(middle)
    assert [name for name, _ in caught.value.site.chain][:2] == ["innermost", "middle"]


def test_wrong_call_of_a_helper():
    """A Python mistake in a kernel keeps its class: TypeError, NameError, AttributeError."""
    with pytest.raises(TypeError, match="argument"):
        run(lambda x: scaled(x, 1.0, 2.0, 3.0))
    with pytest.raises(AttributeError, match="nosuch"):
        run(lambda x: pypto.nosuch(x))

    def unknown(x):
        return x + zz  # noqa: F821

    with pytest.raises(NameError, match="zz"):
        run(unknown)


def test_a_string_named_like_a_doc():
    """A doc string, comments, type hints on locals, pass, ellipsis: nothing of it matters."""

    def body(x):
        """Doc."""
        y: object = x + 1.0  # note
        pass
        ...
        return y

    x, o = run(body)
    assert np.array_equal(o, x + 1)


def test_non_ascii_source():
    """Names and texts outside ASCII keep their columns."""
    kernel = from_source('größe = "重み"; ω = x * 2.0; o[:] = ω + 1.0')
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2 + 1)


def test_text_is_captured_at_decoration():
    """A file that changes after decoration does not change the kernel."""
    kernel = from_source("o[:] = x * 4.0 + 1.0")
    name = kernel.function.__code__.co_filename
    edited = [line.replace("4.0", "9.0") for line in linecache.cache[name][2]]
    linecache.cache[name] = (len("".join(edited)), None, edited, name)
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 4 + 1)


def test_asynchronous_kernels():
    """`await` and asynchronous definitions are refused."""

    @jit
    async def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    with fails("async"):
        kernel(whole(4, 8), blank(4, 8))


def test_match_statement():
    """`match` on concrete values is plain Python (3.10)."""

    def body(x, mode=("scale", 3)):
        match mode:
            case ("shift", int(by)):
                return x + float(by)
            case ("scale", int(by)) if by > 0:
                return x * float(by)
            case _:
                return x

    x, o = run(body)
    assert np.array_equal(o, x * 3)
