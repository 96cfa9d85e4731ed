# SPDX-License-Identifier: Apache-2.0
"""The plugins and their options, from `strata plugins`."""

import re

from .program import says

HEAD = """\
# Plugins and their options

What `strata plugins NAME` prints of each plugin and source that comes with Strata. In a run's YAML an option is written `plugins: [{allocator_tracer: {stacks_above_mib: 1}}]`.
[step_counter](../../plugin_api/examples/c/step_counter.c), [phase_timer](../../plugin_api/examples/cpp/phase_timer.cpp) and
[largest_allocation](../../plugin_api/examples/cpp/largest_allocation.cpp) are examples, and are not installed.

"""


def page(repository, strata):
    names = [line.split()[0] for line in says(strata, "plugins").splitlines() if line.strip()]
    parts = []
    for name in names:
        said = re.sub(r"^file: .*\n", "", says(strata, "plugins", name), flags=re.MULTILINE)
        parts.append(f"## {name}\n\n```text\n{said.rstrip()}\n```")
    return HEAD + "\n\n".join(parts) + "\n"
