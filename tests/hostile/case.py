# SPDX-License-Identifier: Apache-2.0
"""One attack: files, a command line, and how the machine treats the program meanwhile."""
import dataclasses
import json
import pathlib


@dataclasses.dataclass
class Case:
    kind: str  # the class that is counted
    argv: list  # without the program
    files: dict = dataclasses.field(default_factory=dict)  # name: bytes
    env: dict = dataclasses.field(default_factory=dict)  # differences; None: not set
    faults: dict = dataclasses.field(default_factory=dict)  # see run.py
    focus: str = ""  # the file that was damaged: the one to minimise

    def save(self, folder):
        """Writes the case where `load` finds it."""
        folder = pathlib.Path(folder)
        (folder / "files").mkdir(parents=True, exist_ok=True)
        names = {}
        for number, (name, content) in enumerate(sorted(self.files.items())):
            names[name] = f"{number:02d}"
            (folder / "files" / names[name]).write_bytes(content)
        about = {"kind": self.kind, "argv": self.argv, "env": self.env, "faults": self.faults,
                 "focus": self.focus, "files": names}
        (folder / "case.json").write_text(json.dumps(about, indent=1, sort_keys=True) + "\n")

    @staticmethod
    def load(folder):
        folder = pathlib.Path(folder)
        about = json.loads((folder / "case.json").read_text())
        about["files"] = {name: (folder / "files" / stored).read_bytes()
                          for name, stored in about["files"].items()}
        return Case(**about)
