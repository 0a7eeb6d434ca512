"""``pypto.jit``: kernels as callable objects. Nothing is compiled until the first call."""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MappingProxyType
from typing import Any, overload

from openpto import checks, runtime
from openpto._version import __version__
from openpto.diagnostics import at, collect_warnings, emit, fail, user_boundary, warn
from openpto.frontend import capture, trace_kernel
from openpto.frontend.freeze import freeze
from openpto.frontend.sites import user_frames
from openpto.ir import ssa
from openpto.ir.nodes import Kernel, Scope
from openpto.kernel.binding import Bound, bind
from openpto.kernel.receipt import Receipt, output_memory, remember
from openpto.kernel.run_mode import require_executable, resolve_run_mode
from openpto.kernel.signature import Signature, signature_of
from openpto.kernel.specialise import Compiled, Specialisations
from openpto.language.configuration import Settings, settings
from openpto.language.option_schema import Group
from openpto.language.options import check_options, near
from openpto.language.scopes import current_scope, with_options

_GROUPS: dict[str, Group] = {
    "host_options": "host",
    "codegen_options": "codegen",
    "pass_options": "pass",
    "runtime_options": "runtime",
    "verify_options": "verify",
    "debug_options": "debug",
}
_OLD_KEYWORDS = ("infer_controlflow_shape", "use_cache")
_NEW_KEYWORDS = ("new_ir", "create_new_logical_tensor")


class JitCallableWrapper:
    """A kernel. Call it with numpy arrays or torch CPU tensors, then other arguments; results go into the tensors.

    Attributes:
        compilations: how many times the kernel was traced so far.
        last_run: the receipt of this thread's last completed call, None before it.
    """

    _pictured_by_identity = True  # for guards of kernels that call this one

    def __init__(self, function: FunctionType, options: Mapping[str, Any], caller_locals: Mapping[str, Any]) -> None:
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._original_func = function
        self._options = options
        self._signature: Signature = signature_of(function, caller_locals)
        self._captured = capture(function)
        self._specialisations = Specialisations()
        self._local = threading.local()

    @property
    def signature(self) -> Signature:
        """The parameters and what they declare."""
        return self._signature

    @property
    def function(self) -> FunctionType:
        """The plain function."""
        return self._original_func

    @property
    def handler(self) -> None:
        """A device handle; there is none."""
        return None

    @property
    def kmodule(self) -> None:
        """A loaded device module; there is none."""
        return None

    @property
    def compilations(self) -> int:
        """How many specialisations were traced so far."""
        return self._specialisations.compilations

    @property
    def last_run(self) -> Receipt | None:
        """The receipt of this thread's last completed call."""
        return getattr(self._local, "receipt", None)

    def __repr__(self) -> str:
        return f"<pypto kernel {self.__qualname__}>"

    @user_boundary()
    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Run the kernel on the caller's memory; always returns None.

        Raises:
            PyptoError: PTO5xx for arguments, PTO1xx to PTO3xx for the kernel's source, PTO4xx while it runs.
        """
        with collect_warnings() as warnings:
            if self.__name__ == "<lambda>":
                fail("PTO535", site=self._signature.site)
            self._signature.check()
            with at(self._signature.site):
                chosen = check_jit_options(self._options)
            mode, source = resolve_run_mode(chosen["runtime"].get("run_mode"))
            require_executable(mode, source, self.__name__, self._signature.site)
            bound = bind(self._signature, args, kwargs)
            ours = settings()
            scope = self._scope(chosen)
            key = _key(bound, scope, ours)
            compiled, fresh = self._specialisations.get(key, lambda: self._compile(bound, scope, chosen, ours))
            if not fresh:
                for warning in compiled.warnings:
                    emit(warning)
            self._check_writable(bound, compiled)
            begin = time.perf_counter()
            try:
                arrays = [tensor.array for tensor in bound.tensors]
                report = runtime.execute(compiled.kernel, arrays, bound.env, engine=_engine(ours))
            finally:  # after a fault the outputs are unspecified, so they count as written
                for index in compiled.written:
                    bound.tensors[index].note_write()
            seconds = time.perf_counter() - begin
        receipt = Receipt(
            kernel=self.__name__,
            kernel_hash=compiled.fingerprint,
            engine=report.engine,
            numerics=ours.numerics,
            target=ours.target,
            platform=ours.platform,
            run_mode=mode,
            run_mode_source=source,
            compiled=fresh,
            compile_seconds=compiled.seconds if fresh else 0.0,
            run_seconds=seconds,
            ops_executed=report.ops_executed,
            elements_written=self._elements_written(bound, compiled, report.elements_written),
            outputs=tuple(output_memory(self._name(i), bound.tensors[i]) for i in compiled.written),
            warnings=tuple(warnings),
            options=MappingProxyType({k: v for group in chosen.values() for k, v in group.items()}),
        )
        self._local.receipt = receipt
        remember(receipt)

    @user_boundary()
    def lower(self, *args: Any, **kwargs: Any) -> Kernel:
        """The checked tile IR for arguments like these; nothing runs and nothing is kept. Raises as a call does."""
        self._signature.check()
        with at(self._signature.site):
            chosen = check_jit_options(self._options)
        return self._compile(bind(self._signature, args, kwargs), self._scope(chosen), chosen, settings()).kernel

    def _scope(self, chosen: Mapping[Group, Mapping[str, Any]]) -> Scope:
        """The settings that the kernel starts with: those in force at the call, then the decorator's."""
        scope = current_scope()
        options = scope.options
        for group, values in chosen.items():
            if group != "runtime":
                options = with_options(options, group, values)
        return Scope(scope.vec, scope.cube, scope.conv, scope.matrix_size, scope.label, options)

    def _compile(
        self, bound: Bound, scope: Scope, chosen: Mapping[Group, Mapping[str, Any]], ours: Settings
    ) -> Compiled:
        begin = time.perf_counter()
        with collect_warnings() as warnings:
            trace = trace_kernel(
                self._captured,
                bound.values,
                self._parameters(bound),
                scope=scope,
                options=chosen,
                alias=bound.alias,
            )
            kernel = ssa.build(trace)
            checks.run(kernel, trace)
        changed = {p.name for p in kernel.params if p.final is not p.value}
        changed |= {name for name, earlier in bound.alias.items() if earlier in changed}
        written = tuple(i for i, p in enumerate(kernel.params) if p.name in changed)
        text = f"{__version__}\n{ours}\n{kernel}"
        return Compiled(
            kernel=kernel,
            fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16],
            written=written,
            guards=tuple(trace.notes.get("guards", ())),
            warnings=tuple(warnings),
            seconds=time.perf_counter() - begin,
        )

    def _name(self, index: int) -> str:
        return self._signature.tensors[index].name

    def _elements_written(self, bound: Bound, compiled: Compiled, counts: Sequence[int]) -> Mapping[str, int]:
        """Counts by name; a parameter that is the memory of an earlier one has that one's count."""
        by_name = {p.name: count for p, count in zip(self._signature.tensors, counts, strict=True)}
        names = [self._name(i) for i in compiled.written]
        return MappingProxyType({name: by_name[bound.alias.get(name, name)] for name in names})

    def _parameters(self, bound: Bound) -> list[Any]:
        site = self._signature.site
        return [(p.name, t, site.span) for p, t in zip(self._signature.tensors, bound.types, strict=True)]

    def _check_writable(self, bound: Bound, compiled: Compiled) -> None:
        for index in compiled.written:
            tensor = bound.tensors[index]
            if tensor.locked:
                name = self._name(index)
                code = "PTO530" if tensor.locked == "it requires grad" else "PTO526"
                fail(code, site=self._signature.site, name=name)


def check_jit_options(options: Mapping[str, Any], quiet: bool = False) -> dict[Group, dict[str, Any]]:
    """Check the option dictionaries of a decorator; the result has one entry per group."""
    return {group: check_options(group, options.get(name), name=name, quiet=quiet) for name, group in _GROUPS.items()}


@overload
def jit(function: Callable[..., Any], /) -> JitCallableWrapper: ...


@overload
def jit(
    *,
    host_options: Mapping[str, Any] | None = None,
    codegen_options: Mapping[str, Any] | None = None,
    pass_options: Mapping[str, Any] | None = None,
    runtime_options: Mapping[str, Any] | None = None,
    verify_options: Mapping[str, Any] | None = None,
    debug_options: Mapping[str, Any] | None = None,
    **older: Any,
) -> Callable[[Callable[..., Any]], JitCallableWrapper]: ...


@user_boundary()
def jit(function: Any = None, /, **options: Any) -> Any:
    """Make a kernel of a function: ``@jit``, ``@jit()``, ``@jit(runtime_options={...})`` or ``jit(...)(function)``.

    Args:
        function: a plain function whose tensor parameters are annotated as ``pypto.Tensor(...)``.
        options: host_options, codegen_options, pass_options, runtime_options, verify_options, debug_options (each a
            dict or None). Accepted without effect: new_ir, create_new_logical_tensor, infer_controlflow_shape,
            use_cache.

    Raises:
        TypeError: PTO500, not a function; PTO281, an unknown keyword; PTO299 and PTO282 for options.
        ValueError: PTO280, PTO283 for options; PTO506, PTO507 for the order and defaults of parameters.
        RuntimeError: PTO297, an invalid run mode.
    """
    _check_keywords(options)
    check_jit_options(options, quiet=True)
    if function is None:
        return lambda decorated: jit_with(decorated, options)
    return _wrap(function, options)


@user_boundary()
def jit_with(function: Any, options: Mapping[str, Any]) -> JitCallableWrapper:
    """The second half of ``jit(...)(function)``."""
    return _wrap(function, options)


def _wrap(function: Any, options: Mapping[str, Any]) -> JitCallableWrapper:
    if not isinstance(function, FunctionType):
        fail("PTO500", got=_described(function))
    return JitCallableWrapper(function, _copied(options), _caller_locals())


def _check_keywords(options: Mapping[str, Any]) -> None:
    known = [*_GROUPS, *_OLD_KEYWORDS, *_NEW_KEYWORDS]
    for name, value in options.items():
        if name not in known:
            fail("PTO281", call="jit", key=name, near=near(name, list(_GROUPS)))
        if name in _OLD_KEYWORDS and value is not None:
            warn("PTO536", name=name)


def _copied(options: Mapping[str, Any]) -> dict[str, Any]:
    """Dictionaries are copied when a kernel is decorated; ``runtime_options`` is read again at each call."""
    return {
        name: dict(value) if isinstance(value, Mapping) and name != "runtime_options" else value
        for name, value in options.items()
    }


def _caller_locals() -> Mapping[str, Any]:
    """Names of the function that decorates the kernel, as they are now."""
    frame = next(user_frames(sys._getframe(1), None), None)
    return {} if frame is None or frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _engine(ours: Settings) -> str:
    """The engine that runs kernels under these settings."""
    return "reference" if ours.engine == "auto" else ours.engine


def _described(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"an object of type {type(value).__name__}"


def _key(bound: Bound, scope: Scope, ours: Settings) -> Any:
    """Everything that decides what a kernel means, apart from the names it loads (they are guards)."""
    return (
        bound.types,
        tuple(bound.alias.items()),
        freeze(dict(bound.values)),
        freeze(scope),
        (ours.numerics, ours.target, ours.platform),
    )
