"""The check of a case: a wrong result, one that no kernel wrote, a changed input, a missing torch are no pass."""

import dataclasses
import io

import numpy as np
import pytest

from openpto_gym import check as checking
from openpto_gym import registry, table
from openpto_gym.check import check, chosen_cases
from openpto_gym.operator import Operator


def operator_with(run):
    """scale_add with another way to run it."""
    real = registry.load("scale_add")
    return Operator(real.name, real.summary, real.cases, real.inputs, run(real), real.torch, real.numpy)


def only(results):
    (result,) = results
    return result


def first_case(operator):
    return operator.case("one_tile")


def test_a_wrong_result_is_a_miss():
    def run(real):
        def wrong(case, arrays):
            outputs = real.run(case, arrays)
            outputs["out"][0, 0, 0, 0] += 1
            return outputs

        return wrong

    operator = operator_with(run)
    result = only(check(operator, first_case(operator), "numpy"))
    assert (result.verdict, result.found.outside, result.found.first) == ("miss", 1, (0, 0, 0, 0))
    assert "MISS: 1 of 1024 out" in table.outcome(result)


def test_a_result_that_no_kernel_wrote_is_refused():
    operator = operator_with(lambda real: lambda case, arrays: real.numpy(case, arrays))
    registry.load("relu").run(registry.load("relu").case("forward_one_tile"), {"x": np.ones((1, 16, 4, 16), "f4")})
    with pytest.raises(AssertionError, match="PTO537"):
        list(check(operator, first_case(operator), "numpy"))


def test_a_run_without_a_kernel_is_refused_although_its_outputs_are_empty():
    operator = operator_with(lambda real: real.numpy)
    with pytest.raises(AssertionError, match="no kernel was called"):
        list(check(operator, operator.case("no_tokens"), "numpy"))


def test_an_output_that_stays_is_that_of_a_kernel_that_ran():
    operator = registry.load("scatter_sub")
    case = operator.case("no_updates")
    assert only(check(operator, case, "numpy")).verdict == "ok"
    idle = dataclasses.replace(operator, run=lambda case, arrays: {"table": arrays["table"].copy()})
    with pytest.raises(AssertionError, match="no kernel was called"):
        list(check(idle, case, "numpy"))

    def elsewhere(case, arrays):
        return {"table": operator.run(case, arrays)["table"].copy()}

    with pytest.raises(AssertionError, match="PTO537"):
        list(check(dataclasses.replace(operator, run=elsewhere), case, "numpy"))


def test_an_output_that_does_not_stay_is_an_error():
    """Written where the case says that it is not, or changed without the kernel."""
    operator = registry.load("scatter_sub")
    written = dataclasses.replace(operator.case("one_update"), kept=("table",))
    result = only(check(operator, written, "numpy"))
    assert (result.verdict, "PTO543" in result.note, "wrote" in result.note) == ("error", True, True)

    def touching(case, arrays):
        outputs = operator.run(case, arrays)
        outputs["table"][3, 3] = np.nextafter(outputs["table"][3, 3], 9)
        return outputs

    touched = dataclasses.replace(operator, run=touching)
    result = only(check(touched, operator.case("no_updates"), "numpy"))
    assert (result.verdict, "PTO543" in result.note, "changed" in result.note) == ("error", True, True)


def test_an_output_that_nothing_says_to_stay_has_to_be_written():
    operator = registry.load("scatter_sub")
    plain = dataclasses.replace(operator.case("no_updates"), kept=())
    with pytest.raises(AssertionError, match="PTO537"):
        list(check(operator, plain, "numpy"))


def test_an_error_of_the_kernel_is_a_result():
    def run(real):
        def broken(case, arrays):
            raise RuntimeError("it broke\nin two lines")

        return broken

    operator = operator_with(run)
    result = only(check(operator, first_case(operator), "numpy"))
    assert (result.verdict, table.outcome(result)) == ("error", "error: it broke")


def test_a_changed_input_is_an_error():
    def run(real):
        def changing(case, arrays):
            outputs = real.run(case, arrays)
            arrays["x"][0, 0, 0, 0] = 7
            return outputs

        return changing

    operator = operator_with(run)
    assert [r.verdict for r in check(operator, first_case(operator), "numpy")][0] == "error"


def test_without_torch_a_case_is_skipped_and_says_so(monkeypatch):
    monkeypatch.setattr(checking, "torch_is_here", lambda: False)
    operator = registry.load("relu")
    result = only(check(operator, operator.cases[0], "torch"))
    assert (result.verdict, table.outcome(result)) == ("skipped", "skipped: needs torch")
    assert only(check(operator, operator.cases[0], "numpy")).verdict == "ok"


def test_cases_are_chosen_by_speed_and_dtype():
    operator = registry.load("attention")
    assert len(chosen_cases(operator, slow=False)) < len(chosen_cases(operator, slow=True)) == len(operator.cases)
    assert chosen_cases(operator, slow=True, dtypes=frozenset({"int8"})) == []
    assert chosen_cases(operator, slow=True, dtypes=frozenset({"fp32"}))


def test_the_plain_table_has_a_line_per_output():
    operator = registry.load("relu")
    results = list(check(operator, operator.cases[0], "numpy"))
    stream = io.StringIO()
    table.write(results, stream)
    head, line, note = stream.getvalue().splitlines()
    assert head.split()[:4] == ["operator", "case", "dtype", "sizes"]
    assert line.split()[0] == "relu"
    assert line.endswith("ok")
    assert note == table.NOTE


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_the_table_on_a_terminal_never_reads_markup(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    operator = registry.load("relu")
    good = next(check(operator, operator.cases[0], "numpy"))
    bad = dataclasses.replace(good, verdict="error", found=None, note="[red]not markup[/red]")
    stream = Terminal()
    table.write([good, bad], stream)
    text = stream.getvalue()
    assert "one_element" in text
    assert "[red]not markup[/red]" in text
