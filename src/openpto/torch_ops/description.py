"""What a kernel is as an operator: which parameters are arguments, which are results, and the schema of both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from openpto.diagnostics import Site, T, fail
from openpto.kernel.jit import JitCallableWrapper
from openpto.kernel.signature import MISSING, TensorParameter

_SCALARS: dict[type, str] = {bool: "bool", int: "SymInt", float: "float", str: "str"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
NAMESPACE = "openpto"
OF_TORCH = frozenset(
    {"_c10d_functional", "aten", "c10d", "c10d_functional", "debugprims", "higher_order", "inductor", "mkldnn",
     "onednn", "prim", "prims", "profiler", "quantized", "rngprims", "sparse"}
)  # fmt: skip
"""Namespaces that torch defines operators in. It accepts a free name among them, such as another overload."""
OWN_NAME = T(
    'choose a name in a namespace of your own, such as "my_ops::relu"', '请在自己的命名空间中取名，例如 "my_ops::relu"'
)
OF_THE_KERNEL = T(
    "write names of the kernel's parameters: in outputs= the tensors that the operator allocates and returns, in "
    "mutates= the tensors of the caller that it writes in place, in constants= other parameters, with fixed values",
    "请写 kernel 的参数名：outputs= 为算子分配并返回的张量，mutates= 为就地写入的张量，constants= 固定其他参数的值",
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """An argument that is no tensor: its name, its type in the schema, and its default."""

    name: str
    kind: str
    default: Any = MISSING

    def __str__(self) -> str:
        if self.default is MISSING:
            return f"{self.kind} {self.name}"
        text = json.dumps(self.default) if isinstance(self.default, str) else repr(self.default)
        return f"{self.kind} {self.name}={text}"


@dataclass(frozen=True, slots=True)
class Description:
    """One operator.

    name       namespace::name
    kernel     the kernel that it runs
    inputs     tensor parameters that the caller gives, in the kernel's order
    outputs    tensor parameters that the operator allocates and returns
    mutates    names of inputs that the kernel writes
    scalars    other arguments
    constants  values of other parameters that are fixed here
    """

    name: str
    kernel: JitCallableWrapper
    inputs: tuple[TensorParameter, ...]
    outputs: tuple[TensorParameter, ...]
    mutates: frozenset[str]
    scalars: tuple[Scalar, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    @property
    def site(self) -> Site:
        """Where the kernel is defined."""
        return self.kernel.signature.site

    @property
    def schema(self) -> str:
        """Arguments and results, as ``torch.library`` writes them."""
        letters = dict(zip(sorted(self.mutates), map(_letter, range(len(self.mutates))), strict=True))
        tensors = [
            f"Tensor({letters[p.name]}!) {p.name}" if p.name in self.mutates else f"Tensor {p.name}"
            for p in self.inputs
        ]
        results = ", ".join(["Tensor"] * len(self.outputs))
        returned = results if len(self.outputs) == 1 else f"({results})"
        return f"({', '.join([*tensors, *map(str, self.scalars)])}) -> {returned}"

    def arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The tensors in order and the other arguments by name; defaults, which torch leaves out, are filled in."""
        names = [p.name for p in self.inputs] + [s.name for s in self.scalars]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        tensors = [given[p.name] for p in self.inputs]
        return tensors, {s.name: given.get(s.name, s.default) for s in self.scalars}


def describe(
    kernel: Any, name: str, outputs: Sequence[str], mutates: Sequence[str], constants: Mapping[str, Any]
) -> Description:
    """Check that names and kernel fit together.

    Raises:
        TypeError: PTO550, not a kernel. ValueError: PTO551, names that do not fit.
    """
    if not isinstance(kernel, JitCallableWrapper):
        fail("PTO550", got=type(kernel).__name__)
    if not isinstance(name, str):
        refuse(
            kernel,
            str(name),
            T(f"its name is of type {type(name).__name__}, not a str", f"名称的类型为 {type(name).__name__}，应为 str"),
            OWN_NAME,
        )
    full = name if "::" in name else f"{NAMESPACE}::{name}"
    if not all(map(_NAME.fullmatch, full.split("::"))) or full.count("::") != 1:
        problem = T(f"{name!r} is not of the form namespace::name", f"{name!r} 不符合 namespace::name 的形式")
        refuse(kernel, name, problem, OWN_NAME)
    namespace = full.split("::")[0]
    if namespace in OF_TORCH:
        problem = T(
            f"the namespace {namespace} belongs to torch, which may give the name a meaning of its own",
            f"命名空间 {namespace} 属于 torch，torch 可能赋予该名称自己的含义",
        )
        refuse(kernel, full, problem, OWN_NAME)
    _check_names(kernel, full, outputs, mutates, constants)
    tensors = kernel.signature.tensors
    values = [value for value in kernel.signature.values if value.name not in constants]
    return Description(
        name=full,
        kernel=kernel,
        inputs=tuple(p for p in tensors if p.name not in outputs),
        outputs=tuple(next(p for p in tensors if p.name == wanted) for wanted in outputs),
        mutates=frozenset(mutates),
        scalars=tuple(_scalar(kernel, full, value.name, value.default) for value in values),
        constants=dict(constants),
    )


def refuse(kernel: JitCallableWrapper, name: str, problem: T, instead: T = OF_THE_KERNEL) -> NoReturn:
    """Stop a registration whose names do not fit (PTO551); ``instead`` says what to write."""
    fail("PTO551", name=name, kernel=kernel.__name__, problem=problem, instead=instead)


def _check_names(
    kernel: JitCallableWrapper, name: str, outputs: Sequence[str], mutates: Sequence[str], constants: Mapping[str, Any]
) -> None:
    tensors = [p.name for p in kernel.signature.tensors]
    for role, names in (("outputs", outputs), ("mutates", mutates)):
        for wanted in names:
            if wanted not in tensors:
                known = ", ".join(tensors)
                refuse(
                    kernel,
                    name,
                    T(
                        f"{role} names {wanted!r}; the tensors are {known}",
                        f"{role} 中的 {wanted!r} 不是张量参数；张量参数为 {known}",
                    ),
                )
            if list(names).count(wanted) > 1 or (wanted in outputs and wanted in mutates):
                refuse(
                    kernel,
                    name,
                    T(
                        f"{wanted!r} is named twice in outputs and mutates",
                        f"{wanted!r} 在 outputs 与 mutates 中出现两次",
                    ),
                )
    if not outputs and not mutates:
        refuse(
            kernel,
            name,
            T(
                "it has neither outputs nor mutates, so that it would do nothing",
                "outputs 与 mutates 都为空，算子不会产生任何结果",
            ),
        )
    values = [v.name for v in kernel.signature.values]
    for wanted in constants:
        if wanted not in values:
            known = ", ".join(values)
            refuse(
                kernel,
                name,
                T(
                    f"constants names {wanted!r}; such parameters are {known or 'none'}",
                    f"constants 中的 {wanted!r} 不是非张量参数；非张量参数为 {known or '无'}",
                ),
            )


def _scalar(kernel: JitCallableWrapper, name: str, parameter: str, default: Any) -> Scalar:
    """The type of an argument: that of its default, else of its annotation."""
    kind = _SCALARS.get(type(default))
    if kind is not None:
        return Scalar(parameter, kind, default)
    note = kernel.function.__annotations__.get(parameter)
    named = [text for scalar, text in _SCALARS.items() if note in (scalar, scalar.__name__)]
    if default is MISSING and named:
        return Scalar(parameter, named[0])
    problem = T(
        f"{parameter} is not bool, int, float or str by its default or annotation",
        f"{parameter} 的默认值或标注表明它不是 bool、int、float 或 str",
    )
    instead = T(
        f'give it a default or an annotation of such a type, or fix its value: constants={{"{parameter}": ...}}',
        f'请为它写出这类默认值或标注，或固定其值：constants={{"{parameter}": ...}}',
    )
    refuse(kernel, name, problem, instead)


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number] if number < 26 else f"a{number}"
