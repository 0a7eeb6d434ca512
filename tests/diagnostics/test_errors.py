"""Exceptions made from rules: classes, attributes, text, pickling."""

import copy
import pickle
import traceback
from dataclasses import replace

import pytest

from openpto import configure
from openpto.diagnostics import (
    RULES,
    LoopFrame,
    PyptoError,
    Rule,
    Site,
    Span,
    T,
    at,
    context,
    error_class,
    fail,
    fault,
    register,
    set_site_hook,
)

CLASSES = [
    Exception, ValueError, TypeError, RuntimeError, NameError, NotImplementedError, KeyError, IndexError, LookupError,
    SyntaxError, AssertionError, AttributeError, ZeroDivisionError, OverflowError, MemoryError, OSError, RecursionError,
    UnboundLocalError, ArithmeticError, ImportError,
]  # fmt: skip


@pytest.fixture
def rule():
    """A way to register a rule under PTO999 for one test."""

    def make(python_class=ValueError):
        return register(
            Rule(
                code="PTO999",
                name="only-for-tests",
                exc=python_class,
                title=T("a title", "标题"),
                message=T("{what} is 'wrong'", "{what} 有误"),
                help=T("change {what}", "修改 {what}"),
                explanation=T("It is.", "是。"),
                aliases=("F00002",),
                phrases=("the {what} phrase",),
                untestable="only for tests",
            )
        )

    yield make
    RULES.pop("PTO999", None)


@pytest.mark.parametrize("python_class", CLASSES)
def test_inherits_from_both_and_prints_the_whole_text(rule, python_class):
    made = rule(python_class)
    site = Site(Span("k.py", 3, 4, 3, 9), (("h", Span("m.py", 8)),), (LoopFrame("L", "i", 2),), "kern")
    with pytest.raises(python_class) as caught:
        fail("PTO999", site=site, what="it")
    exc = caught.value
    assert isinstance(exc, PyptoError)
    assert type(exc) is error_class(python_class)
    assert (exc.code, exc.rule, exc.site, exc.fields) == ("PTO999", made, site, {"what": "it"})
    assert exc.aliases == ("F00002",)
    assert str(exc).startswith("error[PTO999]: a title   ")
    assert "it is 'wrong'" in str(exc)
    assert "the it phrase" in str(exc)
    assert not exc.fault


@pytest.mark.parametrize("python_class", CLASSES)
def test_the_interpreter_prints_the_same_text(rule, python_class):
    rule(python_class)
    with pytest.raises(python_class) as caught:
        fail("PTO999", what="it")
    printed = "".join(traceback.format_exception_only(type(caught.value), caught.value))
    stem = python_class.__name__.removesuffix("Error")
    assert printed == f"pypto.Pypto{stem}Error: {caught.value}\n"


@pytest.mark.parametrize("python_class", CLASSES)
@pytest.mark.parametrize("way", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_pickles(rule, python_class, way):
    rule(python_class)
    with pytest.raises(python_class) as caught:
        fault("PTO999", site=Site(Span("k.py", 3)), what=object)
    again = way(caught.value)
    assert type(again) is type(caught.value)
    assert str(again) == str(caught.value)
    assert (again.code, again.site, again.fault) == ("PTO999", caught.value.site, True)


def test_place_comes_from_argument_then_context_then_hook(rule, monkeypatch):
    monkeypatch.setattr(context, "_site_hook", None)  # that of the front end comes back after the test
    rule()
    one, two, three = (Site(Span("k.py", line)) for line in (1, 2, 3))

    def place(**kwargs):
        with pytest.raises(ValueError) as caught:
            fail("PTO999", what="it", **kwargs)
        return caught.value.site

    assert place() == Site(None)
    set_site_hook(lambda: three)
    assert place() == three
    with at(two):
        assert place() == two
        with at(None):
            assert place() == two
        assert place(site=one) == one
        assert place(site=Span("k.py", 1)) == one
    assert place() == three


def test_control_characters_of_user_values_are_escaped(rule):
    rule()
    with pytest.raises(ValueError) as caught:
        fail("PTO999", what="\x1b[31mred\nline")
    assert r"\x1b[31mred\nline is 'wrong'" in str(caught.value)


def test_braces_in_user_values_are_not_fields(rule):
    rule()
    with pytest.raises(ValueError, match=r"\{what\} \[bold\] is"):
        fail("PTO999", what="{what} [bold]")


def test_a_front_end_that_raises_another_class(rule):
    """Under a target an exception has the class of that front end, without one the classes of both."""
    made = rule(ValueError)
    RULES["PTO999"] = replace(made, exc_in={"0.2": AssertionError})
    for target, classes in (("0.2", (AssertionError,)), ("0.3", (ValueError,)), (None, (ValueError, AssertionError))):
        with configure(target=target), pytest.raises(classes[0]) as caught:
            fail("PTO999", what="it")
        assert type(caught.value).__bases__ == (PyptoError, *classes)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value)
        assert str(again) == str(caught.value)


def test_classes_that_are_one_another(rule):
    """Of two classes of which one is the other's base, the narrower one counts."""
    made = replace(rule(RuntimeError), exc_in={"0.2": NotImplementedError})
    assert made.classes(None) == (NotImplementedError,)
