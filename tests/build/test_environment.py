# SPDX-License-Identifier: Apache-2.0
"""Libraries that may be loaded into a privileged (setuid) program read no environment variable that
its caller set."""

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
    assert len(asked) >= 10  # the search looks in the right place
    assert {place: line for place, line in asked.items() if PLAIN.search(line)} == {}
