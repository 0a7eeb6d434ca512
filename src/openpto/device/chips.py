"""Facts of the chips: on-chip memories in bytes. One profile per memory map; the SKUs of a family share it."""

from __future__ import annotations

from openpto._records import dataclass
from openpto.device.memory import KIB


@dataclass(frozen=True, slots=True)
class Chip:
    """One memory map. `ub` is per vector core, the cube memories per cube core; all sizes in bytes.

    cube_cores, vector_cores  of the smallest part of the family on which all cores are in use (of one die)
    """

    name: str
    arch: str
    ub: int
    l0a: int
    l0b: int
    l0c: int
    l1: int
    bias_table: int
    scale_table: int
    cube_cores: int
    vector_cores: int


CHIPS: dict[str, Chip] = {
    "910B": Chip("910B", "DAV_2201", 192 * KIB, 64 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, 1 * KIB, 2 * KIB, 24, 48),
    "910C": Chip("910C", "DAV_2201", 192 * KIB, 64 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, 1 * KIB, 2 * KIB, 24, 48),
    "950": Chip("950", "DAV_3510", 248 * KIB, 64 * KIB, 64 * KIB, 256 * KIB, 512 * KIB, 4 * KIB, 4 * KIB, 28, 56),
}
"""Chips by platform name. The 950 has 256 KiB of UB, of which 248 KiB are usable. The scale table is the first of the
fixpipe buffers."""

OTHER_NAMES = {
    **dict.fromkeys(("A2", "910B1", "910B2", "910B2C", "910B3", "910B4"), "910B"),
    **dict.fromkeys(("A3", "910C4"), "910C"),
    **dict.fromkeys(("A5", "950PR", "950DT"), "950"),
}
"""What else the chips are called; the parts of a family differ in cores and clocks, not in memories."""


def chips_of(platform: str | None) -> tuple[Chip, ...]:
    """The chips a kernel has to suit: the one of the platform, or all of which one must accept it."""
    return tuple(CHIPS.values()) if platform is None else (CHIPS[platform],)


def chip_name(text: str) -> str | None:
    """The platform that a chip is known as, None if it is not known.

    >>> chip_name("Ascend 910B3"), chip_name("950PR_9579"), chip_name("310P")
    ('910B', '950', None)
    """
    plain = text.upper().replace("ASCEND", "").strip(" _-")
    known = {name: name for name in CHIPS} | OTHER_NAMES
    return known.get(plain) or known.get(plain.partition("_")[0])
