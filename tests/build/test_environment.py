# SPDX-License-Identifier: Apache-2.0
"""What may be loaded into a program with rights of its own (setuid) heeds no variable that its caller chose."""

import re

LOADED = ("host/runtime", "host/drop_in", "host/config", "sources", "plugins", "dry_gpu")
PLAIN = re.compile(r"(?<!secure_)\bgetenv\s*\(")


def test_variables_are_asked_for_securely(repository):
    asked = {}
    for folder in LOADED:
        for path in sorted(path for path in (repository / folder).rglob("*") if path.suffix in (".c", ".cpp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if "getenv" in line:
                    asked[f"{path.relative_to(repository)}:{number}"] = line
    assert len(asked) >= 10  # they are where this looks
    assert {place: line for place, line in asked.items() if PLAIN.search(line)} == {}
