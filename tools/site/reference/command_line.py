# SPDX-License-Identifier: Apache-2.0
"""Each command's own --help."""

import re

from .program import says

HEAD = """\
# The command line

What each command's `--help` prints. Exit codes are the same everywhere: 0 done, 1 the run failed, 2 bad usage or configuration, 3 out of device memory,
4 a budget or a gate was passed, 130 and 143 interrupted. `strata exec` ends with its program's own code, and uses 125, 126 and 127 for its own failures.

"""


def commands(strata, *words):
    """Yield (words, help) of a command and of all its subcommands."""
    text = says(strata, *words, "--help")
    yield words, text
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    for name in re.findall(r"^  (\w[\w-]*)", listed[1], re.MULTILINE) if listed else []:
        yield from commands(strata, *words, name)


def page(repository, strata):
    parts = []
    for words, text in commands(strata):
        parts.append(f"{'#' * (2 if len(words) < 2 else 3)} strata {' '.join(words)}".rstrip())
        parts.append(f"```text\n{text.rstrip()}\n```")
    return HEAD + "\n\n".join(parts) + "\n"
