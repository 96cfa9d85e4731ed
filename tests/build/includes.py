# SPDX-License-Identifier: Apache-2.0
"""Which part of the tree may include which: the arrows of README.md and CONTRIBUTING.md, as a table."""

import os.path
import re

# Of each part, the prefixes of what its files may include of ours. The longest prefix that fits a file counts.
PLUGIN_API = ("strata/",)
RUNTIME = ("strata/runtime/",)
ALLOWED = {
    "plugin_api": PLUGIN_API,
    "plugins/*": PLUGIN_API,
    "sources/*": PLUGIN_API,
    "host/runtime": PLUGIN_API + RUNTIME,
    "dry_gpu": ("strata/dry_gpu.h",),
    "host/config": RUNTIME,
    "host/bundle": ("host/config/", "host/analysis/", "host/report/", "host/export/", "host/grid/"),
    "host/drop_in": PLUGIN_API + RUNTIME,
    "host/grid": RUNTIME + ("host/config/", "host/analysis/", "host/report/"),
    "host/analysis": PLUGIN_API,
    "host/report": ("host/analysis/",),
    "host/export": ("host/analysis/",) + PLUGIN_API,
    "host/fit": ("host/config/", "host/analysis/", "host/report/"),
    "host/replay": ("host/analysis/allocator_calls.hpp", "host/analysis/replay.hpp"),
    "host/trainer": RUNTIME + ("host/config/",),
    "host/cli": RUNTIME
    + ("host/bundle/", "host/config/", "host/analysis/", "host/export/", "host/drop_in/settings.hpp", "host/fit/", "host/grid/", "host/report/", "host/replay/entry.hpp", "host/trainer/entry.hpp", "strata/dry_gpu.h"),
}
USES_TORCH = ("sources/torch", "host/replay", "host/trainer")

SUFFIXES = (".c", ".h", ".cpp", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
OURS = re.compile(r"(plugin_api|plugins|sources|dry_gpu|host|strata|tests|bench)/")
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")


def parts(root):
    """(name, folder, what it may include) of each part that is there."""
    for pattern, allowed in ALLOWED.items():
        for folder in sorted(root.glob(pattern)):
            if folder.is_dir():
                yield folder.relative_to(root).as_posix(), folder, allowed


def is_allowed(include, name, allowed):
    if TORCH.match(include):
        return name in USES_TORCH
    if not OURS.match(include):
        return True  # the standard library, the system, a file beside it
    if include.startswith("strata/runtime/"):
        return RUNTIME[0] in allowed
    return include.startswith((name + "/", *allowed))


def includes(root):
    """(part, file and line, included name, whether the part may) of every #include in the tree."""
    for name, folder, allowed in parts(root):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(2)) + 1
                place = f"{path.relative_to(root).as_posix()}:{line}"
                include = match[2]
                if include.startswith("."):
                    include = os.path.relpath(path.parent / include, root)
                yield name, place, include, is_allowed(include, name, allowed)
