# SPDX-License-Identifier: Apache-2.0
"""Whether docs/questions.md names tests that exist: check_questions.py ROOT."""

import re
import sys
from pathlib import Path

QUESTIONS = 25


def main(root):
    page = (root / "docs/questions.md").read_text()
    rows = re.findall(r'^\| .* \| .* \| "(.+)" \|$', page, re.M)
    sources = "\n".join(path.read_text() for path in sorted((root / "tests").rglob("test_*.cpp")))
    missing = [name for name in rows if f'TEST_CASE("{name}")' not in sources]
    for name in missing:
        print(f"docs/questions.md: there is no test '{name}'")
    if len(rows) != QUESTIONS:
        print(f"docs/questions.md: {len(rows)} rows with a test, expected {QUESTIONS}")
    return int(bool(missing) or len(rows) != QUESTIONS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
