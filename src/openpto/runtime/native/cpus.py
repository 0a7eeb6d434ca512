"""How many processors this process may use: its affinity, cut by the quota of its control group.

A container with a quota of half a machine that starts a thread per processor runs slower than with half as many.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path("/")


def available(root: Path = ROOT) -> int:
    """Processors for this process, at least 1; ``root`` is where ``proc`` and ``sys`` are found."""
    return max(1, min(affinity(), quota(root) or affinity()))


def affinity() -> int:
    """Processors that the scheduler may run this process on."""
    asked = getattr(os, "sched_getaffinity", None)  # absent on macOS and Windows
    if asked is not None:
        return len(asked(0)) or 1
    return os.cpu_count() or 1


def quota(root: Path = ROOT) -> int | None:
    """Processors that the control groups around this process allow, rounded up; None without a limit."""
    limits = [limit for limit in (*_unified(root), *_older(root)) if limit is not None]
    return max(1, min(limits)) if limits else None


def _groups(root: Path) -> dict[str, str]:
    """Controllers of this process to the path of its group; version 2 is the empty name."""
    found: dict[str, str] = {}
    for line in _read(f"{root}/proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            for controller in parts[1].split(","):
                found[controller] = parts[2]
    return found


def _unified(root: Path) -> list[int | None]:
    """Version 2: ``cpu.max`` of the group and of those around it."""
    group = _groups(root).get("")
    if group is None:
        return []
    return [_limit(*_read(f"{folder}/cpu.max").split()) for folder in _around(f"{root}/sys/fs/cgroup", group)]


def _older(root: Path) -> list[int | None]:
    """Version 1: quota and period in files of their own."""
    group = _groups(root).get("cpu")
    if group is None:
        return []
    return [
        _limit(_read(f"{folder}/cpu.cfs_quota_us"), _read(f"{folder}/cpu.cfs_period_us"))
        for mount in ("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct")
        for folder in _around(f"{root}/{mount}", group)
    ]


def _around(mount: str, group: str) -> list[str]:
    """The folder of a group and of every group around it; in a container the mount itself is the group."""
    folders = [mount]
    for part in filter(None, group.split("/")):
        if part == "..":
            break
        folders.append(f"{folders[-1]}/{part}")
    return folders


def _limit(*numbers: str) -> int | None:
    """Processors of (quota, period) in microseconds; None if there is no limit."""
    try:
        quota, period = (int(n) for n in numbers)
    except ValueError:  # "max", a missing file, or another format
        return None
    return None if quota <= 0 or period <= 0 else -(-quota // period)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""
