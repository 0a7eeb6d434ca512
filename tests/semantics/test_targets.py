"""Targets, platforms and warnings (semantics 6)."""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from semantics_support import F32, I32, TARGETS, D, T, blank, fails, jit, line_of, silent, whole

import openpto
import pypto
from openpto.language.configuration import reset_configuration
from pypto import PyptoWarning


def counter_kernel():
    """A kernel with something that only profile 0.2 refuses: a carried scalar."""

    @jit
    def kernel(o: T([4], I32)):
        count = 0
        for i in pypto.loop(4, name="L", idx_name="i"):
            count = count + 2
            o[i] = count

    return kernel


def both_kernel():
    """A kernel with something that both profiles refuse: a fill by slice store."""

    @jit
    def kernel(o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[0:2, :] = 1.5

    return kernel


def test_no_target_warns_for_both():
    """Without a target what has a meaning runs, with warnings that name the profiles."""
    o = np.zeros(4, np.int32)
    with pytest.warns(PyptoWarning, match=r"0\.2"):
        counter_kernel()(o)
    assert o.tolist() == [2, 4, 6, 8]
    with pytest.warns(PyptoWarning, match=r"0\.2.*0\.3"):
        both_kernel()(blank(4, 8))


def test_target_refuses_what_its_profile_refuses():
    """The chosen target's refusals are errors, the other's are silent."""
    with openpto.configure(target="0.2"):
        with fails("count"):
            counter_kernel()(np.zeros(4, np.int32))
        with fails("fill|number|float"):
            both_kernel()(blank(4, 8))
    with openpto.configure(target="0.3"), silent():
        o = np.zeros(4, np.int32)
        counter_kernel()(o)
        assert o.tolist() == [2, 4, 6, 8]
    with openpto.configure(target="0.3"), fails("fill|number|float"):
        both_kernel()(blank(4, 8))


def test_error_and_warning_have_one_code():
    """The warning and the error of one matter carry the same code."""
    with pytest.warns(PyptoWarning) as caught:
        both_kernel()(blank(4, 8))
    code = next(w.message.code for w in caught if isinstance(w.message, PyptoWarning))
    with openpto.configure(target="0.3"), fails("", code=code):
        both_kernel()(blank(4, 8))


def test_target_is_part_of_the_key():
    """One kernel object, several targets: each call is judged by the target in force."""
    kernel = counter_kernel()
    o = np.zeros(4, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyptoWarning)
        kernel(o)
    with openpto.configure(target="0.2"), fails("count"):
        kernel(o)
    with openpto.configure(target="0.3"), silent():
        kernel(o)


def test_unknown_target():
    """An unknown target is refused, with the known ones."""
    with fails("0.2.*0.3"), openpto.configure(target="0.7"):
        pass


def test_target_from_the_environment(monkeypatch):
    """PYPTO_TARGET sets the target; configure wins."""
    monkeypatch.setenv("PYPTO_TARGET", "0.2")
    with fails("count"):
        counter_kernel()(np.zeros(4, np.int32))
    with openpto.configure(target="0.3"), silent():
        counter_kernel()(np.zeros(4, np.int32))


@pytest.mark.parametrize("target", [None, *TARGETS])
def test_what_both_refuse_is_an_error_always(target):
    """What both refuse and the contract gives no meaning is an error under every target."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        o[:] = x + 1.0

    with openpto.configure(target=target), fails("tile shape not set", line="o[:] = x + 1.0"):
        kernel(whole(4, 8), blank(4, 8))


def test_warnings_stand_at_the_users_line():
    """Warnings go through the warnings module at the user's line."""
    kernel = counter_kernel()
    with pytest.warns(PyptoWarning) as caught:
        kernel(np.zeros(4, np.int32))
    ours = [w for w in caught if isinstance(w.message, PyptoWarning)]
    assert all(w.filename == __file__ for w in ours)
    assert all(w.lineno == w.message.site.span.line for w in ours)
    assert any("count" in line_of(w.message) or "pypto.loop" in line_of(w.message) for w in ours)


def test_once_per_code_and_place():
    """One code at one place warns once in a call, however often the place is passed."""

    def store(o, row):
        o[row : row + 1, :] = 1.5

    @jit
    def kernel(o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for row in range(4):
            store(o, row)

    o = blank(4, 8)
    with pytest.warns(PyptoWarning) as caught:
        kernel(o)
    assert (o == 1.5).all()
    codes = [w.message.code for w in caught if isinstance(w.message, PyptoWarning)]
    assert len(codes) == len(set(codes))


def test_warnings_can_be_errors():
    """A filter turns them into exceptions, as any Python warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", PyptoWarning)
        with pytest.raises(PyptoWarning):
            counter_kernel()(np.zeros(4, np.int32))


def test_warnings_are_in_the_receipt():
    """The receipt of a call keeps its warnings, also when the filter hides them."""
    kernel = both_kernel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel(blank(4, 8))
    assert any("fill" in str(w) or "number" in str(w) or "float" in str(w) for w in kernel.last_run.warnings)


def test_configure_nests_and_ends():
    """configure is a context manager: inner wins, the end restores."""
    with openpto.configure(target="0.2"):
        with openpto.configure(target="0.3"), silent():
            counter_kernel()(np.zeros(4, np.int32))
        with fails("count"):
            counter_kernel()(np.zeros(4, np.int32))
    with pytest.warns(PyptoWarning):
        counter_kernel()(np.zeros(4, np.int32))


def test_unknown_setting():
    """An unknown setting is refused with the names near it."""
    with fails("target", exc=TypeError), openpto.configure(targt="0.2"):
        pass


def test_platform_values():
    """Platforms are 910B, 910C and 950; others are refused. A dynamic row copy runs on each."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    for platform in ("910B", "910C", "950"):
        x, o = whole(3, 8), blank(3, 8)
        with openpto.configure(platform=platform), silent():
            kernel(x, o)
        assert np.array_equal(o, x + 1)
    with fails("910B"), openpto.configure(platform="1000"):
        pass


@pytest.mark.parametrize(
    ("value", "near"), [("0.2.0", "0.2"), ("v0.3", "0.3"), ("0.25", "0.2"), ("newest", "0.2 or 0.3"), (0.2, "0.2")]
)
def test_unknown_target_names_the_near_one(value, near):
    """The stop says which target was probably meant and which exist."""
    with fails(f"did you mean {near}\\?", code="PTO294", exc=ValueError), openpto.configure(target=value):
        pass


def test_unknown_target_in_the_environment(monkeypatch):
    """An unknown PYPTO_TARGET stops the call, with the variable's name and the near target; nothing has run."""
    o = np.zeros(4, np.int32)
    monkeypatch.setenv("PYPTO_TARGET", "0.3.0")
    with fails("PYPTO_TARGET.*did you mean 0.3\\?", code="PTO295", exc=ValueError):
        counter_kernel()(o)
    assert not o.any()


def test_target_changed_in_the_environment_after_a_call(monkeypatch):
    """A kernel that has run is judged anew once PYPTO_TARGET changes, also where its calls are repeated at once."""
    kernel, o = counter_kernel(), np.zeros(4, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyptoWarning)
        for _ in range(3):
            kernel(o)
    for _ in range(2):
        monkeypatch.setenv("PYPTO_TARGET", "0.2")
        with fails("count"):
            kernel(o)
        monkeypatch.setenv("PYPTO_TARGET", "0.3")
        with silent():
            kernel(o)
            kernel(o)
    monkeypatch.delenv("PYPTO_TARGET")
    with pytest.warns(PyptoWarning):
        kernel(o)


def test_target_changed_for_the_process():
    """A plain call of configure counts for the next call of a kernel."""
    kernel, o = both_kernel(), blank(4, 8)
    with silent_targets():
        kernel(o)
        openpto.configure(target="0.3")
        with fails("fill|number|float"):
            kernel(o)
        openpto.configure(target=None)
        kernel(o)


@contextmanager
def silent_targets():
    """No warnings, and the process's settings as they were at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyptoWarning)
        try:
            yield
        finally:
            reset_configuration()
