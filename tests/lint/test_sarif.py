"""SARIF 2.1.0: the structure that the standard asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from openpto.lint.engine import lint_files
from openpto.lint.sarif import as_sarif

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module")
def log() -> dict:
    files = sorted(CORPUS.rglob("*.py"))
    return json.loads(as_sarif(lint_files(files), len(files)))


def test_log_and_driver(log: dict) -> None:
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "pypto lint"
    identifiers = [rule["id"] for rule in driver["rules"]]
    assert len(identifiers) == len(set(identifiers)) > 20
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning")
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", rule["name"])


def test_results(log: dict) -> None:
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) > 60
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert not re.search(r"[\\ ]", place["artifactLocation"]["uri"])
        if "uriBaseId" in place["artifactLocation"]:
            assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        region = place["region"]
        assert region["startLine"] >= 1
        assert region["startColumn"] >= 1
        assert (region["endLine"], region["endColumn"]) > (region["startLine"], region["startColumn"])


def test_calls_are_related_locations(log: dict) -> None:
    related = [result["relatedLocations"] for result in log["runs"][0]["results"] if "relatedLocations" in result]
    assert related
    assert all(entry["message"]["text"].startswith("call of ") for entries in related for entry in entries)
