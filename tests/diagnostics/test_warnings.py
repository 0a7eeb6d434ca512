"""Warnings: place, once per code and place, collectors, filters, and the target policy."""

import linecache
import pickle
import types
import warnings

import pytest

from openpto.diagnostics import (
    RULES,
    PyptoError,
    PyptoWarning,
    Rule,
    Site,
    Span,
    T,
    collect_warnings,
    context,
    emit,
    portability,
    register,
    set_target_hook,
    warn,
)


@pytest.fixture(autouse=True)
def rule(monkeypatch):
    register(
        Rule(
            code="PTO699",
            name="only-for-tests",
            severity="warning",
            exc=ValueError,
            title=T("a title", "标题"),
            message=T("{what} is refused by {profiles}", "{profiles} 拒绝 {what}"),
            help=T("change {what}", "修改 {what}"),
            explanation=T("It is.", "是。"),
            profiles=("0.2",),
            untestable="only for tests",
        )
    )
    monkeypatch.setattr(context, "_target_hook", None)  # that of the settings comes back after the test
    yield
    RULES.pop("PTO699", None)


def site(line, col=0):
    return Site(Span("user_kernel.py", line, col, line, col + 1))


def say(line=3, col=0):
    warn("PTO699", site=site(line, col), what="it", profiles="0.2")


def test_a_warning_stands_at_the_users_line():
    with warnings.catch_warnings(record=True) as out:
        warnings.simplefilter("always")
        say()
    assert [(w.category, w.filename, w.lineno) for w in out] == [(PyptoWarning, "user_kernel.py", 3)]
    assert str(out[0].message).startswith("warning[PTO699]: a title\n  --> user_kernel.py:3:1")


def test_once_per_code_and_place_within_a_collector():
    with warnings.catch_warnings(record=True) as out, collect_warnings() as kept:
        warnings.simplefilter("always")
        for _ in range(3):
            say(3)
        say(3, col=4)
        say(4)
    assert [w.site.span.line for w in kept] == [3, 3, 4]
    assert len(out) == 3


def test_a_second_run_warns_again_as_the_filter_allows():
    for action, expected in (("always", 2), ("default", 1), ("ignore", 0)):
        space = types.ModuleType("user_module").__dict__
        code = compile("def go(f): f()", "user_kernel.py", "exec")
        exec(code, space)
        with warnings.catch_warnings(record=True) as out:
            warnings.simplefilter(action)
            kept = []
            for _ in range(2):
                with collect_warnings() as run:
                    space["go"](say)
                kept.append(len(run))
        assert kept == [1, 1]
        assert len(out) == expected


def test_filters_by_module_see_the_users_module():
    space = {"__name__": "users.module"}
    exec(compile("def go(f): f()", "user_kernel.py", "exec"), space)
    with warnings.catch_warnings(record=True) as out:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=PyptoWarning, module=r"users\.module")
        space["go"](say)
    assert out == []


def test_nested_collectors_both_keep():
    with warnings.catch_warnings(record=True) as out, collect_warnings() as outer:
        warnings.simplefilter("always")
        with collect_warnings() as inner:
            say()
        with collect_warnings() as again:
            say()
    assert (len(inner), len(again), len(outer)) == (1, 1, 1)
    assert len(out) == 2


def test_a_warning_can_be_an_error_and_can_be_replayed():
    with collect_warnings() as kept:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(PyptoWarning, match="PTO699"):
                say()
    with warnings.catch_warnings(record=True) as out:
        warnings.simplefilter("always")
        emit(pickle.loads(pickle.dumps(kept[0])))
    assert [w.message.code for w in out] == ["PTO699"]


def test_target_policy():
    def told():
        with warnings.catch_warnings(record=True) as out:
            warnings.simplefilter("always")
            portability("PTO699", site=site(3), what="it")
        return [w.message for w in out]

    assert "it is refused by 0.2" in str(told()[0])
    set_target_hook(lambda: "0.3")
    assert told() == []
    set_target_hook(lambda: "0.2")
    with pytest.raises(ValueError, match=r"error\[PTO699\]") as caught:
        told()
    assert isinstance(caught.value, PyptoError)


def test_profiles_of_the_call_win():
    set_target_hook(lambda: "0.3")
    with pytest.raises(PyptoError, match=r"refused by 0\.2, 0\.3"):
        portability("PTO699", ("0.2", "0.3"), what="it")


def test_a_warning_without_a_place_is_shown():
    with warnings.catch_warnings(record=True) as out:
        warnings.simplefilter("always")
        warn("PTO699", what="it", profiles="0.2")
    assert len(out) == 1
    linecache.checkcache()
