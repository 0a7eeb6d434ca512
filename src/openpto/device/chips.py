"""Facts of the chips: on-chip memories in bytes. One profile per memory map; the SKUs of a family share it."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True)
class Chip:
    """One memory map. `ub` is per vector core, the cube memories per cube core; all sizes in bytes."""

    name: str
    arch: str
    ub: int
    l0a: int
    l0b: int
    l0c: int
    l1: int
    bias_table: int
    scale_table: int = 2 * KIB


CHIPS: dict[str, Chip] = {
    "910B": Chip("910B", "DAV_2201", 192 * KIB, 64 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, 1 * KIB),
    "910C": Chip("910C", "DAV_2201", 192 * KIB, 64 * KIB, 64 * KIB, 128 * KIB, 512 * KIB, 1 * KIB),
    "950": Chip("950", "DAV_3510", 248 * KIB, 64 * KIB, 64 * KIB, 256 * KIB, 512 * KIB, 4 * KIB),
}
"""Chips by platform name. The 950 has 256 KiB of UB, of which 248 KiB are usable."""


def chips_of(platform: str | None) -> tuple[Chip, ...]:
    """The chips a kernel has to suit: the one of the platform, or all of which one must accept it."""
    return tuple(CHIPS.values()) if platform is None else (CHIPS[platform],)
