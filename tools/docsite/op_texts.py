"""What is said of an operation: the parts of its doc string in English, the table of translations in Chinese."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from openpto.diagnostics.language import Language
from openpto.diagnostics.markdown import escaped
from openpto.ops.chinese import CHINESE
from openpto.ops.registry import OpDecl

_LABEL = re.compile(r"(?:^|(?<=[.)] )|(?<=\n))(Shapes|Dtypes|Errors):\s")


@dataclass(frozen=True, slots=True)
class Texts:
    """One sentence, more of them, and what is said of shapes, of types and results, and of errors; any may be empty."""

    summary: str
    details: str = ""
    shapes: str = ""
    results: str = ""
    errors: str = ""


def texts(decl: OpDecl, language: Language) -> Texts:
    """The texts of an operation."""
    if language == "zh":
        chinese = CHINESE[decl.name]
        return Texts(_prose(chinese.summary), shapes=_prose(chinese.shapes), results=_prose(chinese.results))
    return parsed(decl.doc or decl.summary, decl.signature.parameters)


def parsed(doc: str, names: Container[str] = ()) -> Texts:
    """The parts of a doc string, in sentences: names of parameters keep their small letters.

    >>> parsed("Sum.\\n\\nMore.\\nShapes: any. Dtypes: FP32.\\nErrors: none.\\n")
    Texts(summary='Sum.', details='More.', shapes='Any.', results='FP32.', errors='none.')
    """
    summary, _, rest = doc.partition("\n")
    details, *parts = _LABEL.split(rest)
    found = {label: _prose(text) for label, text in zip(parts[::2], parts[1::2], strict=True)}
    shapes, results = (_sentence(found.get(label, ""), names) for label in ("Shapes", "Dtypes"))
    return Texts(_prose(summary), _prose(details), shapes, results, found.get("Errors", ""))


def _sentence(text: str, names: Container[str]) -> str:
    first = re.match(r"\w*", text)
    return text if first is not None and first[0] in names else text[:1].upper() + text[1:]


def _prose(text: str) -> str:
    """One paragraph, code in single backticks, nothing else of it markup."""
    return escaped(" ".join(text.split()).replace("``", "`"))
