"""Kernel files and folders of operators as subjects of a verification.

A folder holds `<op>_impl.py` with `<op>_wrapper`, `<op>_golden.py` with `<op>_golden` and `_make_inputs`, and, if it
likes, `test_cases.json` with cases as docs/pytest.md describes them. A kernel file may define, for a kernel
`name`, `name_golden` whose parameters are named as the kernel's and which returns what the kernel writes.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from openpto.cli.kernels import choose, given, kernels_of, stand_ins
from openpto.cli.show_ir import split_target
from openpto.diagnostics import fail
from openpto.kernel.host import host_tensor, is_torch_tensor
from openpto.kernel.jit import JitCallableWrapper
from openpto.testing import Ratios, Tolerance, read_cases
from openpto.testing.cases import Case
from openpto.verify.subject import Array, Arrays, Golden, Subject, Trial, usual_tolerance

LONG_LEVEL = 2
"""Cases from this level on are long runs."""
_NO_BENCHMARK = "T6 compares with a benchmark, which there is none of here"
_NO_GOLDEN = "there is no {name}"


def imported(path: Path) -> ModuleType:
    """A file as a module. One of a package is imported under its name in it, any other by its stem.

    Raises PTO595 if there is no such file.
    """
    if not path.is_file():
        fail("PTO595", file=str(path))
    path = path.resolve()
    root, name = path.parent, path.stem
    while (root / "__init__.py").is_file():
        root, name = root.parent, f"{root.name}.{name}"
    known = sys.modules.get(name)
    if known is not None and Path(getattr(known, "__file__", None) or "").resolve() == path:
        return known
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if "." in name:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# -- folders ----------------------------------------------------------------------------------------------------------


def folder_subject(folder: Path, *, slow: bool = False) -> Subject:
    """The operator of a folder (PTO562 if a part that is needed is missing); cases of level 2 only with ``slow``."""
    impls = sorted(folder.glob("*_impl.py"))
    if not impls:
        fail("PTO562", folder=str(folder), missing="<op>_impl.py")
    own = folder.resolve().name
    impl = next((file for file in impls if file.stem == f"{own}_impl"), impls[0])
    name = impl.stem.removesuffix("_impl")
    golden_file = folder / f"{name}_golden.py"
    files = [file for file in sorted(folder.glob("*.py")) if file.name != "__init__.py"]
    if not golden_file.is_file():
        fail("PTO562", folder=str(folder), missing=golden_file.name)
    module, goldens = imported(impl), imported(golden_file)
    wrapper = _needed(module, f"{name}_wrapper", folder)
    golden = _needed(goldens, f"{name}_golden", folder)
    make = _needed(goldens, "_make_inputs", folder)
    cases = _cases(folder / "test_cases.json", slow)
    trials = tuple(_case_trial(case, wrapper, golden, make) for case in cases)
    return Subject(name, tuple(files), tuple(impls), (golden_file,), trials)


def _needed(module: ModuleType, name: str, folder: Path) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if not callable(found):
        fail("PTO562", folder=str(folder), missing=f"{name} in {Path(module.__file__ or '').name}")
    return found  # type: ignore[no-any-return]


def _cases(file: Path, slow: bool) -> list[Case | None]:
    """The cases of a folder; without a file of them there is one. Long ones (level 2) are there with ``slow`` only."""
    if not file.is_file():
        return [None]
    return [case for case in read_cases(file) if slow or case.level < LONG_LEVEL]


class _Objects(dict[str, Array]):
    """Inputs as arrays, with the objects (tensors of torch, numbers) that the author's functions take."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        self.objects = dict(objects)
        tensors = {name: value for name, value in objects.items() if _is_tensor(value)}
        super().__init__((name, _array(name, value)) for name, value in tensors.items())


def _is_tensor(value: Any) -> bool:
    return isinstance(value, np.ndarray) or is_torch_tensor(value)


def _array(name: str, value: Any) -> Array:
    dense = value.detach().contiguous() if is_torch_tensor(value) else np.ascontiguousarray(value)
    return host_tensor(name, 0, dense).array.reshape(tuple(value.shape))


def _case_trial(
    case: Case | None, wrapper: Callable[..., Any], golden: Callable[..., Any], make: Callable[..., Any]
) -> Trial:
    def run(inputs: Arrays) -> Arrays:
        return _outputs(wrapper(*_objects(inputs).values()))

    def compute(inputs: Arrays) -> Arrays:
        return _outputs(golden(*_objects(inputs).values()))

    def tolerance(name: str, actual: Array) -> Tolerance:
        limits = None if case is None else case.tolerance
        return limits if isinstance(limits, Tolerance) else usual_tolerance(actual)

    name = "inputs" if case is None else case.id
    about = "" if case is None else f"{_shown(case.shape)} {_shown(case.dtype)} seed {case.seed}"
    if case is not None and isinstance(case.tolerance, Ratios):
        return Trial(name, about, lambda: _inputs(make, case), run, (), tolerance, _NO_BENCHMARK)
    goldens = (Golden("golden", compute, wide=False),)
    return Trial(name, about, lambda: _inputs(make, case), run, goldens, tolerance)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_shown(one)}" for name, one in value.items())
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value.short)


def _inputs(make: Callable[..., Any], case: Case | None) -> Arrays:
    """Call the factory of inputs with what its parameters ask of the case."""
    known = {} if case is None else _fields(case)
    made = make(**{name: known[name] for name in inspect.signature(make).parameters if name in known})
    if isinstance(made, Mapping):
        return _Objects(made)
    values = made if isinstance(made, (tuple, list)) else (made,)
    return _Objects({f"input{number}": value for number, value in enumerate(values)})


def _fields(case: Case) -> dict[str, Any]:
    """What a parameter of the factory may be called; element types are those of numpy."""
    types: Any = {name: case.numpy_dtype(name) for name in case.dtype} if isinstance(case.dtype, Mapping) else None
    common = {"case": case, "id": case.id, "level": case.level, "seed": case.seed, "shape": case.shape}
    return {**case.parameters, **common, "dtype": types if types is not None else case.numpy_dtype()}


def _objects(inputs: Arrays) -> Mapping[str, Any]:
    """The objects that belong to inputs; of inputs that were changed (widened), tensors of the same kind."""
    if isinstance(inputs, _Objects):
        return inputs.objects
    return inputs


def _outputs(value: Any) -> Arrays:
    if isinstance(value, Mapping):
        return _Objects(value)
    values = value if isinstance(value, (tuple, list)) else (value,)
    if len(values) == 1:
        return _Objects({"out": values[0]})
    return _Objects({f"out{number}": one for number, one in enumerate(values)})


# -- files ------------------------------------------------------------------------------------------------------------


def file_subject(target: str, arguments: Sequence[str]) -> Subject:
    """The kernels of a file, or the one named behind a colon, on data made for their annotations."""
    text, name = split_target(target)
    path = Path(text)
    module = imported(path)
    values = given(arguments)
    kernels = choose(kernels_of(vars(module)), name, text)
    trials = tuple(trial for kernel in kernels.values() for trial in _kernel_trials(kernel, values, module))
    return Subject(target, (path,), (path,), (), trials)


def _kernel_trials(kernel: JitCallableWrapper, values: Mapping[str, str], module: ModuleType) -> Iterator[Trial]:
    """A trial for each choice of the dynamic extents; annotations without any have one."""
    seen = set()
    for extent in EXTENTS:
        tensors, constants = stand_ins(kernel.signature, values, extent)
        shapes = tuple(tensor.shape for tensor in tensors)
        if shapes not in seen:
            seen.add(shapes)
            yield _kernel_trial(kernel, tensors, constants, module)


EXTENTS = (16, 1, 67)
"""What dynamic extents are in turn: a usual one, one element, and one that no tile divides."""


def _kernel_trial(
    kernel: JitCallableWrapper, tensors: Sequence[Array], constants: Mapping[str, Any], module: ModuleType
) -> Trial:
    names = [parameter.name for parameter in kernel.signature.tensors]
    written: list[str] = []
    golden = getattr(module, f"{kernel.__name__}_golden", None)

    def inputs() -> Arrays:
        rng = np.random.default_rng(42)
        return {name: _filled(tensor, rng) for name, tensor in zip(names, tensors, strict=True)}

    def run(given: Arrays) -> Arrays:
        mine = {name: array.copy() for name, array in given.items()}
        kernel(*mine.values(), **constants)
        assert kernel.last_run is not None
        written[:] = [memory.name for memory in kernel.last_run.outputs]
        return {name: mine[name] for name in written}

    def compute(given: Arrays) -> Arrays:
        assert golden is not None
        known = {**given, **constants}
        found = golden(**{name: known[name] for name in inspect.signature(golden).parameters if name in known})
        if isinstance(found, Mapping):
            return dict(found)
        values = found if isinstance(found, tuple) else (found,)
        outputs = written or [name for name in names if name not in inspect.signature(golden).parameters]
        return dict(zip(outputs, values, strict=False))

    def tolerance(name: str, actual: Array) -> Tolerance:
        return usual_tolerance(actual)

    shapes = " ".join(f"{name}={list(tensor.shape)}" for name, tensor in zip(names, tensors, strict=True))
    missing = "" if golden is not None else _NO_GOLDEN.format(name=f"{kernel.__name__}_golden")
    goldens = () if golden is None else (Golden(f"{kernel.__name__}_golden", compute, wide=False),)
    extents = "x".join(map(str, tensors[0].shape)) if tensors else ""
    return Trial(f"{kernel.__name__} {extents}", shapes, inputs, run, goldens, tolerance, missing)


def _filled(tensor: Array, rng: np.random.Generator) -> Array:
    """Normal values for floats; zeros for integers, which may be indices."""
    if tensor.dtype.kind in "iub":
        return tensor.copy()
    return rng.standard_normal(tensor.shape).astype(tensor.dtype)
