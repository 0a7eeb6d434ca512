"""Modules cut into what is compiled fast and what is compiled well, and for several threads."""

import pytest

from openpto.runtime.native import jit
from openpto.runtime.native import parts as cutting
from openpto.runtime.native.parts import parts

TEXT = """
@zero = internal constant i64 0
declare i64 @llvm.smin.i64(i64, i64)

define internal i64 @least(i64 %a, i64 %b) noinline {
entry:
  %c = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  ret i64 %c
}
define internal i64 @twice(ptr noalias %a,
                           i64 %unused) noinline optnone {
entry:
  %x = load i64, ptr %a
  %y = call i64 @least(i64 %x, i64 7)
  %z = add i64 %y, %y
  ret i64 %z
}
define i64 @kernel(ptr noalias %a) {
entry:
  %x = call i64 @twice(ptr %a, i64 0)
  ret i64 %x
}
"""


def test_parts_call_each_other():
    (fast, is_well), (well, is_fast) = parts(TEXT)
    assert (is_well, is_fast) == (False, True)
    assert "define i64 @twice(" in fast
    assert fast.count("define") == 1
    assert "declare i64 @least(i64, i64)" in fast
    assert "declare i64 @twice(ptr noalias" in well
    assert well.count("define") == 2
    llvm = jit.binding()
    for part in (fast, well):
        llvm.parse_assembly(part).verify()


def test_a_module_of_one_kind_stays_whole():
    (fast, _), (well, _) = parts(TEXT)
    assert parts(fast) == [(fast, False)]
    assert parts(well) == [(well, True)]


def functions(lengths):
    """A module of functions that each call the next one; the lines of their bodies."""
    texts = []
    for k, lines in enumerate(lengths):
        body = "\n".join(f"  %x{n} = add i64 %a, {n}" for n in range(lines))
        call = f"  call void @f{k + 1}(i64 %a)" if k + 1 < len(lengths) else ""
        texts.append(f"define internal void @f{k}(i64 %a) noinline {{\nentry:\n{body}\n{call}\n  ret void\n}}")
    kernel = "define i64 @kernel(ptr %a) noinline optnone {\nentry:\n  call void @f0(i64 1)\n  ret i64 0\n}\n"
    return "\n".join([*texts, kernel])


@pytest.mark.parametrize(("threads", "wanted"), [(1, 1), (2, 2), (3, 3), (8, 6)])
def test_long_modules_are_cut_for_threads(threads, wanted):
    made = parts(functions([400, 300, 200, 10, 10, 10]), threads)
    well = [text for text, is_well in made if is_well]
    assert len(made) == len(well) + 1
    assert len(well) == min(wanted, 930 // cutting.LEAST)
    assert sum(text.count("define ") for text in well) == 6
    lengths = sorted(text.count("add i64") for text in well)
    assert lengths[-1] <= max(400, 930 // len(well) + 100)
    for text, _ in made:
        jit.binding().parse_assembly(text).verify()


def test_short_modules_are_not_cut():
    assert len(parts(functions([40, 50]), 4)) == 2
