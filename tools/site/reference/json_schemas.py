# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of files that Strata reads and writes."""

from .program import says

HEAD = """\
# JSON Schemas

For editors, and for whoever reads Strata's files in a program of their own. What else is written as JSON has its fields on the page of its command.

"""


def page(repository, strata):
    schemas = [
        ("summary.json", "What every run writes; [its page](../summary.md) explains it.", "host/analysis/summary.schema.json"),
        ("A run as JSON", "What `strata export RUN --format json` writes; [its page](../export.md).", "host/export/run.schema.json"),
    ]
    parts = [
        f"## {name}\n\n{said} In the repository: [{file}](../../{file}).\n\n```json\n{(repository / file).read_text().rstrip()}\n```"
        for name, said, file in schemas
    ]
    yaml = says(strata, "run", "--json-schema").rstrip()
    parts.append(f"## A run's YAML\n\nWhat `strata run --json-schema` prints.\n\n```json\n{yaml}\n```")
    return HEAD + "\n\n".join(parts) + "\n"
