"""What a check has to say, before anybody is told: a code, the operation and the particulars of the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpto._records import dataclass, field
from openpto.diagnostics import RULES, Rule, fail, warn
from openpto.diagnostics.registry import fields_of
from openpto.ir.nodes import Op


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that an operation breaks under the tile in its scope.

    `particulars` are the fields of the rule's texts except the name of the operation; `formula` is among them where
    numbers were compared, `suggest` is added when the finding is reported.
    """

    code: str
    op: Op
    particulars: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rule(self) -> Rule:
        """The rule that the code stands for."""
        return RULES[self.code]

    @property
    def fields(self) -> dict[str, Any]:
        """All fields, the operation under the name that the author called."""
        return {"op": self.op.called, **self.particulars}

    @property
    def wants_tile(self) -> bool:
        """Whether the texts name a tile to use instead that the finding does not bring along."""
        return "suggest" not in self.particulars and "suggest" in fields_of(self.rule.help.en)

    @property
    def refuses(self) -> bool:
        """Whether it stops the kernel."""
        return self.rule.severity == "error"

    def report(self, **more: Any) -> None:
        """Raise the error or give the warning, at the place of the operation."""
        tell = fail if self.refuses else warn
        tell(self.code, site=self.op.site, **self.fields, **more)
