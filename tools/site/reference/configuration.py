# SPDX-License-Identifier: Apache-2.0
"""Every key of a run's YAML, from `strata run --help-config`."""

import re

from .program import prose, says

HEAD = """\
# Every key of the YAML

What `strata run --help-config` prints, made from the schema that the program checks files against. [A run's YAML](../configuration.md) explains what goes together.
On the command line, and in a grid's axes, a key is written as here: `strata run llama.yaml optimizer.lr=1e-3`. An editor that reads JSON Schema takes `strata run --json-schema`.

"""
SECTION = re.compile(r"^(\w+): (.*)$")
KEY = re.compile(r"^  ([\w.]+)$")


def keys(text):
    """Yield (section, key, help, expectation) of each key, and (section, None, help, "") where a
    section begins."""
    section, key, lines = "", None, []
    for line in [*text.splitlines()[2:], "end: "]:
        at_section, at_key = SECTION.match(line), KEY.match(line)
        if at_section or at_key:
            if key:
                said = " ".join(lines)
                before, _, expected = said.rpartition("Expects ")
                yield section, key, before.strip(), "Expects " + expected
            elif section and lines:
                yield section, None, " ".join(lines), ""
            key, lines = (at_key[1], []) if at_key else (None, [at_section[2]])
            section = at_section[1] if at_section else section
        elif line.strip():
            lines.append(line.strip())


def page(repository, strata):
    parts, last = [], None
    for section, key, said, expected in keys(says(strata, "run", "--help-config")):
        if last is None and not section:
            parts.append("## The run")
        last = section
        if key is None:
            parts.append(f"## {section}\n\n{prose(said)}")
        else:
            parts.append(f"### {key}\n\n{prose(said)}\n\n*{prose(expected)}*")
    return HEAD + "\n\n".join(parts) + "\n"
