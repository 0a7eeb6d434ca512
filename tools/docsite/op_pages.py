"""The pages of operations: one for each public name, made from its declaration, and the list of them."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pypto
from api_table import error_of, public_ops
from contract_table import BINARY_FLOAT, BINARY_INT, UNARY_FLOAT, UNARY_INT, pointwise_row, tensors_of, types_of
from docsite.op_examples import example
from docsite.op_texts import Texts, texts
from docsite.op_words import how
from docsite.restrictions import restrictions
from docsite.sources import Source
from docsite.words import FAMILIES, WORDS
from openpto.diagnostics import RULES
from openpto.diagnostics.language import Language
from openpto.diagnostics.markdown import escaped
from openpto.ir.dtypes import DataType, is_float
from openpto.ops.registry import OPS, Composite, OpDecl, Pointwise, Reduce
from rule_pages import table

TESTS = "tests/ops/test_conformance.py"
CHIPS = ("910B", "910C", "950")


def op_pages(language: Language) -> dict[str, Source]:
    """Sources by path."""
    made = {"api/index.md": "\n".join(_index(language)) + "\n"}
    for decl in OPS.values():
        if decl.public:
            made[path_of(decl)] = "\n".join(_page(decl, language)) + "\n"
    return {path: Source(f"docs/{path}", text) for path, text in made.items()}


def path_of(decl: OpDecl) -> str:
    """Where the page of an operation is."""
    return f"api/{decl.name}.md"


def family_members() -> dict[str, list[OpDecl]]:
    """Public operations by the letter of their family, by name."""
    found: dict[str, list[OpDecl]] = {letter: [] for letter in FAMILIES}
    for decl in public_ops():
        found[decl.family].append(decl)
    return found


def _say(key: str, language: Language, **fields: object) -> str:
    text = WORDS[key].in_language(language)
    return text.format(**fields) if fields else text


# The list


def _index(language: Language) -> Iterator[str]:
    yield from (f"# {_say('operations', language)}", "", _say("intro", language), "", _say("contract", language))
    heads = [_say(key, language) for key in ("name", "what", "types")]
    for letter, members in family_members().items():
        yield from ("", f"## {FAMILIES[letter].in_language(language)}", "")
        yield from table([*heads, "950", "ULP"], (_row(decl, language) for decl in members))


def _row(decl: OpDecl, language: Language) -> list[str]:
    link = f"[`{decl.name}`]({decl.name}.md)"
    if decl.dtypes is None:
        types, more = _say("any", language), ""
    else:
        types, more = (
            " ".join(d.short for d in sorted(part)) for part in (decl.dtypes.everywhere, decl.dtypes.only_950)
        )
    if decl.only_950:
        types, more = "", " ".join(filter(None, (types, more)))
    return [link, texts(decl, language).summary.rstrip(".。"), types, more, error_of(decl)]


# A page


def _page(decl: OpDecl, language: Language) -> Iterator[str]:
    said = texts(decl, language)
    yield from (f"# pypto.{decl.name}", "", said.summary, "", "```python", signature(decl), "```")
    if said.details:
        yield from ("", said.details)
    yield from _spellings(decl, language)
    yield from _types(decl, said, language)
    yield from _restrictions(decl, said, language)
    yield from _numerics(decl, language)
    yield from ("", f"## {_say('example', language)}", "", "```python", example(decl).program.rstrip(), "```")
    yield from ("", _say("tested", language, test=f"{TESTS}::test_sample[{decl.name}-0]", count=len(decl.samples)))


def _spellings(decl: OpDecl, language: Language) -> Iterator[str]:
    lines = [_say("method", language, name=decl.name)] if decl.method else []
    lines += [_say("keyword", language, spelling=key, parameter=name) for key, name in decl.keywords.items()]
    if decl.writes:
        lines.append(_say("writes", language, names=", ".join(f"`{name}`" for name in decl.writes)))
    if lines:
        yield from ("", *(f"- {line}" for line in lines))


def _types(decl: OpDecl, said: Texts, language: Language) -> Iterator[str]:
    if said.shapes:
        yield from ("", f"## {_say('shapes', language)}", "", said.shapes)
    if said.results:
        yield from ("", f"## {_say('results', language)}", "", said.results)
    yield from ("", f"## {_say('chips', language)}", "")
    yield from table([_say("type", language), *CHIPS], _chip_rows(decl, language))
    yield from ("", _say("unit", language, unit=_say(decl.core, language)))


def _chip_rows(decl: OpDecl, language: Language) -> Iterator[list[str]]:
    if decl.dtypes is None:
        listed = texts(decl, "en").results not in ("", "None.") and not texts(decl, "en").results.startswith("Any")
        yield [_say("listed" if listed else "any", language), *_marks(decl.only_950)]
        return
    for dtype in sorted(decl.dtypes.union):
        yield [f"`{dtype.name}`", *_marks(decl.only_950 or dtype not in decl.dtypes.everywhere)]


def _marks(only_950: bool) -> list[str]:
    return ["", "", "✓"] if only_950 else ["✓"] * 3


def _restrictions(decl: OpDecl, said: Texts, language: Language) -> Iterator[str]:
    found = restrictions(decl)
    general = [_say("only 950", language)] if decl.only_950 else []
    if decl.core != "none":
        general.append(_say(f"tile {decl.core}", language))
    if not found and not said.errors:
        return
    yield from ("", f"## {_say('restrictions', language)}")
    if said.errors:
        yield from ("", _say("errors", language, errors=said.errors))
    if general:
        yield from ("", *general)
    if found:
        rows = []
        for restriction in found:
            title = RULES[restriction.code].title.in_language(language)
            reasons = [f"<br>· {escaped(reason.in_language(language))}" for reason in restriction.reasons]
            rows.append([f"[{restriction.code}](../rules/{restriction.code}.md)", escaped(title) + "".join(reasons)])
        yield from ("", *table([_say("code", language), _say("says", language)], rows))


def _numerics(decl: OpDecl, language: Language) -> Iterator[str]:
    yield from ("", f"## {_say('numerics', language)}", "")
    ulp = max(sample.ulp for sample in decl.samples)
    yield _say("ulp", language, ulp=f"{ulp:g}") if ulp > 0.502 else _say("exact", language)
    if decl.promoted:
        halves = ", ".join(dtype.short for dtype in sorted(decl.promoted))
        yield from ("", _say("promoted", language, types=halves))
    if isinstance(decl.arithmetic, Reduce | Composite):
        yield from ("", _say("how", language, how=how(decl, language)))
    rows = list(_special_rows(decl, language))
    if rows:
        yield from ("", _say("special", language) + (":" if language == "en" else "："))
    for head, body in rows:
        yield from ("", *table(head, body))


def _special_rows(decl: OpDecl, language: Language) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Tables of results, floats and integers apart, as in docs/contract-ops.md."""
    if not isinstance(decl.arithmetic, Pointwise):
        return
    count = tensors_of(decl)
    headings = {1: (UNARY_FLOAT, UNARY_INT), 2: (BINARY_FLOAT, BINARY_INT)}.get(count, ())
    for wanted, floats in zip(headings, (True, False), strict=False):
        rows = [
            row for dtype in types_of(decl) if is_float(dtype) is floats and (row := pointwise_row(decl, dtype, wanted))
        ]
        if rows:
            head = [_say(key, language) for key in ("types", "computed")] + [f"f({heading})" for heading in wanted]
            yield head, [[row[1], row[2], *row[4:]] for row in rows]


# The signature


def signature(decl: OpDecl) -> str:
    """The call as Python writes it."""
    found = decl.signature if decl.record is not None else inspect.signature(_function(decl.name))
    parts, starred = [], False
    for parameter in found.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL)
        parts.append(_parameter(parameter))
    result = _annotation(found.return_annotation)
    arrow = f" -> {result}" if result else ""
    line = f"pypto.{decl.name}({', '.join(parts)}){arrow}"
    if len(line) <= 100:
        return line
    return "\n".join([f"pypto.{decl.name}(", *(f"    {part}," for part in parts), f"){arrow}"])


def _function(name: str) -> Callable[..., Any]:
    value: Any = pypto
    for part in name.split("."):
        value = getattr(value, part)
    return value  # type: ignore[no-any-return]


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = _annotation(parameter.annotation)
    typed = f"{stars}{parameter.name}" + (f": {annotation}" if annotation else "")
    if parameter.default is inspect.Parameter.empty:
        return typed
    default = parameter.default
    shown = f"pypto.{type(default).__name__}.{default.name}" if isinstance(default, enum.Enum) else repr(default)
    if isinstance(default, DataType):
        shown = f"pypto.{default.name}"
    return f"{typed} = {shown}" if annotation else f"{typed}={shown}"


def _annotation(value: Any) -> str:
    """An annotation with the author's names for what the recording functions get."""
    if value is inspect.Parameter.empty:
        return ""
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    for ours, theirs in (("Var", "Tensor"), ("Expr", "SymbolicScalar"), ("Imm", "Element")):
        text = re.sub(rf"\b{ours}\b", theirs, text)
    return text
