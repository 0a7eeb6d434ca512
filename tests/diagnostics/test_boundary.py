"""What leaves our code: user frames only, the user's own exceptions unchanged, anything else as an internal error."""

import sys
import traceback

import pytest

from openpto.diagnostics import PyptoError, Site, Span, fail, note_user_file, trim, user_boundary
from openpto.diagnostics.boundary import _traced_files
from openpto.diagnostics.registry import register

FRAMES_LEFT = 0 if sys.version_info >= (3, 11) else 1  # 3.10 restores the frame that re-raises


@pytest.fixture(autouse=True)
def no_backtrace(monkeypatch):
    monkeypatch.delenv("PYPTO_BACKTRACE", raising=False)


def own_frames(exc):
    return [f for f in traceback.extract_tb(exc.__traceback__) if "/src/openpto/" in f.filename.replace("\\", "/")]


def refuse():
    try:
        {}["detail of ours"]
    except KeyError:
        fail("PTO902", op="topk", site=Site(Span("k.py", 1)))


def break_us():
    register(None)  # our own code meets what it does not expect


@user_boundary()
def call(function):
    """The edge: what a user calls."""
    return function()


def test_results_and_names_pass():
    assert call(lambda: 7) == 7
    assert call.__name__ == "call"
    assert call.__doc__ == "The edge: what a user calls."


def test_a_refusal_shows_user_frames_only():
    with pytest.raises(PyptoError) as caught:
        call(refuse)
    assert len(own_frames(caught.value)) == FRAMES_LEFT
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)][-1] == "refuse"
    assert "detail of ours" not in "".join(traceback.format_exception(caught.value))


def test_the_exception_that_the_user_was_handling_stays():
    def handle():
        try:
            int("x")
        except ValueError:
            call(refuse)

    with pytest.raises(PyptoError) as caught:
        handle()
    assert isinstance(caught.value.__context__, ValueError)


def user_mistake():
    return [][3]


def test_an_exception_of_user_code_passes_unchanged():
    with pytest.raises(IndexError) as caught:
        call(user_mistake)
    assert not isinstance(caught.value, PyptoError)
    assert len(own_frames(caught.value)) == FRAMES_LEFT


def test_an_exception_of_a_library_that_user_code_called_passes_unchanged():
    import json

    with pytest.raises(json.JSONDecodeError):
        call(lambda: json.loads("{"))


def test_our_own_failure_becomes_an_internal_error():
    with pytest.raises(RuntimeError) as caught:
        call(break_us)
    exc = caught.value
    assert exc.code == "PTO901"
    assert "AttributeError in openpto/diagnostics/registry.py:" in str(exc)
    assert "please file" in str(exc)
    assert exc.__cause__ is None
    assert exc.__suppress_context__
    assert len(own_frames(exc)) == FRAMES_LEFT
    assert "AttributeError:" not in "".join(traceback.format_exception(exc))


def test_backtrace_keeps_everything(monkeypatch):
    monkeypatch.setenv("PYPTO_BACKTRACE", "1")
    with pytest.raises(RuntimeError) as caught:
        call(break_us)
    assert isinstance(caught.value.__cause__, AttributeError)
    assert own_frames(caught.value)
    with pytest.raises(PyptoError) as caught:
        call(refuse)
    assert isinstance(caught.value.__context__, KeyError)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_stops_pass(kind):
    def stop():
        raise kind

    with pytest.raises(kind) as caught:
        call(stop)
    assert type(caught.value) is kind


def test_the_with_form():
    with pytest.raises(PyptoError) as caught:
        with user_boundary():
            refuse()
    assert own_frames(caught.value) == []
    with pytest.raises(RuntimeError) as caught:
        with user_boundary():
            break_us()
    assert caught.value.code == "PTO901"
    with pytest.raises(IndexError):
        with user_boundary():
            user_mistake()


def test_boundaries_nest():
    inner = user_boundary()(break_us)
    with pytest.raises(RuntimeError) as caught:
        call(inner)
    assert caught.value.code == "PTO901"
    assert "AttributeError" in str(caught.value)


def test_a_kernel_file_among_installed_packages_is_the_users():
    import json.decoder

    def failing():
        json.decoder.JSONDecoder().decode("{")

    code = compile("def helper(f): return f()", json.decoder.__file__, "exec")
    space = {}
    exec(code, space)
    file = json.decoder.__file__
    note_user_file(file)
    try:
        with pytest.raises(json.JSONDecodeError) as caught:
            call(failing)
        assert any(f.filename == file for f in traceback.extract_tb(caught.value.__traceback__))
    finally:
        _traced_files.discard(file)


def test_trim_returns_its_argument():
    error = ValueError("x")
    assert trim(error) is error
