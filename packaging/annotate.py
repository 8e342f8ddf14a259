# SPDX-License-Identifier: Apache-2.0
"""Prints the diagnostics of a report as annotations that GitHub shows beside the lines of the model's source.

usage: annotate.py REPORT.json
"""
import json
import sys
from pathlib import Path

KINDS = {"error": "error", "warning": "warning", "note": "notice"}


def escaped(text, in_property=False):
    """As GitHub's runner reads it: a message may hold anything, a property neither `:` nor `,`."""
    pairs = [("%", "%25"), ("\r", "%0D"), ("\n", "%0A")] + ([(":", "%3A"), (",", "%2C")] if in_property else [])
    for character, code in pairs:
        text = text.replace(character, code)
    return text


def annotation(diagnostic):
    properties = {"title": f"t2nnef: {diagnostic['id']}"}
    frames = [frame for where in diagnostic["where"] for frame in where["frames"]]
    for frame in frames[:1]:
        properties |= {"file": frame["file"], "line": str(frame["line"])}
    lines = [diagnostic["message"], *diagnostic["details"]]
    lines += [f"{name}: {diagnostic[name]}" for name in ("why", "help") if diagnostic.get(name)]
    listed = ",".join(f"{name}={escaped(value, True)}" for name, value in properties.items())
    return f"::{KINDS[diagnostic['severity']]} {listed}::{escaped(chr(10).join(lines))}"


def main():
    path = Path(sys.argv[1])
    if not path.exists():
        print("::error title=t2nnef::it ended without a report")
        return
    for diagnostic in json.loads(path.read_text()).get("diagnostics", []):
        print(annotation(diagnostic))


if __name__ == "__main__":
    main()
