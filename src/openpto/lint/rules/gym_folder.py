"""Conventions of an operator collection for the folder of an operator: PTO709 to PTO759, off by default.

The folder of `<op>_impl.py` is looked at: SPEC.md, DESIGN.md, API_REPORT.md, MEMORY.md and README.md in it or in its
`docs`, `<op>_golden.py`, `test_<op>.py` and `eval/module_interfaces.yaml`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openpto.diagnostics.language import T
from openpto.diagnostics.span import Site, Span
from openpto.diagnostics.words import SEE_THE_TABLE
from openpto.lint import api, documents
from openpto.lint.documents import Document
from openpto.lint.findings import Finding
from openpto.lint.functions import FunctionNode, every_node, names_bound
from openpto.lint.hooks import KernelEnd, on, on_module
from openpto.lint.judge import Look
from openpto.lint.rules.syntax import LOOPS
from openpto.lint.walk import Walk

CODES = ("09", "10", "12", "13", "30", "31", "32", "33", "34", "37", "40", "50", "51", "53", "54", "59", "56")
SECTIONS = {
    "API_REPORT.md": (
        (T("the mapping of operations", "操作映射"), ("mapping", "映射")),
        (T("constraints", "约束"), ("constraint", "limit", "约束", "限制")),
        (T("tiling", "切分"), ("tiling", "tile", "切分")),
    ),
    "DESIGN.md": (
        (T("the graph of the computation", "计算图"), ("graph", "计算图")),
        (T("tiling", "切分"), ("tiling", "tile", "切分")),
        (T("verification", "验证"), ("verif", "验证")),
    ),
}
TOLERANCES = ({"atol", "rtol"}, {"mare_matrix", "mere_matrix", "rmse_matrix"}, {"mare", "mere", "rmse"})
LOOSER = 3.0
_REPORT_LINE = re.compile(r"^\s*#?\s*(?:(?:error|warning)\[PTO\d{3}\]|.*\bOL\d{2}\b.*\b(?:PASS|FAIL)\b)")


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of an operator."""

    look: Look
    name: str
    path: Path

    def document(self, name: str) -> Document | None:
        return documents.read(self.path / name) or documents.read(self.path / "docs" / name)

    def source(self, name: str) -> tuple[str, str]:
        """(name, text) of a Python file of the folder; empty text if there is none."""
        try:
            return name, (self.path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return name, ""

    def report(self, code: str, document: Document | None, line: int, /, **fields: object) -> None:
        """A finding in a document, or at the first line of the kernel file."""
        file = self.look.module.source.path if document is None else str(document.path)
        self.look.judge.add(Finding(code, Site(Span(file, max(line, 1))), fields), self.look.module)


@on_module
def pasted_reports(look: Look) -> None:
    """PTO741: output of a tool in a source file."""
    if not look.applies("PTO741"):
        return
    for number, line in enumerate(look.module.source.lines, 1):
        if _REPORT_LINE.match(line) and "expect" not in line:
            place = ast.Pass(lineno=number, col_offset=0, end_lineno=number, end_col_offset=len(line.encode()))
            look.report("PTO741", place)


@on_module
def folders(look: Look) -> None:
    """Everything about the folder of an operator."""
    path = Path(look.module.source.path)
    if not path.name.endswith("_impl.py") or not any(look.applies(f"PTO7{code}") for code in CODES):
        return
    folder = Folder(look, path.name.removesuffix("_impl.py"), path.parent)
    spec, design = folder.document("SPEC.md"), folder.document("DESIGN.md")
    if spec is None and design is None:
        return
    _files(folder)
    _specification(folder, spec)
    for name in ("API_REPORT.md", "DESIGN.md"):
        _sections(folder, name, folder.document(name))
    if spec is not None:
        _promises(folder, spec)
    if design is not None:
        _design(folder, design)
        _names(folder, design)
    _signatures(folder)
    _records(folder)


def _files(folder: Folder) -> None:
    for name in (f"test_{folder.name}.py", f"{folder.name}_golden.py", "README.md"):
        if not (folder.path / name).exists():
            folder.report("PTO713", None, 1, missing=name, file=f"{folder.name}_impl.py")


def _specification(folder: Folder, spec: Document | None) -> None:
    if spec is None:
        folder.report("PTO709", None, 1, what=T("is missing", "文件缺失"))
        return
    if folder.name not in spec.text:
        folder.report("PTO709", spec, 1, what=T(f"does not name {folder.name}", f"没有写出 {folder.name}"))
    missing = [key for key in ("p0_shapes", "supported_dtypes", "tolerance") if key not in spec.matter]
    if missing:
        listed = ", ".join(missing)
        what = T(f"has no {listed} in its front matter", f"文首元数据缺少 {listed}")
        folder.report("PTO709", spec, 1, what=what)


def _sections(folder: Folder, name: str, document: Document | None) -> None:
    if document is None:
        return
    if not document.matter:
        folder.report("PTO740", document, 1, file=name)
    for title, words in SECTIONS[name]:
        if not document.has_section(words):
            code = "PTO710" if name == "API_REPORT.md" else "PTO712"
            folder.report(code, document, 1, missing=title)


def _promises(folder: Folder, spec: Document) -> None:
    """PTO730, PTO732 and PTO734: what the specification promises and the test checks."""
    test, text = folder.source(f"test_{folder.name}.py")
    place = spec.places.get
    if text:
        for dtype in _texts(spec.matter.get("supported_dtypes")):
            if dtype.lower().removeprefix("dt_") not in text.lower():
                folder.report("PTO730", spec, place("supported_dtypes", 1), dtype=dtype, test=test)
        for shape in _shapes(spec.matter.get("p0_shapes")):
            if not re.search(r"[\[(]\s*" + r"\s*,\s*".join(map(str, shape)) + r"\s*,?\s*[\])]", text):
                folder.report("PTO734", spec, place("p0_shapes", 1), shape=str(shape), test=test)
    tolerance = spec.matter.get("tolerance")
    if tolerance is None:
        return
    if not isinstance(tolerance, dict) or set(tolerance) not in TOLERANCES:
        what = T("the specification has neither atol and rtol nor matrices", "规格既没有 atol 与 rtol，也没有误差矩阵")
        folder.report("PTO732", spec, place("tolerance", 1), what=what)
        return
    for key in ("atol", "rtol"):
        promised = tolerance.get(key)
        used = [float(found) for found in re.findall(rf"\b{key}\s*=\s*([0-9][0-9.eE+-]*)", text)]
        if isinstance(promised, (int, float)) and any(number > LOOSER * promised for number in used):
            what = T(
                f"{test} compares with {key}={max(used):g}, {promised:g} is promised",
                f"{test} 以 {key}={max(used):g} 比较，而规格承诺 {promised:g}",
            )
            folder.report("PTO732", spec, place("tolerance", 1), what=what)


def _texts(value: object) -> list[str]:
    return [str(entry) for entry in value] if isinstance(value, (list, tuple)) else [str(value)] if value else []


def _shapes(value: object) -> Iterator[list[int]]:
    """The shapes among nested lists and maps."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        numbers = [entry for entry in value if isinstance(entry, int)]
        if numbers and len(numbers) == len(value):
            yield numbers
        else:
            for entry in value:
                yield from _shapes(entry)


def _design(folder: Folder, design: Document) -> None:
    """PTO731, and PTO219 and PTO756 of its blocks of Python."""
    axes = _texts(design.matter.get("dynamic_axes"))
    if axes and not re.search(r"\bDYN(AMIC)?\b", folder.look.module.source.text):
        folder.report("PTO731", design, design.places.get("dynamic_axes", 1), axes=", ".join(axes))
    known = api.members("") or frozenset()
    for start, text in design.python():
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            line = start + getattr(node, "lineno", 1) - 1
            owner = getattr(node, "value", None)
            if isinstance(node, ast.Attribute) and isinstance(owner, ast.Name) and owner.id == "pypto":
                if node.attr not in known:
                    shown = f"'pypto' has no attribute '{node.attr}'"
                    folder.report("PTO219", design, line, text=shown, hint=SEE_THE_TABLE)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in LOOPS:
                for keyword in node.keywords:
                    if keyword.arg == "unroll_list" and isinstance(keyword.value, (ast.List, ast.Tuple)):
                        if len(keyword.value.elts) > 1:
                            folder.report("PTO756", design, line, count=len(keyword.value.elts))


def _names(folder: Folder, design: Document) -> None:
    """PTO737: names of intermediate values, those of `intermediates` and those that blocks of Python assign to."""
    names = dict.fromkeys(_texts(design.matter.get("intermediates")))
    for _, text in design.python():
        try:
            names |= dict.fromkeys(sorted(names_bound(every_node(ast.parse(text)))))
        except SyntaxError:
            continue
    used = {name for function in folder.look.module.functions for name in function.local}
    if len(names) > 1 and not used & set(names):
        line = design.places.get("intermediates", 1)
        folder.report("PTO737", design, line, names=", ".join(names), file=f"{folder.name}_impl.py")


def _signatures(folder: Folder) -> None:
    """PTO733 (golden and wrapper) and PTO750 (wrapper and its interface)."""
    wrapper = _function(folder.look.module.source.tree, f"{folder.name}_wrapper")
    if wrapper is None:
        return
    _, text = folder.source(f"{folder.name}_golden.py")
    try:
        golden = _function(ast.parse(text), f"{folder.name}_golden")
    except SyntaxError:
        golden = None
    if golden is not None and len(_required(golden)) != len(_required(wrapper)):
        count, other = len(_required(golden)), len(_required(wrapper))
        fields = {"golden": golden.name, "count": count, "wrapper": wrapper.name, "other": other}
        folder.report("PTO733", None, wrapper.lineno, **fields)
    interface = documents.read(folder.path / "eval" / "module_interfaces.yaml")
    if interface is not None:
        wanted = _texts(documents.parse_matter(interface.text.split("\n"))[0].get("primary_inputs"))
        have = [argument.arg for argument in (*wrapper.args.posonlyargs, *wrapper.args.args)]
        if wanted and have != wanted:
            shown = ", ".join(have), ", ".join(wanted)
            folder.report("PTO750", None, wrapper.lineno, wrapper=wrapper.name, have=shown[0], want=shown[1])


def _function(tree: ast.Module, name: str) -> FunctionNode | None:
    return next((node for node in tree.body if isinstance(node, FunctionNode) and node.name == name), None)


def _required(node: FunctionNode) -> list[str]:
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return names[: len(names) - len(node.args.defaults)]


def _records(folder: Folder) -> None:
    """PTO753, PTO754 and PTO759: lists of what was done."""
    memory = folder.document("MEMORY.md")
    if memory is not None:
        _memory(folder, memory)
    report = folder.document("GOLDEN_PERF_REPORT.md")
    if report is not None and not re.search(r"^\|.*\|\s*\n\|[\s:|-]+\|", report.text, re.M):
        folder.report("PTO759", report, 1)


def _memory(folder: Folder, memory: Document) -> None:
    heading, place, done = "", 0, 0
    review = re.compile(r"phase m\w+ self-review")
    for number, line in enumerate([*memory.text.splitlines(), "# end"], 1):
        if line.startswith("#"):
            if review.search(heading.lower()) and done < 6:
                folder.report("PTO754", memory, place, heading=heading, done=done)
            heading, place, done = line.lstrip("# ").strip(), number, 0
        elif line.lstrip().startswith("- [x]"):
            done += 1
        elif line.lstrip().startswith("- [ ]") and "inventory" in heading.lower():
            folder.report("PTO753", memory, number)


@on(KernelEnd)
def written_outputs(walk: Walk, end: KernelEnd) -> None:
    """PTO751: as many parameters are written as outputs are declared."""
    path = Path(walk.kernel.module.source.path)
    if not end.complete or not path.name.endswith("_impl.py") or not walk.applies("PTO751"):
        return
    for name in ("SPEC.md", "DESIGN.md", "docs/SPEC.md", "docs/DESIGN.md"):
        document = documents.read(path.parent / name)
        outputs = _texts(document.matter.get("outputs")) if document is not None else []
        if outputs:
            have = sum(1 for parameter in end.parameters if parameter.written)
            if have < len(outputs):
                walk.report("PTO751", walk.kernel.node, count=len(outputs), have=have)
            return
