# SPDX-License-Identifier: Apache-2.0
"""Which parts of the tree may include which others: the arrows of README.md and CONTRIBUTING.md as
a table."""

import os.path
import re

# For each part, the files of ours that its files may include besides their own, as prefixes of the
# included file. This also holds for names as users write them (<strata/host.h> is
# plugin_api/include/strata/host.h). A file belongs to the innermost part that contains it.
PLUGIN_API = ("plugin_api/",)
RUNTIME = ("host/runtime/include/",)
DRY_GPU = ("dry_gpu/include/",)
ALLOWED = {
    "plugin_api": (),
    "plugin_api/include": (),  # C: includes none of the C++ beside it
    "plugin_api/cpp": ("plugin_api/include/",),
    "plugins/*": PLUGIN_API,
    "sources/*": PLUGIN_API,
    "sources/cupti": PLUGIN_API + DRY_GPU,
    "host/runtime": PLUGIN_API,
    "host/runtime/include": (),
    "dry_gpu": (),
    "dry_gpu/include": (),
    "dry_gpu/clock": ("dry_gpu/cuda_api.hpp", "dry_gpu/device/"),
    "dry_gpu/device": DRY_GPU + ("dry_gpu/cuda_api.hpp", "dry_gpu/clock/"),
    "host/config": RUNTIME,
    "host/bundle": ("host/config/", "host/analysis/", "host/report/", "host/export/", "host/grid/"),
    "host/drop_in": PLUGIN_API + RUNTIME,
    "host/snapshot": PLUGIN_API + RUNTIME,
    "host/grid": ("host/config/", "host/analysis/", "host/report/"),
    "host/analysis": PLUGIN_API,
    "host/report": ("host/analysis/",),
    "host/export": ("host/analysis/", "host/report/words/") + PLUGIN_API,
    "host/what_if": ("host/config/", "host/analysis/", "host/report/"),
    "host/replay": ("host/analysis/allocator/allocator_calls.hpp", "host/analysis/allocator/replay.hpp", "host/analysis/facts/cuda_allocator.hpp"),
    "host/trainer": RUNTIME + ("host/config/",),
    "host/cli": RUNTIME
    + DRY_GPU
    + ("host/bundle/", "host/config/", "host/analysis/", "host/export/", "host/drop_in/settings.hpp", "host/what_if/", "host/grid/", "host/report/", "host/snapshot/", "host/replay/entry.hpp", "host/trainer/entry.hpp"),
    "examples": PLUGIN_API + ("sources/torch/include/",),
}
# They use the internals of what they test or measure.
ALLOWED_EVERYTHING = ("tests", "bench")
USES_TORCH = ("sources/torch", "host/replay", "host/trainer", "examples")
USES_CUDA = ("sources", "dry_gpu", "host/replay")

# Parts whose folders include each other in a circle. The public headers do: strata/trainer.h uses
# the extensions, which use strata/events.h, and programs include all of them by these names. Add no
# others.
WITH_CIRCLES = ("plugin_api/include",)

HEADER_FOLDERS = (
    "plugin_api/include",
    "plugin_api/cpp",
    "host/runtime/include",
    "sources/torch/include",
    "dry_gpu/include",
)
SUFFIXES = (".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inc", ".inl")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*([<"]?)([^>"\n]+)', re.MULTILINE)
OURS = re.compile(r"(plugin_api|plugins|sources|dry_gpu|host|strata|tests|bench|examples|python|tools)/")
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
CUDA = re.compile(r"(cuda|cublas|cudnn|cufft|cupti|curand|cusolver|cusparse|nccl|nvrtc|driver_types|generated_cuda)")


def is_in(path, folders):
    """Whether the path is one of the folders, or in one of them."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def parts(root):
    """Return each part that exists: its folder's name, and what it may include. No two have the
    same name."""
    found = {}
    for pattern, allowed in ALLOWED.items():
        for folder in sorted(root.glob(pattern)):
            if folder.is_dir():
                found[folder.relative_to(root).as_posix()] = allowed
    return found


def sources(root):
    """Yield our C and C++ files, without built files, downloaded files and environments."""
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and not folder.name.startswith(".") and folder.name not in ("build", "third_party"):
            yield from (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file())


def part_of(file, names):
    """Return the innermost part that contains a file, or None."""
    return max((name for name in names if is_in(file, (name,))), key=len, default=None)


def included_file(root, path, include):
    """Return our file that is included, relative to the root; or the name as written if it is not
    ours."""
    if include.startswith("strata/"):
        there = [folder for folder in HEADER_FOLDERS if (root / folder / include).is_file()]
        return f"{there[0]}/{include}" if there else include
    if (path.parent / include).is_file() or include.startswith("."):
        return os.path.relpath(path.parent / include, root)
    return include


def is_allowed(included, name, allowed):
    if TORCH.match(included):
        return is_in(name, USES_TORCH)
    if CUDA.match(included):
        return is_in(name, USES_CUDA)
    if not OURS.match(included):
        return True  # the standard library, the system, libraries from third_party/
    return included.startswith((name + "/", *allowed))


def includes(root):
    """Yield (part, file and line, included file, whether the part may include it) of every #include
    in the tree's parts."""
    allowed = parts(root)
    for path in sources(root):
        file = path.relative_to(root).as_posix()
        name = part_of(file, allowed)
        if name is None:
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            place = f"{file}:{text.count(chr(10), 0, match.start(2)) + 1}"
            if not match[1]:  # a macro: the file is unknown
                yield name, place, match[2].strip(), False
                continue
            included = included_file(root, path, match[2])
            yield name, place, included, is_allowed(included, name, allowed[name])


def folder_edges(found, name):
    """Return which folders of a part include each other: (folder, folder) to the includes, as
    "file:line: file". The part's root counts as a folder, too."""
    edges = {}
    for part, place, included, _ in found:
        if part != name or not is_in(included, (name,)):
            continue
        edge = os.path.dirname(place), os.path.dirname(included)
        if edge[0] != edge[1]:
            edges.setdefault(edge, []).append(f"{place}: {included}")
    return edges


def reached(edges, folder):
    """Return the folders that one includes, directly or through others."""
    seen, ahead = set(), [folder]
    while ahead:
        here = ahead.pop()
        new = {used for user, used in edges if user == here} - seen
        seen |= new
        ahead.extend(new)
    return seen


def circles(found, name):
    """Yield the circles in which folders of a part include each other, as text with its folders,
    edges and files."""
    edges = folder_edges(found, name)
    from_each = {folder: reached(edges, folder) for edge in edges for folder in edge}
    groups = {frozenset(other for other in seen if folder in from_each[other]) for folder, seen in from_each.items()}
    for group in sorted(sorted(group) for group in groups if group):
        lines = [f"{name}: these folders include each other in a circle: {', '.join(group)}"]
        for (user, used), files in sorted(edges.items()):
            if user in group and used in group:
                lines += [f"  {user} -> {used}", *(f"    {file}" for file in files)]
        yield "\n".join(lines)
