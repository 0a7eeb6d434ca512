"""Hover pages in Markdown: of rules, and of the operations and other names of the API."""

from __future__ import annotations

import enum
import inspect
import re
from typing import TYPE_CHECKING, Any

from openpto.diagnostics import markdown
from openpto.diagnostics.language import Language, T
from openpto.lsp.names import Found

if TYPE_CHECKING:
    from openpto.ops.registry import OpDecl

_WORDS = {
    "several": T("`{code}` stands for several rules:", "`{code}` 对应多条规则："),
    "types": T("Types: {types}", "类型：{types}"),
    "core": T("Unit: {core}", "执行单元：{core}"),
    "only_950": T("only on the 950", "仅限 950"),
    "missing": T("not yet available: stops with PTO902", "尚不可用：以 PTO902 停止"),
    "example": T("Example", "示例"),
    "member": T("a member of `pypto.{owner}`", "`pypto.{owner}` 的成员"),
}


def hover(found: Found, language: Language, text: str) -> str | None:
    """The page of what stands under the cursor; `text` are its characters. None if there is nothing to say."""
    if found.kind == "rule":
        if len(found.rules) == 1:
            return markdown.page(found.rules[0], language)
        listed = [f"- **{rule.code}** {markdown.escaped(rule.title.in_language(language))}" for rule in found.rules]
        return "\n".join([_say("several", language, code=text), "", *listed]) + "\n"
    from openpto.ops import OPS

    decl = OPS.get(found.name)
    if found.kind == "method":
        return _operation(decl, language, "Tensor.") if decl is not None and decl.method else None
    if decl is not None and decl.public and not decl.elsewhere:
        return _operation(decl, language, "pypto.")
    return _other(found.name, language)


def _operation(decl: OpDecl, language: Language, owner: str) -> str:
    """The page of an operation, from its declaration."""
    from openpto.ops.dtype_sets import COMPUTED

    facts = []
    if decl.status == "missing":
        facts.append(_say("missing", language))
    if decl.dtypes is not None and (types := decl.dtypes.union & COMPUTED):
        facts.append(_say("types", language, types=" ".join(sorted(dtype.short for dtype in types))))
    if decl.core != "none":
        facts.append(_say("core", language, core=decl.core))
    if decl.only_950:
        facts.append(_say("only_950", language))
    lines = [
        "```python",
        f"{owner}{decl.name}{_signature(decl.signature)}",
        "```",
        "",
        *_prose(decl.doc or decl.summary),
    ]
    if facts:
        lines += ["", " · ".join(facts)]
    if decl.samples:
        lines += ["", f"**{_say('example', language)}**", "", "```python", *_calls(decl), "```"]
    return "\n".join(lines) + "\n"


def _calls(decl: OpDecl) -> list[str]:
    return list(dict.fromkeys(sample.call for sample in decl.samples))[:3]


def _signature(signature: inspect.Signature) -> str:
    """A signature as its author reads it: a `Var` of the declaration is a tensor."""
    unquoted = re.sub(r"(: |-> )'([^']+)'", r"\1\2", str(signature))
    return re.sub(r"\bVar\b", "Tensor", unquoted)


def _prose(doc: str) -> list[str]:
    """A doc string as Markdown: its words in double backticks are code, its lines stay."""
    return [f"{line}  " if line else "" for line in re.sub(r"``", "`", doc).split("\n")]


def _other(name: str, language: Language) -> str | None:
    """The page of a name that is no operation: a function, a class, a member of an enumeration."""
    value = _value(name)
    if value is None:
        return None
    if isinstance(value, enum.Enum):
        return f"```python\npypto.{name}\n```\n\n{_say('member', language, owner=type(value).__name__)}\n"
    if not callable(value):
        return None
    try:
        signature = _signature(inspect.signature(value)) if not _is_enum(value) else ""
    except (TypeError, ValueError):
        signature = ""
    kind = "class " if isinstance(value, type) else ""
    lines = ["```python", f"{kind}pypto.{name}{signature}", "```"]
    doc = inspect.getdoc(value)
    if doc:
        lines += ["", *_prose(doc)]
    if _is_enum(value):
        lines += ["", ", ".join(f"`{member}`" for member in value.__members__)]
    return "\n".join(lines) + "\n"


def _is_enum(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, enum.Enum)


def _value(name: str) -> Any:
    """The object of a public name without `pypto.`; None if there is none."""
    from openpto.kernel import api as kernels
    from openpto.language import api as language

    first, _, rest = name.partition(".")
    if first == "frontend":
        names = {"jit": kernels.jit, "function": kernels.nested_function, "dynamic": kernels.dynamic}
        return names.get(rest)
    owners = (language, kernels)
    value: Any = next((getattr(owner, first) for owner in owners if first in owner.__all__), None)
    if value is None and first in ("experimental", "distributed"):
        value = getattr(language, first)
    for part in rest.split(".") if rest else ():
        value = None if part.startswith("_") else getattr(value, part, None)
    return value


def _say(key: str, language: Language, **fields: str) -> str:
    return _WORDS[key].in_language(language).format(**fields)
