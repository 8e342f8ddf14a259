# SPDX-License-Identifier: Apache-2.0
"""A smaller file that fails in the same way: pieces are left out as long as the problem stays."""
import dataclasses
import time


def minimised(case, fails, seconds=60):
    """`fails(case)` tells whether the problem is still there."""
    if not case.focus:
        return case
    deadline = time.monotonic() + seconds
    size = max(1, len(case.files[case.focus]) // 2)
    while size >= 1 and time.monotonic() < deadline:
        at, shrunk = 0, False
        while at < len(case.files[case.focus]) and time.monotonic() < deadline:
            data = case.files[case.focus]
            smaller = dataclasses.replace(case, files={**case.files, case.focus: data[:at] + data[at + size:]})
            if fails(smaller):
                case, shrunk = smaller, True
            else:
                at += size
        if not shrunk:
            size //= 2
    return case
