"""`pypto new op`: what it makes passes as it is, for every family, on both engines and under both toolchains."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import openpto
from openpto.cli.app import app
from openpto.cli.new_op import FAMILIES, create
from openpto.cli.subjects import subject_of
from openpto.lint import settings
from openpto.lint.engine import lint_files
from openpto.testing import read_cases


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder per family, each on the path, with names that no other test uses."""
    root = tmp_path_factory.mktemp("ops")
    folders = {family: create(f"made_{family}", family, root) for family in FAMILIES}
    sys.path[:0] = [str(folder) for folder in folders.values()]
    yield folders
    for folder in folders.values():
        sys.path.remove(str(folder))


def module_of(folder, kind):
    name = folder.name
    return importlib.import_module({"test": f"test_{name}"}.get(kind, f"{name}_{kind}"))


def function_of(folder, kind):
    return getattr(module_of(folder, kind), f"{folder.name}_{'wrapper' if kind == 'impl' else kind}")


# -- what is made -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_files(made, family):
    folder, name = made[family], f"made_{family}"
    files = {file.name for file in folder.iterdir()} - {"__pycache__"}
    assert files == {f"{name}_impl.py", f"{name}_golden.py", f"test_{name}.py", "test_cases.json", "README.md"}
    for file in folder.glob("*.*"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\$[a-z]", text)
        assert text.rstrip("\n") + "\n" == text
        assert file.suffix != ".py" or max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("target", [None, "0.2", "0.3"])
def test_nothing_to_lint(made, family, target):
    chosen = settings.changed(settings.load(made[family]), target=target)
    assert lint_files(sorted(made[family].glob("*.py")), chosen.selection) == []


def test_nothing_for_ruff(made):
    pytest.importorskip("ruff")
    folders = [str(folder) for folder in made.values()]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E,F,B,UP,N,SIM,PT", *folders,
         "--line-length", "120"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


LEVEL_0 = [
    (family, case.id)
    for family in FAMILIES
    for case in read_cases(Path(openpto.__file__).parent / "cli" / "templates" / family / "cases.json.txt")
    if case.level == 0
]


@pytest.mark.parametrize(("family", "name"), LEVEL_0)
@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_cases(made, family, name, engine):
    """Nothing is warned of: what both toolchains take."""
    (case,) = (case for case in read_cases(made[family] / "test_cases.json") if case.id == name)
    with openpto.configure(engine=engine), warnings.catch_warnings():
        warnings.simplefilter("error")
        module_of(made[family], "test").check(case)


@pytest.mark.parametrize("family", FAMILIES)
def test_shapes_of_a_model(made, family):
    with openpto.configure(target="0.2", platform="910B"):
        for case in read_cases(made[family] / "test_cases.json"):
            if case.level == 1:
                module_of(made[family], "test").check(case)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_compilation(made, family):
    module_of(made[family], "test").test_one_compilation_serves_every_size()


# -- goldens, by other means -------------------------------------------------------------------------------------------


@pytest.mark.torch
def test_goldens_are_right(made):
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    make = {family: module_of(made[family], "golden")._make_inputs for family in FAMILIES}
    wide = {
        "vector": make["vector"]((9, 40)),
        "matmul": make["matmul"]({"x": (5, 16), "weight": (16, 7)}),
        "attention": make["attention"]({"query": (2, 5, 16), "key": (2, 9, 16)}),
    }
    given = {family: [torch.from_numpy(a.astype(np.float64)) for a in arrays] for family, arrays in wide.items()}
    x, residual, weight = given["vector"]
    total, out = function_of(made["vector"], "golden")(*wide["vector"])
    np.testing.assert_allclose(total, x + residual, rtol=1e-12)
    np.testing.assert_allclose(out, F.rms_norm(x + residual, (40,), weight, 1e-6), rtol=1e-12)
    x, weight, bias = given["matmul"]
    golden = function_of(made["matmul"], "golden")(*wide["matmul"])
    np.testing.assert_allclose(golden, F.silu(x @ weight + bias), rtol=1e-12)
    golden = function_of(made["attention"], "golden")(*wide["attention"])
    np.testing.assert_allclose(golden, F.scaled_dot_product_attention(*given["attention"]), rtol=1e-12)


def test_golden_of_the_recurrence_is_right(made):
    """All tokens at once, by a mask."""
    query, key, value, state = module_of(made["recurrent"], "golden")._make_inputs((2, 11, 16))
    out, last = function_of(made["recurrent"], "golden")(query, key, value, state)
    scores = np.tril(np.einsum("htk,hsk->hts", *(a.astype(np.float64) for a in (query, key))))
    np.testing.assert_allclose(out, scores @ value + query.astype(np.float64) @ state, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(last, state + np.einsum("htk,htv->hkv", key.astype(np.float64), value), rtol=1e-10)


@pytest.mark.torch
@pytest.mark.parametrize("family", FAMILIES)
def test_wrappers_take_tensors(made, family):
    torch = pytest.importorskip("torch")
    inputs = module_of(made[family], "golden")._make_inputs(read_cases(made[family] / "test_cases.json")[0].shape)
    arrays = function_of(made[family], "impl")(*inputs)
    tensors = function_of(made[family], "impl")(*map(torch.from_numpy, inputs))
    one, other = (result if isinstance(result, tuple) else (result,) for result in (arrays, tensors))
    assert all(np.array_equal(a, b.numpy()) for a, b in zip(one, other, strict=True))


# -- what it is for ---------------------------------------------------------------------------------------------------

FAULTS = {
    "vector": ("live = (rows - row).min(BLOCK_ROWS)", "live = BLOCK_ROWS"),
    "matmul": ("return y * pypto.sigmoid(y)", "return pypto.sigmoid(y)"),
    "attention": ("total[:] = total * shrink + ", "total[:] = total + "),
    "recurrent": ("state[:] = state + ", "state = state + "),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_fault_is_found(tmp_path, family):
    """A tail that is forgotten, a factor, a sum that is not scaled, a state that is only rebound."""
    name = f"faulty_{family}"
    folder = create(name, family, tmp_path)
    file = folder / f"{name}_impl.py"
    right, wrong = FAULTS[family]
    text = file.read_text(encoding="utf-8")
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        check = module_of(folder, "test").check
        cases = [case for case in read_cases(folder / "test_cases.json") if case.level == 0]
        codes = set()
        for case in cases:
            try:
                check(case)
            except openpto.diagnostics.PyptoError as error:
                codes.add(error.code)
        assert codes
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize("family", ["vector", *(pytest.param(f, marks=pytest.mark.slow) for f in list(FAMILIES)[1:])])
def test_the_commands_of_the_page(made, family):
    """Every command of the README, as a reader types them, in the folder."""
    text = (made[family] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert [command[0] for command in commands] == ["python", "python", "python", "pypto", "pypto"]
    for program, *args in commands:
        if program == "pypto":
            args = ["-m", "openpto.cli", *args]
        elif args[:2] == ["-m", "pytest"]:
            args = [*args, *PLUGIN]
        done = subprocess.run(
            [sys.executable, *args], cwd=made[family], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert done.returncode == 0, f"{program} {args}\n{done.stdout}\n{done.stderr}"


def plugin_options() -> list[str]:
    """How the plugin is loaded where the package is installed, and where it is not."""
    from importlib.metadata import entry_points

    installed = any(point.value == "openpto.pytest_plugin" for point in entry_points(group="pytest11", name="openpto"))
    return ["-p", "openpto" if installed else "openpto.pytest_plugin", "-p", "no:cacheprovider"]


PLUGIN = plugin_options()


@pytest.mark.parametrize("slow", [False, True])
def test_verify_leaves_long_cases_out(made, slow):
    names = [trial.name for trial in subject_of(str(made["vector"]), slow=slow, cases=[], arguments=[]).trials]
    assert ("long" in names) is slow
    assert "model" in names


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path):
    place = tmp_path / "a" / "b"
    done = CliRunner().invoke(app, ["new", "op", "fused_gate", "--family", "matmul", "--dir", str(place)])
    assert done.exit_code == 0, done.output
    assert "fused_gate_impl.py" in done.output
    assert "pypto verify ." in done.output
    assert json.loads((place / "fused_gate" / "test_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("FusedGate", "fused_gate"),
        ("fused-gate", "fused_gate"),
        ("2fast", "fast"),
        ("a__b", "a_b"),
        ("_private", "private"),
        ("lambda", "lambda_op"),
        ("../escape", "escape"),
        ("", "my_op"),
        ("算子", "my_op"),
        ("a" * 61, "a" * 60),
    ],
)
def test_names_that_are_none(tmp_path, name, near):
    with pytest.raises(ValueError) as caught:
        create(name, "vector", tmp_path)
    assert caught.value.code == "PTO585"
    assert caught.value.fields["near"] == near
    create(near, "vector", tmp_path)


def test_nothing_is_overwritten(tmp_path):
    folder = create("gate", "vector", tmp_path)
    before = {file: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(FileExistsError, match="PTO586"):
        create("gate", "matmul", tmp_path)
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="PTO586"):
        create("file", "matmul", tmp_path)
