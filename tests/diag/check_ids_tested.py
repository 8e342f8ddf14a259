# SPDX-License-Identifier: Apache-2.0
"""Whether tests name every id of a diagnostic, and expect every exit code: check_ids_tested.py ROOT."""

import re
import sys
from pathlib import Path

EXPECTED_CODE = r"\bCHECK_EQ\(.*\bcode, (\d+)\)"


def main(root):
    table = (root / "src/diag/ids.cpp").read_text()
    ids = re.findall(r'\{"([a-z0-9-]+)", ExitCode::', table)
    codes = re.findall(r"^  (\w+) = (\d+),$", (root / "src/diag/diagnostic.h").read_text(), re.M)
    sources = [path.read_text() for path in sorted((root / "tests").rglob("*"))
               if path.suffix in (".cpp", ".py", ".sh") and "fuzz" not in path.parts]
    text = "\n".join(sources)
    expected = set(re.findall(EXPECTED_CODE, text))
    missing = [each for each in ids if each not in text]
    missing += [f"exit code {code}" for name, code in codes
                if code not in expected and f"code() == ExitCode::{name}" not in text]
    for each in missing:
        print(f"no test expects '{each}'")
    return int(bool(missing) or not ids or not codes)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
