"""Decorator forms, annotations, binding and what is accepted at run time (core 1.1, 1.4-1.6; semantics 1 and 8)."""

import numpy as np
import pytest
from semantics_support import BOOL, F32, I32, I64, UNWRITTEN, D, S, T, blank, fails, jit, warns, whole

import pypto


def copy_kernel(source, target=None, tile=(4, 8)):
    """`o[:] = x + 1` with the given annotations."""

    @jit
    def kernel(x: source, o: target if target is not None else source):
        pypto.set_vec_tile_shapes(*tile)
        o[:] = x + 1.0

    return kernel


def check(kernel, shape=(4, 8)):
    x, o = whole(*shape), blank(*shape)
    kernel(x, o)
    assert np.array_equal(o, x + 1)


# -- decorator forms ---------------------------------------------------------------------------------------------------


def body(x: T([4, 8], F32), o: T([4, 8], F32)):
    """What it does."""
    pypto.set_vec_tile_shapes(4, 8)
    o[:] = x + 1.0


@pytest.mark.parametrize(
    "decorate",
    [
        jit,
        jit(),
        jit(runtime_options={"run_mode": pypto.RunMode.SIM}),
        jit(host_options=None, codegen_options=None, pass_options=None, verify_options=None, debug_options=None),
        pypto.jit,
        pypto.jit(runtime_options={"device_sched_mode": 1}),
    ],
    ids=["bare", "empty", "options", "none", "pypto.jit", "pypto.jit-options"],
)
def test_decorator_forms(decorate):
    """`@jit`, `@jit()`, `@jit(k=v)` and the functional form."""
    kernel = decorate(body)
    check(kernel)
    assert kernel.__name__ == "body"
    assert kernel.__doc__ == "What it does."
    assert kernel._original_func is body
    assert callable(kernel)


def test_two_spellings_of_jit():
    """`pypto.jit` is the same object."""
    assert pypto.jit is pypto.frontend.jit


def test_calling_returns_none():
    """A call returns None always."""
    assert jit(body)(whole(4, 8), blank(4, 8)) is None


def test_only_functions():
    """A class or another object: jit decorator can only be used on functions."""
    for thing in (int, object(), "text"):
        with fails("jit decorator can only be used on functions", exc=TypeError):
            jit(thing)


def test_unknown_decorator_keyword():
    """An unknown keyword is a TypeError that names near ones."""
    with fails("runtime_options", exc=TypeError):
        jit(runtime_option={})(body)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"runtime_options": {"run_mod": 1}}, "run_mode"),
        ({"runtime_options": {"device_sched_mode": 9}}, "device_sched_mode"),
        ({"runtime_options": {"stitch_function_max_num": "a"}}, "stitch_function_max_num"),
        ({"pass_options": {"sg_set_scop": 1}}, "sg_set_scope"),
        ({"host_options": {"compile_stage": 99}}, "compile_stage"),
        ({"debug_options": {"runtime_debug_mode": -1}}, "runtime_debug_mode"),
        ({"runtime_options": 3}, "runtime_options|dict"),
    ],
    ids=["unknown", "range", "type", "pass", "host", "debug", "no-dict"],
)
def test_option_dicts_are_checked(options, match):
    """Unknown keys, wrong types and values out of range are errors that name the key or a near one."""
    with fails(match):
        check(jit(**options)(body))


def test_keys_of_older_versions():
    """Keys of older versions are accepted, with a warning."""
    kernel = jit(runtime_options={"stitch_function_inner_memory": 10})(body)
    with warns("stitch_function_inner_memory"):
        check(kernel)


def test_nothing_is_compiled_at_decoration():
    """A kernel that cannot be traced is only noticed at its first call."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        o[:] = pypto.view(x, [1], [0])

    assert kernel.compilations == 0
    with fails("size|dimension|rank"):
        kernel(whole(4, 8), blank(4, 8))


# -- annotations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation",
    [
        T(),
        T([]),
        T([], F32),
        T((), F32),
        T([4, 8], F32),
        T((4, 8), F32),
        T([4, 8]),
        T([S, 8], F32),
        T([4, ...], F32),
        T([...], F32),
        T([S, S], F32),
        T[[4, 8], F32],
        T[[S, 8], F32, "name"],
        T([4, 8], F32, format=pypto.TileOpFormat.TILEOP_ND),
        T([4, 8], F32, "named"),
    ],
    ids=str,
)
def test_annotation_forms(annotation):
    """Every annotation form binds a [4, 8] FP32 array and shows int dims."""

    @jit
    def kernel(x: annotation, o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        assert list(x.shape) == [4, 8]
        o[:] = x + 1.0

    check(kernel)


@pytest.mark.parametrize(
    "first",
    [D, pypto.DYN, -1, pypto.frontend.dynamic("N"), pypto.SymbolicScalar("N")],
    ids=["DYNAMIC", "DYN", "minus-one", "dynamic()", "SymbolicScalar"],
)
def test_dynamic_dims(first):
    """DYNAMIC, DYN, -1 and named symbols make a run-time dim; one compilation serves every size."""

    @jit
    def kernel(x: T([first, 8], F32), o: T([first, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        assert isinstance(x.shape[0], pypto.SymbolicScalar)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    for rows in (1, 5, 0, 3):
        check(kernel, (rows, 8))
    assert kernel.compilations == 1


def test_bare_tensor_class():
    """The class itself is an annotation of a tensor parameter."""

    @jit
    def kernel(x: pypto.Tensor, o: pypto.Tensor):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    check(kernel)


def test_ellipsis_with_dynamic():
    """`[DYNAMIC, ...]` takes any number of further axes, none included."""

    @jit
    def kernel(x: T([D, ...], F32), o: T([D, ...], F32)):
        rank = len(x.shape)
        pypto.set_vec_tile_shapes(*([1] * (rank - 1) + [8]))
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            shape = [1, *x.shape[1:]]
            offsets = [i] + [0] * (rank - 1)
            pypto.assemble(pypto.view(x, shape, offsets) + 1.0, offsets, o)

    for shape in ((5,), (3, 8), (2, 3, 8), (7, 8)):
        check(kernel, shape)
    assert kernel.compilations == 3


def test_a_named_symbol_is_shared():
    """A named symbol is usable in the body and must agree between parameters."""
    n = pypto.frontend.dynamic("N")

    @jit
    def kernel(x: T([n, 8], F32), o: T([n, 8], F32), m: T([1], I32)):
        pypto.set_vec_tile_shapes(1, 8)
        m[0] = n * 2
        for i in pypto.loop(n, name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    x, o, m = whole(3, 8), blank(3, 8), np.zeros(1, np.int32)
    kernel(x, o, m)
    assert np.array_equal(o, x + 1)
    assert m[0] == 6
    with fails("N"):
        kernel(x, blank(4, 8), m)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: T([..., 8], F32), "Ellipsis|last"),
        (lambda: T((D, 8), F32), "Invalid value type"),
        (lambda: T([1.5, 2], F32), "Invalid value type"),
        (lambda: T([-4, 2], F32), "Invalid shape -4"),
        (lambda: T("ab", F32), "shape must be a list of int or SymbolicScalar"),
    ],
    ids=["ellipsis-first", "tuple-of-marks", "float", "negative", "text"],
)
def test_wrong_annotations(make, match):
    """Annotations that mean nothing are refused where they are made or bound."""
    with fails(match):
        annotation = make()
        check(copy_kernel(annotation))


@pytest.mark.parametrize(
    ("annotation", "shape", "match"),
    [
        (T([4, 8], F32), (5, 8), "4.*5|5.*4"),
        (T([4, 8], F32), (4, 8, 1), "rank|dim|axes"),
        (T([4, 8], F32), (8,), "rank|dim|axes"),
        (T([D, 8], F32), (4, 9), "8.*9|9.*8"),
        (T([4, 8], I32), (4, 8), "DT_INT32"),
    ],
    ids=["extent", "rank-high", "rank-low", "dynamic-extent", "dtype"],
)
def test_what_an_annotation_fixes_is_checked(annotation, shape, match):
    """Fixed ints, ranks of int-only lists and dtypes are checked always, before anything runs."""
    o = blank(4, 8)

    @jit
    def kernel(x: annotation, o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8, 8)
        o[:] = x + 1.0

    with fails(rf"\bx\b.*({match})|({match})"):
        kernel(whole(*shape), o)
    assert (o == UNWRITTEN).all()


def test_a_list_with_marks_may_be_shorter():
    """A list with marks may name fewer dims than the argument has: the rest is STATIC."""

    @jit
    def kernel(x: T([D], F32), o: T([D], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        assert x.shape[1] == 8
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    check(kernel, (3, 8))


def test_surplus_marks_warn():
    """Surplus marks warn."""

    @jit
    def kernel(x: T([S, S, S], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    with warns("rank|dims|axes|marks"):
        check(kernel)


def test_dtype_comes_from_the_argument():
    """No dtype given: the argument's."""

    @jit
    def kernel(x: T(), o: T()):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + x

    check_types = ((np.float32, F32), (np.int32, I32))
    for dtype, _ in check_types:
        x, o = whole(4, 8).astype(dtype), np.zeros((4, 8), dtype)
        kernel(x, o)
        assert np.array_equal(o, x + x)


def test_string_annotations():
    """Postponed annotations (strings) are understood or refused in words that name them."""
    import linecache

    source = (
        "from __future__ import annotations\n"
        "import pypto\n"
        "@pypto.frontend.jit\n"
        "def kernel(x: pypto.Tensor([4, 8], pypto.DT_FP32), o: pypto.Tensor([4, 8], pypto.DT_FP32)):\n"
        "    pypto.set_vec_tile_shapes(4, 8)\n"
        "    o[:] = x + 1.0\n"
    )
    name = "<postponed>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "postponed"}
    exec(compile(source, name, "exec"), space)
    x, o = whole(4, 8), blank(4, 8)
    try:
        space["kernel"](x, o)
    except pypto.PyptoError as error:
        assert "annotation" in str(error) or "Non-tensor parameter" in str(error)
    else:
        assert np.array_equal(o, x + 1)


# -- the signature -----------------------------------------------------------------------------------------------------


def test_refused_signatures():
    """Return annotations, *args, **kwargs, keyword-only, positional-only parameters and tensor defaults."""

    def returns(x: T([4, 8], F32), o: T([4, 8], F32)) -> None:
        o[:] = x

    def star(x: T([4, 8], F32), o: T([4, 8], F32), *rest):
        o[:] = x

    def bag(x: T([4, 8], F32), o: T([4, 8], F32), **rest):
        o[:] = x

    def keyword_only(x: T([4, 8], F32), o: T([4, 8], F32), *, n=1):
        o[:] = x

    def positional_only(x: T([4, 8], F32), /, o: T([4, 8], F32)):
        o[:] = x

    def default(x: T([4, 8], F32), o: T([4, 8], F32) = None):
        o[:] = x

    def order(x: T([4, 8], F32), n, o: T([4, 8], F32)):
        o[:] = x

    expected = (
        (returns, "Return annotation is not allowed"),
        (star, r"\*args|Variable-length"),
        (bag, r"\*\*kwargs|packing"),
        (keyword_only, "Keyword-only"),
        (positional_only, "Position"),
        (default, "default"),
        (order, "Non-tensor parameters must come after all tensor parameters"),
    )
    for function, match in expected:
        with fails(match):
            jit(function)(whole(4, 8), blank(4, 8))


def scaled_kernel():
    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), scale, mode="mul", extra: int = 0):
        pypto.set_vec_tile_shapes(4, 8)
        if mode == "mul":
            o[:] = x * scale + float(extra)
        else:
            o[:] = x + scale

    return kernel


def test_non_tensor_parameters():
    """Positional, keyword and default values of any type; the annotation is not enforced."""
    kernel = scaled_kernel()
    x, o = whole(4, 8), blank(4, 8)
    for args, keywords, want in (
        ((2.0,), {}, x * 2),
        ((2.0, "add"), {}, x + 2),
        ((), {"scale": 3.0, "extra": 5}, x * 3 + 5),
        ((2.0,), {"mode": "add"}, x + 2),
        ((2.0, "mul", 2.5), {}, x * 2 + 2.5),
    ):
        kernel(x, o, *args, **keywords)
        assert np.array_equal(o, want), (args, keywords)


def test_own_objects_as_parameters():
    """Lists, dicts, None and own classes are ordinary Python constants inside."""

    class Config:
        def __init__(self, factor):
            self.factor = factor

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), config, terms, table, nothing=None):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * config.factor
        for term in terms:
            t = t + term
        o[:] = t * table["k"] if nothing is None else x

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o, Config(2.0), [1.0, 2.0], {"k": 3.0})
    assert np.array_equal(o, (x * 2 + 3) * 3)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda k, x, o: k(x), r"Expected at least 2 tensor argument\(s\)|missing"),
        (lambda k, x, o: k(), r"Expected at least 2 tensor argument\(s\)|missing"),
        (lambda k, x, o: k(x, o), "Missing required non-tensor argument 'scale'"),
        (lambda k, x, o: k(x, o, 1.0, "mul", 0, 7), "Too many positional arguments"),
        (lambda k, x, o: k(x, o, 1.0, scal=2.0), r"Unknown keyword argument\(s\).*scal"),
        (lambda k, x, o: k(x, o=o, scale=1.0), "positional|Expected at least|keyword"),
        (lambda k, x, o: k(x.tolist(), o, 1.0), "must be a torch.Tensor|list"),
        (lambda k, x, o: k(x, None, 1.0), "must be a torch.Tensor|None"),
        (lambda k, x, o: k(x, 3.0, 1.0), "must be a torch.Tensor|float"),
        (lambda k, x, o: k(x, o, x), "must not be a torch.Tensor|array|tensor"),
    ],
    ids=["few", "none", "missing", "many", "unknown", "tensor-by-keyword", "list", "None", "float", "tensor-as-value"],
)
def test_wrong_calls(call, match):
    """Too few, too many, unknown and missing arguments, and arguments of a wrong kind."""
    o = blank(4, 8)
    with fails(match):
        call(scaled_kernel(), whole(4, 8), o)
    assert (o == UNWRITTEN).all()


# -- run-time arguments ------------------------------------------------------------------------------------------------


def test_zero_size():
    """Zero-size dims bind."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    check(kernel, (0, 8))


def test_scalar_array():
    """A 0-d array is treated as shape [1]."""

    @jit
    def kernel(x: T([1], F32), o: T([1], F32)):
        pypto.set_vec_tile_shapes(8)
        o[:] = x + 1.0

    o = blank(1)
    kernel(np.array(2.0, np.float32), o)
    assert o[0] == 3


def test_dtypes_of_this_engine():
    """FP32, INT32, INT64 and BOOL arrays bind to their DataTypes."""
    types = ((np.float32, F32), (np.int32, I32), (np.int64, I64), (np.bool_, BOOL))
    for np_type, dtype in types:

        @jit
        def kernel(x: T([4, 8], dtype), o: T([4, 8], dtype)):
            pypto.set_vec_tile_shapes(4, 8)
            assert x.dtype == dtype
            o[2:4, :] = x[0:2, :]

        x = (whole(4, 8) > 0).astype(np_type)
        o = np.zeros((4, 8), np_type)
        kernel(x, o)
        assert np.array_equal(o[2:], x[:2])
        assert not o[:2].any()


def test_unsupported_array_types():
    """dtypes without a DataType, foreign byte order, object arrays: errors that name the dtype."""

    @jit
    def kernel(x: T(), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x

    for dtype in (np.complex64, ">f4", object, "U3", "datetime64[s]"):
        with fails("dtype|type|byte"):
            kernel(np.zeros((4, 8), dtype), blank(4, 8))


def test_unaligned_memory():
    """An array that is not aligned is refused."""
    raw = np.zeros(4 * 32 + 1, np.uint8)
    x = raw[1:].view(np.float32).reshape(4, 8)
    with fails("align|address"):
        copy_kernel(T([4, 8], F32))(x, blank(4, 8))


def test_subclasses_of_arrays():
    """A masked array is not taken for its data."""
    x = np.ma.masked_array(whole(4, 8), mask=whole(4, 8) > 0)
    with fails("mask|array|type"):
        copy_kernel(T([4, 8], F32))(x, blank(4, 8))


def test_torch_tensors():
    """torch CPU tensors bind by their memory; results stand in them."""
    torch = pytest.importorskip("torch")
    kernel = copy_kernel(T([4, 8], F32))
    x, o = torch.from_numpy(whole(4, 8)), torch.full((4, 8), UNWRITTEN)
    kernel(x, o)
    assert torch.equal(o, x + 1)
    kernel(x, o.numpy())
    with fails("contiguous"):
        kernel(torch.zeros(8, 4).T, o)
    with fails("DT_FP32|dtype"):
        kernel(x.double(), o)
    with fails("grad"):
        kernel(x, torch.zeros(4, 8, requires_grad=True))
    with fails("meta|device"):
        kernel(torch.zeros(4, 8, device="meta"), o)
    with fails("must not be a torch.Tensor"):
        scaled_kernel()(x, o, x)


def test_writing_a_torch_tensor_advances_its_version():
    """autograd sees the write: the version counter advances."""
    torch = pytest.importorskip("torch")
    o = torch.zeros(4, 8)
    before = o._version
    copy_kernel(T([4, 8], F32))(torch.ones(4, 8), o)
    assert o._version > before
