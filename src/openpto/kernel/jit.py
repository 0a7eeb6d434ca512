"""``pypto.jit``: kernels as callable objects. Nothing is compiled until the first call."""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType, MappingProxyType
from typing import Any, overload

from openpto import checks, runtime
from openpto._records import dataclass, replace
from openpto._version import __version__
from openpto.diagnostics import PyptoWarning, T, at, collect_warnings, emit, fail, user_boundary, warn
from openpto.diagnostics.boundary import handled, translate, trim
from openpto.frontend import capture, trace_kernel
from openpto.frontend.freeze import freeze
from openpto.frontend.sites import user_frames
from openpto.ir import printer, ssa, verifier
from openpto.ir.enums import RunMode
from openpto.ir.nodes import Kernel, Scope
from openpto.kernel import images, observing, verifying
from openpto.kernel.binding import Bound, bind
from openpto.kernel.early import BoundMode, warn_of_stitching
from openpto.kernel.host import REQUIRES_GRAD, counts_versions
from openpto.kernel.receipt import Receipt, output_memory, receipt_of, remember
from openpto.kernel.repeat import Plan, Repeats
from openpto.kernel.run_mode import require_interpreter, resolve_run_mode
from openpto.kernel.signature import Signature, signature_of
from openpto.kernel.specialise import Compiled, Specialisations
from openpto.language.configuration import Settings, in_force, settings
from openpto.language.option_schema import Group
from openpto.language.options import check_options, near
from openpto.language.scopes import current_scope, options_in_force, with_options
from openpto.ops.promotion import Promote
from openpto.runtime import collector, verification
from openpto.runtime.progress import busy

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


ARGUMENT_OBJECTS = 1_000_000
"""Objects that arguments may reach and still count by content; beyond, every call would be a new specialisation."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call, checked: its arguments and the settings that it has."""

    bound: Bound
    scope: Scope
    settings: Settings
    options: Mapping[Group, Mapping[str, Any]]
    mode: RunMode
    mode_source: str

    def key(self) -> Hashable:
        """Everything that decides what the kernel means, apart from the names it loads (they are guards)."""
        chosen = (self.settings.numerics, self.settings.target, self.settings.platform)
        alias = tuple(self.bound.alias.items())
        return self.bound.types, alias, freeze(dict(self.bound.values), ARGUMENT_OBJECTS), _frozen(self.scope), chosen

    def meaning(self) -> tuple[object, ...]:
        """The same as objects."""
        chosen = (self.settings.numerics, self.settings.target, self.settings.platform)
        return self.bound.types, dict(self.bound.alias), dict(self.bound.values), self.scope, chosen


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
        self._bound = BoundMode.of(self._captured, options.get("runtime_options"), caller_locals)
        self._specialisations = Specialisations()
        self._repeats = Repeats(len(self._signature.tensors), self._bound)
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
        return receipt_of(getattr(self._local, "run", None))

    def __repr__(self) -> str:
        return f"<pypto kernel {self.__qualname__}>"

    def __copy__(self) -> JitCallableWrapper:
        return self

    def __deepcopy__(self, memo: object) -> JitCallableWrapper:
        return self

    def __reduce__(self) -> str:
        return self.__qualname__  # like a function: by the name it has in its module

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Run the kernel on the caller's memory; always returns None.

        Raises:
            PyptoError: PTO5xx for arguments, PTO1xx to PTO3xx for the kernel's source, PTO4xx while it runs.
        """
        outer = handled()
        try:  # as in `user_boundary`, which would pack the arguments again
            try:
                self._call(args, kwargs)
            except BaseException as exc:
                shown = translate(exc)
                if shown is exc:
                    raise
                raise shown from shown.__cause__
        except BaseException as exc:
            trim(exc, outer)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        observer = observing.current()
        if observer is not None:
            self._observed(observer, args, kwargs)
            return
        again = self._repeats.run(args, kwargs, self._options.get("runtime_options"), self.__name__)
        if again is None and settings().replay_dir is not None:
            from openpto.kernel.replays import Recorder  # only such calls need it

            self._observed(Recorder(), args, kwargs)
            return
        run = again if again is not None else self._run(args, kwargs)
        self._local.run = run
        remember(run)

    def _observed(self, observer: observing.Observer, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Run a call that somebody watches."""
        call = observer.begins(self, args, kwargs)
        try:
            receipt = self._run(args, kwargs)
        except BaseException as error:
            observer.failed(call, error)
            raise
        self._local.run = receipt
        remember(receipt)
        observer.completed(call, receipt)

    def _run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Receipt:
        """Run a call that is not like an earlier one."""
        before = in_force(), current_scope()
        with collect_warnings() as warnings:
            call = self._prepare(args, kwargs)
            self._bound.check(call.mode_source, self._signature.site)
            if call.mode is RunMode.NPU:
                require_interpreter(call.mode_source, self.__name__, self._signature.site)
            engine = runtime.chosen(call.settings.engine)
            compiled, fresh = self._specialisations.get(call.key(), lambda: self._specialisation(call, engine))
            if not fresh or compiled.native is not None:
                for warning in compiled.warnings:
                    emit(warning)
            self._check_writable(call, compiled)
            warn_of_stitching(compiled.simple, call.options["runtime"], self._signature.site)
            said = tuple(warnings)
            options = options_in_force("verify", call.scope)
            verified = verifying.begun(self.__name__, options)
            begin = time.perf_counter()
            try:
                with busy("running", self.__name__), verification.verifying(verified):
                    report = self._execute(call, compiled, engine)
            finally:  # after a fault the outputs are unspecified, so they count as written
                for index in compiled.written:
                    call.bound.tensors[index].note_write()
            seconds = time.perf_counter() - begin
            if verified is not None:
                names = [p.name for p in self._signature.tensors]
                verifying.finish(verified, names, call.bound.tensors, options)
            if fresh and report.engine == "native":
                images.keep(compiled)
        receipt = self._receipt(call, compiled, fresh, report, seconds, tuple(warnings))
        if report.engine == "native" == engine and verified is None and call.settings.replay_dir is None:
            self._remember(args, kwargs, before, call, compiled, said, receipt)
        return receipt

    def _remember(
        self,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        before: tuple[tuple[object, ...], Scope],
        call: Call,
        compiled: Compiled,
        said: tuple[PyptoWarning, ...],
        receipt: Receipt,
    ) -> None:
        """Let later calls like this one run at once."""
        given = self._options.get("runtime_options")
        plan = Plan(
            settings=before[0],
            scope=before[1],
            runtime=None if given is None else dict(given),
            engine=runtime.ENGINES["native"],
            compiled=compiled,
            prepared=images.prepared(compiled, [t.array for t in call.bound.tensors], call.bound.env),
            warnings=said,
            written=compiled.written,
            counted=tuple(i for i in compiled.written if counts_versions(call.bound.tensors[i].owner)),
            receipt=receipt,
            signs=self._bound.signs(),
            seconds=receipt.run_seconds,
        )
        self._repeats.remember(args, kwargs, plan)

    @user_boundary()
    def lower(self, *args: Any, **kwargs: Any) -> Kernel:
        """The checked tile IR for arguments like these; nothing runs and nothing is kept. Raises as a call does."""
        return self._compile(self._prepare(args, kwargs)).kernel

    def _execute(self, call: Call, compiled: Compiled, engine: str) -> runtime.RunReport:
        if call.mode is RunMode.NPU:
            from openpto.kernel import elsewhere  # only such calls need it

            return elsewhere.execute(self, call.bound, compiled.written, self._signature.site)
        arrays = [tensor.array for tensor in call.bound.tensors]
        if compiled.native is not None and engine == "native":
            report = images.execute(compiled.native, arrays, call.bound.env)
            if report is not None:
                return report
        return runtime.execute(compiled.kernel, arrays, call.bound.env, engine=engine)

    def _prepare(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
        """Check and bind a call, and fix the settings that it has."""
        if self.__name__ == "<lambda>":
            fail("PTO535", site=self._signature.site)
        self._signature.check()
        with at(self._signature.site):
            chosen = check_jit_options(self._options)
        mode, source = resolve_run_mode(chosen["runtime"].get("run_mode"))
        return Call(bind(self._signature, args, kwargs), _scope(chosen), settings(), chosen, mode, source)

    def _specialisation(self, call: Call, engine: str) -> Compiled:
        """What an earlier process kept of this specialisation, or a new trace."""
        with busy("tracing", self.__name__):
            return self._compile(call) if engine != "native" else self._kept_or_compiled(call)

    def _kept_or_compiled(self, call: Call) -> Compiled:
        begin = time.perf_counter()
        place = images.place(self._original_func, call.meaning())
        later = replace(call, bound=replace(call.bound, tensors=()))  # memory of the caller is not kept
        found = images.find(place, lambda: self._compile(later).kernel) if place.key else None
        if found is None:
            made = self._compile(call, "native")
            place = place.unless_changed()
        else:
            made = replace(found, seconds=time.perf_counter() - begin)
        made.place = place
        return made

    @collector.rests
    def _compile(self, call: Call, engine: str = "") -> Compiled:
        """Trace and check; ``engine`` is the one that runs it next."""
        begin = time.perf_counter()
        with collect_warnings() as warnings:
            places = [self._signature.place(p.name).span for p in self._signature.tensors]
            names = [p.name for p in self._signature.tensors]
            params = list(zip(names, call.bound.types, places, strict=True))
            alias = call.bound.alias
            follow = runtime.follower(engine)
            trace = trace_kernel(
                self._captured, call.bound.values, params, scope=call.scope, alias=alias, follow=follow
            )
            kernel = ssa.build(trace, {"alias": MappingProxyType(dict(alias))} if alias else {})
            verifier.require_valid(kernel)
            checks.run(kernel, trace)
            promoted = Promote(strict=call.settings.numerics == "strict").apply(kernel)
            kernel = kernel if promoted is kernel else verifier.require_valid(promoted)
        changed = {p.name for p in kernel.params if p.final is not p.value}
        changed |= {name for name, earlier in alias.items() if earlier in changed}
        program = f"{__version__} {call.settings.numerics}\n{printer.text(kernel, sites=False, scopes=False)}"
        return Compiled(
            trace=lambda: kernel,
            fingerprint=hashlib.sha256(program.encode()).hexdigest()[:16],
            written=tuple(i for i, p in enumerate(kernel.params) if p.name in changed),
            guards=tuple(trace.notes.get("guards", ())),
            warnings=tuple(warnings),
            seconds=time.perf_counter() - begin,
            simple=checks.is_simple(kernel),
        )

    def _check_writable(self, call: Call, compiled: Compiled) -> None:
        for index in compiled.written:
            locked = call.bound.tensors[index].locked
            if locked:
                fail("PTO530" if locked == REQUIRES_GRAD else "PTO526", name=self._signature.tensors[index].name)

    def _receipt(
        self,
        call: Call,
        compiled: Compiled,
        fresh: bool,
        report: runtime.RunReport,
        seconds: float,
        warnings: tuple[PyptoWarning, ...],
    ) -> Receipt:
        names = [p.name for p in self._signature.tensors]
        written = [names[index] for index in compiled.written]
        counts = dict(zip(names, report.elements_written, strict=True))
        return Receipt(
            kernel=self.__name__,
            kernel_hash=compiled.fingerprint,
            engine=report.engine,
            numerics=call.settings.numerics,
            target=call.settings.target,
            platform=call.settings.platform,
            run_mode=call.mode,
            run_mode_source=call.mode_source,
            compiled=fresh,
            compile_seconds=compiled.seconds if fresh else 0.0,
            run_seconds=seconds,
            ops_executed=report.ops_executed,
            elements_written=MappingProxyType({n: counts[call.bound.alias.get(n, n)] for n in written}),
            outputs=tuple(output_memory(names[i], call.bound.tensors[i]) for i in compiled.written),
            warnings=warnings,
            options=MappingProxyType({k: v for group in call.options.values() for k, v in group.items()}),
            origin=compiled.origin,
            not_kept=compiled.place.problem,
        )


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


def _scope(options: Mapping[Group, Mapping[str, Any]]) -> Scope:
    """The settings that a kernel starts with: those in force at the call, then the decorator's."""
    scope = current_scope()
    if not any(values for group, values in options.items() if group != "runtime"):
        return scope
    merged = scope.options
    for group, values in options.items():
        if group != "runtime":
            merged = with_options(merged, group, values)
    return replace(scope, options=merged)


_frozen_last: tuple[Scope, Hashable] = Scope(), freeze(Scope())


def _frozen(scope: Scope) -> Hashable:
    """The picture of a scope; that of the last one is kept, since most calls have the same."""
    global _frozen_last
    known, picture = _frozen_last
    if known is not scope:
        picture = freeze(scope)
        _frozen_last = scope, picture
    return picture


def _described(value: object) -> T:
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    if isinstance(value, type):
        return T(f"the class {name}", f"类 {name}")
    return T(f"an object of type {name}", f"类型为 {name} 的对象")
