"""The text form: prints and parses back exactly, for written kernels and for random ones."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openpto.diagnostics import LoopFrame, Site, Span
from openpto.ir import expr as ex
from openpto.ir import ssa
from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode, SaturationMode, TileOpFormat
from openpto.ir.nodes import Block, CubeTile, If, Imm, Kernel, Let, Loop, Op, Param, Scope, TileType, Value
from openpto.ir.parser import TextError, parse
from openpto.ir.printer import text
from openpto.ir.trace import Trace
from openpto.ir.verifier import MalformedKernel, require_valid, verify

F32, I32, BF16 = DataType.DT_FP32, DataType.DT_INT32, DataType.DT_BF16
HERE = Site(Span("kernel.py", 3, 4, 3, 20), (("helper", Span("kernel.py", 9)),), (LoopFrame("L", "i"),), "kernel")


def round_trip(kernel, **options):
    shown = text(kernel, **options)
    again = parse(shown)
    assert text(again, **options) == shown
    return again


WRITTEN = """\
kernel "rows" {alias: {"b": "x"}}
param "x" %1 v1 : FP32[dim(x, 0), 64] final %1
param "out" %2 v2 : FP32[dim(out, 0), 64] final %12
let ^3:n = ((dim(x, 0) + 7) // 8)
loop @4:i from 0 to ^3:n step 1 {name: "rows", idx_name: "i", parallel: False}
  carry "out" init %2 param %5 v2 : FP32[dim(out, 0), 64] yield %9 result %12 v2 : FP32[dim(out, 0), 64]
  %6 v6 : FP32[8, 64] valid [?, 64] = view(%1) {offsets: ((@4:i * 8), 0), valid: None} scope 0 site 0
  %7 "y" v7 : FP32[8, 64] valid [min((dim(x, 0) - (@4:i * 8)), 8), 64] = add(%6, 1.5:FP32) site 1
  if (loop_end(@4:i, 0, ^3:n, 1) and not(^3:n))
    %8 v2 : FP32[dim(out, 0), 64] = assemble(%7, %5) {offsets: ((@4:i * 8), 0), inplace: True}
  else
    merge "out" then %8 other %5 result %9 v2 : FP32[dim(out, 0), 64]
  end
end
end
scope 0 {vec: (8, 64), options: {"pass.x": 1}}
site 0 (("rows.py", 12, 8, 12, 40), (), (("rows", "i", None),), "rows")
site 1 (("rows.py", 13, 8, 0, 0), (("helper", ("rows.py", 20, 0, 0, 0)),), (), "")
"""


def test_a_written_kernel_reads_and_prints_as_it_stands():
    kernel = require_valid(parse(WRITTEN))
    assert text(kernel) == WRITTEN
    loop = kernel.body.body[1]
    assert isinstance(loop, Loop)
    assert loop.carries[0].init is kernel.params[1].value
    assert kernel.params[1].final is loop.carries[0].result
    assert loop.body.body[0].scope.vec == (8, 64)
    assert loop.body.body[1].site.chain[0][0] == "helper"


def test_a_recorded_kernel_prints_and_reads_back():
    trace = Trace("rows", Site(None))
    x = trace.param("x", TileType((ex.dim("x", 0), 64), F32), Site(None))
    out = trace.param("out", TileType((ex.dim("out", 0), 64), F32), Site(None))
    loop = trace.begin_loop(0, ex.dim("x", 0), 1, idx_name="i", attrs={"name": "rows"}, site=Site(None))
    attrs = {"offsets": (loop.index, 0), "valid": None}
    (window,) = trace.emit("view", [x], [(TileType((1, 64), F32), (1, 64))], attrs, site=Site(None))
    attrs = {"offsets": (loop.index, 0)}
    trace.emit("assemble", [window, out], [(out.type, out.valid)], attrs, site=Site(None), into=out)
    trace.end_loop(loop)
    trace.settle_after_loop(loop, Site(None))
    again = round_trip(require_valid(ssa.build(trace)))
    assert len(again.body.body[0].carries) == 1


def test_every_kind_of_node_comes_back():
    x = Value(1, TileType((ex.dim("x", 0), 8), F32), (ex.dim("x", 0), 8), 1, "x")
    out = Value(2, TileType((8, 8), BF16, TileOpFormat.TILEOP_NZ), (8, 8), 2, 'odd "name"')
    i, s, t = ex.index(3, "i"), ex.ref(4, "späte Zahl"), ex.ref(5)
    scope = Scope((8, 16), CubeTile((16, 16), (16, 32), (16, 16), True), None, None, "part", {"pass.a": {1: [2, (3,)]}})
    type8 = TileType((8, 8), F32)
    a = Value(6, type8, (8, None), 6)
    attrs = {"mode": CastMode.CAST_RINT, "satmode": SaturationMode.OFF, "f": (1.5, -0.0, float("inf"), 1e-30)}
    ops = (
        Op("view", (x,), (a,), {"offsets": (ex.const(3), 0), "valid": (ex.named("n"), 8)}, HERE, scope),
        Let(s, None, HERE),
        Let(t, ex.select(ex.binary("ne", s, 0), ex.unary("neg", ex.named("k", 5)), ex.binary("mod", s, 3)), HERE),
        If(
            ex.binary("or", ex.loop_begin(i, 0), ex.unary("not", t)),
            Block((Op("write_scalar", (ex.const(7), a), (), attrs, HERE),)),
            Block(()),
            (),
            HERE,
            {"kind": None},
        ),
    )
    body = Block((Loop(i, ex.const(0), ex.named("n"), ex.const(-2), (), Block(ops), {"name": "L"}, HERE, scope),))
    kernel = Kernel("k", (Param("x", x, x), Param("out", out, out)), body, {"alias": {"out": "x"}, "what": object})
    again = round_trip(kernel)
    loop = again.body.body[0]
    assert loop.scope == scope
    assert loop.site == HERE
    view, let, late, branch = loop.body.body
    assert view.results[0].valid == (8, None)
    assert view.attrs["offsets"][0] is ex.const(3)
    assert let.value is None
    assert late.value is ops[2].value
    assert branch.cond is ops[3].cond
    assert branch.then.body[0].attrs == attrs
    assert str(branch.then.body[0].attrs["f"][1]) == "-0.0"
    assert again.params[1].value.type == out.type
    assert again.params[1].value.name == 'odd "name"'


def test_without_sites_and_scopes():
    scope = Scope((8, 16))
    a = Value(1, TileType((8,), F32), (8,), 1)
    kernel = Kernel("k", (), Block((Op("alloc", (), (a,), {}, HERE, scope),)))
    shown = text(kernel, sites=False, scopes=False)
    assert shown == 'kernel "k"\n%1 v1 : FP32[8] = alloc()\nend\n'
    assert parse(shown).body.body[0].site == Site(None)


def test_deep_expressions_do_not_recurse():
    node = ex.named("n")
    for k in range(5000):
        node = ex.binary("add", node, k) if k % 2 else ex.binary("max", ex.binary("mul", 2, node), 3)
    kernel = Kernel("k", (), Block((Let(ex.ref(1), node, Site(None)),)))
    again = round_trip(kernel)
    assert again.body.body[0].value is node


@pytest.mark.parametrize(
    "source",
    [
        "",
        'kernel "k"\n',
        'kernel "k"\n%1 v1 : FP32[8] = clone(%2)\nend\n',
        'kernel "k"\n%1 v1 : FP33[8] = alloc()\nend\n',
        'kernel "k"\nlet ^1 = (1 ? 2)\nend\n',
        'kernel "k"\nloop @1 from 0 to 2 step 1\nend\n',
        'kernel "k"\nlet ^1 = min(1)\nend\n',
    ],
)
def test_other_texts_are_refused(source):
    with pytest.raises(TextError):
        parse(source)


# Random kernels


class Generator:
    """A random well-formed kernel: loops with carries, branches with merges, scalars, in-place ops."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.trace = Trace("random", Site(Span("r.py", 1)))
        self.n = ex.dim("p0", 0)
        self.tiles = [self.trace.param(f"p{k}", TileType((8, 8), F32), self.site()) for k in range(2)]
        self.scalars = [ex.const(3), self.n]
        self.cells = []

    def site(self):
        return Site(Span("r.py", self.random.randint(1, 99), self.random.randint(0, 9)))

    def scalar(self):
        a, b = self.random.choice(self.scalars), self.random.choice(self.scalars)
        kind = self.random.choice(["add", "sub", "mul", "min", "max", "lt", "and", "select", "leaf"])
        if kind == "leaf":
            return a
        if kind == "select":
            return ex.select(ex.binary("gt", a, 1), a, b)
        try:
            return ex.binary(kind, a, b)
        except ex.ScalarFault:
            return a

    def fill(self, depth):
        tiles, scalars = len(self.tiles), len(self.scalars)
        for _ in range(self.random.randint(1, 5)):
            getattr(self, self.random.choice(["op", "op", "view", "store", "let", "read", "cell", "loop", "branch"]))(
                depth
            )
        del self.tiles[tiles:], self.scalars[scalars:]

    def op(self, depth):
        operands = [self.random.choice(self.tiles), self.random.choice([Imm(0.5, F32), self.random.choice(self.tiles)])]
        kind = TileType((8, 8), F32)
        self.tiles += self.trace.emit(self.random.choice(["add", "mul"]), operands, [(kind, (8, 8))], site=self.site())

    def view(self, depth):
        attrs = {"offsets": (self.scalar(), 0), "valid": self.random.choice([None, (8, self.scalar())])}
        kind = TileType((8, 8), F32)
        self.tiles += self.trace.emit(
            "view", [self.random.choice(self.tiles)], [(kind, (8, 8))], attrs, site=self.site()
        )

    def store(self, depth):
        source, target = self.random.choice(self.tiles), self.random.choice(self.tiles)
        results = [(target.type, target.valid)]
        attrs = {"offsets": (self.scalar(), 0), "parallel": False}
        self.trace.emit("assemble", [source, target], results, attrs, site=self.site(), into=target)

    def let(self, depth):
        self.scalars.append(self.trace.let(self.scalar(), self.site(), self.random.choice(["", "n", "a b"])))

    def read(self, depth):
        indices = [self.scalar(), 0]
        self.scalars.append(self.trace.read_scalar(self.random.choice(self.tiles), indices, self.site()))

    def cell(self, depth):
        if not self.cells or (depth == 0 and self.random.random() < 0.5):
            if depth:
                return
            self.cells.append(self.trace.scalar("c", self.site()))
        cell = self.random.choice(self.cells)
        self.trace.set_scalar(cell, self.scalar(), self.site())
        self.scalars.append(self.trace.get_scalar(cell, self.site()))

    def loop(self, depth):
        if depth > 2:
            return
        site = self.site()
        attrs = {"name": f"L{depth}", "idx_name": "i", "parallel": self.random.random() < 0.1}
        loop = self.trace.begin_loop(0, self.scalar(), 1, idx_name="i", attrs=attrs, site=site)
        self.scalars.append(loop.index)
        self.fill(depth + 1)
        self.scalars.remove(loop.index)
        self.trace.end_loop(loop)
        self.trace.settle_after_loop(loop, site)

    def branch(self, depth):
        if depth > 2:
            return
        site = self.site()
        branch = self.trace.begin_if(self.scalar(), site=site)
        self.fill(depth + 1)
        left = self.trace.begin_else(branch)
        self.fill(depth + 1)
        self.trace.end_if(branch, left, site)

    def kernel(self):
        for _ in range(3):
            self.fill(0)
        return ssa.build(self.trace)


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_random_kernels_print_parse_print(seed):
    kernel = Generator(seed).kernel()
    again = round_trip(kernel)
    assert verify(again) == []
    round_trip(kernel, sites=False, scopes=False)


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_random_kernels_are_well_formed(seed):
    assert verify(Generator(seed).kernel()) == []


# The verifier


def tile(uid, shape=(8, 8), dtype=F32, var=None):
    return Value(uid, TileType(shape, dtype), shape, var or uid)


def problems(*stmts, params=()):
    return [p.why for p in verify(Kernel("k", tuple(Param("x", v, v) for v in params), Block(stmts)))]


X = tile(1)


@pytest.mark.parametrize(
    ("stmt", "why"),
    [
        (Op("clone", (tile(9),), (tile(2),), {}, HERE), "%9 is used where it is not defined"),
        (Op("clone", (X,), (X,), {}, HERE), "%1 is defined twice"),
        (Op("view", (X,), (tile(2),), {"offsets": (0,), "valid": None}, HERE), "offsets has 1 entries for rank 2"),
        (Op("view", (X,), (tile(2),), {"offsets": (0, 0)}, HERE), "attributes valid are missing"),
        (Op("clone", (X,), (tile(2, dtype=I32),), {}, HERE), "element types FP32 and INT32"),
        (Op("add", (X, tile(1)), (), {}, HERE), "is used where it is not defined"),
        (Op("add", (X, X), (), {}, HERE), "has no tile as its only result"),
        (Op("add", (X, X), (tile(2, (8, 9)),), {}, HERE), "extent 8 does not broadcast to 9"),
        (Op("permute", (X,), (tile(2),), {"perm": (0, 0)}, HERE), "perm (0, 0) is no permutation of 2 axes"),
        (Op("reshape", (X,), (tile(2, (8, 9)),), {"valid": None}, HERE), "64 elements become 72"),
        (Op("sum", (X,), (tile(2, (8,)),), {"axes": (2,), "keepdim": False}, HERE), "axes (2,) of rank 2"),
        (Op("read_scalar", (X, ex.const(0)), (ex.ref(5),), {}, HERE), "the index has 1 entries for rank 2"),
        (Op("fillpad", (X,), (tile(2),), {}, HERE), "operands v where vi are expected"),
        (Op("assemble", (X, X), (tile(2, var=1),), {"offsets": (0, 0)}, HERE), "inplace is False"),
        (Op("clone", (X,), (Value(2, X.type, (8,), 2),), {}, HERE), "%2 has 1 valid extents for 2 axes"),
        (Let(ex.ref(7), ex.ref(8, "late"), HERE), "scalar (8, 'late') is used where it is not defined"),
    ],
)
def test_what_is_malformed_is_found(stmt, why):
    found = problems(stmt, params=(X,))
    assert any(why in text for text in found), found


def test_a_value_of_a_branch_is_not_visible_behind_it():
    inner = Op("clone", (X,), (tile(2),), {}, HERE)
    branch = If(ex.named("n"), Block((inner,)), Block(()), (), HERE)
    after = Op("clone", (tile(2),), (tile(3),), {}, HERE)
    use = Op("clone", (inner.results[0],), (tile(4),), {}, HERE)
    assert problems(branch, params=(X,)) == []
    assert problems(branch, use, after, params=(X,)) != []


def test_the_error_names_the_place():
    bad = Op("clone", (tile(9),), (tile(2),), {}, HERE)
    with pytest.raises(MalformedKernel, match=r"kernel\.py:3: clone: %9 is used where it is not defined"):
        require_valid(Kernel("k", (), Block((bad,))))
