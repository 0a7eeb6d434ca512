"""Symptoms of rules and leaves as people put them, in both languages, by the code of the rule or the key of the leaf.

A table is text: ``CODE: symptom`` per line, several lines for a rule. The titles and messages of a rule are known to
the search anyway; what stands here is what its author would not have written. A symptom in double quotes is words of a
message of the toolchains that the rule answers in other words.
"""

from __future__ import annotations

from openpto.guide.symptoms import arguments, leaves, portability, runs, source, tensors, tiles

__all__ = ["MESSAGES", "SYMPTOMS"]


def _read(*tables: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in filter(None, "\n".join(tables).split("\n")):
        code, _, symptom = line.partition(": ")
        found.setdefault(code, []).append(symptom)
    return {code: tuple(symptoms) for code, symptoms in found.items()}


_ALL = _read(source.TABLE, tensors.TABLE, tiles.TABLE, runs.TABLE, arguments.TABLE, portability.TABLE, leaves.TABLE)
SYMPTOMS: dict[str, tuple[str, ...]] = {code: tuple(text.strip('"') for text in texts) for code, texts in _ALL.items()}
MESSAGES: dict[str, tuple[str, ...]] = {
    code: tuple(text.strip('"') for text in texts if text.startswith('"')) for code, texts in _ALL.items()
}
"""Those of the symptoms that are words of messages."""
