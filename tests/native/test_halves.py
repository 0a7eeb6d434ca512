"""Modules cut into what is compiled fast and what is compiled well."""

from openpto.runtime.native import jit
from openpto.runtime.native.halves import halves

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


def test_halves_call_each_other():
    fast, well = halves(TEXT)
    assert "define i64 @twice(" in fast
    assert fast.count("define") == 1
    assert "declare i64 @least(i64, i64)" in fast
    assert "declare i64 @twice(ptr noalias" in well
    assert well.count("define") == 2
    llvm = jit.binding()
    for half in (fast, well):
        llvm.parse_assembly(half).verify()


def test_a_module_of_one_kind_stays_whole():
    fast, well = halves(TEXT)
    assert halves(fast) == (fast, "")
    assert halves(well) == ("", well)
