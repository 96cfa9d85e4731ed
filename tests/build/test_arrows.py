# SPDX-License-Identifier: Apache-2.0
"""Dependencies go one way only: in the includes of files, and in the links of libraries."""

import graphlib
import re

import pytest
from includes import (
    ALLOWED,
    ALLOWED_EVERYTHING,
    HEADER_FOLDERS,
    USES_CUDA,
    USES_TORCH,
    WITH_CIRCLES,
    circles,
    includes,
    is_in,
    part_of,
    parts,
    sources,
)

pytestmark = pytest.mark.smoke

TORCH_LIBRARIES = ("libtorch", "libc10", "libcuda", "libcupti")


@pytest.fixture(scope="module")
def found(repository):
    """Every #include of the tree, in the form that `includes` yields."""
    return list(includes(repository))


def test_every_include_follows_an_arrow(found):
    assert found
    wrong = [f"{place}: {name} may not include {included}" for name, place, included, ok in found if not ok]
    assert not wrong, "\n".join(wrong)


def test_every_source_file_is_of_a_part(repository):
    names = parts(repository)
    files = [path.relative_to(repository).as_posix() for path in sources(repository)]
    assert len(files) > 1000
    assert not [file for file in files if part_of(file, names) is None and not is_in(file, ALLOWED_EVERYTHING)]


def test_the_table_names_nothing_that_is_not_there(repository):
    for pattern in (*ALLOWED, *ALLOWED_EVERYTHING, *USES_TORCH, *USES_CUDA, *HEADER_FOLDERS):
        assert list(repository.glob(pattern)), f"there is no {pattern}"


def test_what_the_table_allows_is_used(repository, found):
    for pattern, allowed in ALLOWED.items():
        names = {folder.relative_to(repository).as_posix() for folder in repository.glob(pattern)}
        used = [included for name, _, included, _ in found if name in names]
        for prefix in allowed:
            assert any(included.startswith(prefix) for included in used), f"{pattern} includes nothing of {prefix}"


def test_no_two_parts_of_the_host_include_each_other(repository, found):
    names = parts(repository)
    graph = {}
    for name, _, included, _ in found:
        other = part_of(included, names)
        if name.startswith("host/") and other not in (None, name):
            graph.setdefault(name, set()).add(other)
    assert "host/analysis" in graph["host/report"]
    graphlib.TopologicalSorter(graph).prepare()  # raises a CycleError that names the parts


def test_no_folders_of_a_part_include_each_other(repository, found):
    wrong = [text for name in parts(repository) if name not in WITH_CIRCLES for text in circles(found, name)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", WITH_CIRCLES)
def test_a_part_without_a_circle_leaves_the_list(found, name):
    assert list(circles(found, name)), f"the folders of {name} form no circle any more: take it out of WITH_CIRCLES"


def test_every_part_of_the_host_is_drawn(repository):
    text = (repository / "CONTRIBUTING.md").read_text()
    drawn = {part for block in text.split("```")[1::2] for arrow in drawn_arrows(block) for part in arrow}
    assert {name for name in ALLOWED if name.count("/") == 1 and name.startswith("host/")} - drawn == set()


def drawn_arrows(text):
    """Yield (user, what it uses) of lines like `a -> b <- c, d`. Two spaces separate drawings in
    one line."""
    for drawing in re.split(r"\n|  +", text):
        tokens = re.split(r" (->|<-) ", drawing.strip())
        for left, arrow, right in zip(tokens[0::2], tokens[1::2], tokens[2::2]):
            users, used = (left, right) if arrow == "->" else (right, left)
            yield from ((user, other) for user in users.split(", ") for other in used.split(", "))


def test_the_arrows_that_are_drawn_are_the_tables(repository, found):
    text = (repository / "CONTRIBUTING.md").read_text()
    arrows = [arrow for block in text.split("```")[1::2] for arrow in drawn_arrows(block)]
    assert ("sources", "plugin_api") in arrows and ("host/grid", "host/config") in arrows
    pairs = {(name, included) for name, _, included, _ in found}
    for user, used in arrows:
        assert any(is_in(name, (user,)) and is_in(included, (used,)) for name, included in pairs), (user, used)
        assert not any(is_in(name, (used,)) and is_in(included, (user,)) for name, included in pairs), (used, user)


@pytest.fixture()
def tree(repository, tmp_path):
    """A tree that contains only the public headers, for files to be written to."""
    for folder in HEADER_FOLDERS:
        for header in (repository / folder).rglob("*.h*"):
            copy = tmp_path / header.relative_to(repository)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.touch()
    return tmp_path


def broken_arrows(tree, file, line):
    path = tree / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#include <vector>\n{line}\n")
    return [place for _, place, _, ok in includes(tree) if not ok]


@pytest.mark.parametrize(
    "file, included",
    [
        ("plugins/one/one.cpp", "plugins/other/tables.hpp"),
        ("plugins/one/one.cpp", "host/runtime/store/spool.hpp"),
        ("plugins/one/one.cpp", "../../host/runtime/store/spool.hpp"),
        ("plugins/one/one.cpp", "strata/runtime/session.hpp"),
        ("plugins/one/one.cpp", "strata/dry_gpu.h"),
        ("plugins/one/one.cpp", "strata/torch/attach.hpp"),
        ("plugins/one/one.cpp", "strata/no_such_header.h"),
        ("plugins/one/one.cpp", "ATen/ATen.h"),
        ("plugins/one/one.cpp", "cupti.h"),
        ("sources/torch/entry.cpp", "plugins/one/one.hpp"),
        ("sources/torch/ops/names.cpp", "sources/cupti/records/records.hpp"),
        ("sources/torch/ops/names.cpp", "strata/dry_gpu.h"),
        ("sources/cupti/entry.cpp", "c10/core/Device.h"),
        ("sources/cupti/entry.cpp", "dry_gpu/device/machine.hpp"),
        ("plugin_api/include/strata/entry.h", "host/config/schema/schema.hpp"),
        ("plugin_api/include/strata/entry.h", "strata/plugin.hpp"),
        ("plugin_api/cpp/strata/plugin.hpp", "cuda_runtime_api.h"),
        ("dry_gpu/device/memory/pages.cpp", "dry_gpu/cudart/call.hpp"),
        ("dry_gpu/cudart/memory.cpp", "strata/host.h"),
        ("host/runtime/session/session.cpp", "host/cli/commands.hpp"),
        ("host/runtime/session/session.cpp", "c10/core/Device.h"),
        ("host/runtime/include/strata/runtime/session.hpp", "host/runtime/store/spool.hpp"),
        ("host/analysis/facts/facts.cpp", "host/report/page_data/page.hpp"),
        ("host/export/csv.cpp", "host/report/text.hpp"),
        ("host/cli/main.cpp", "host/trainer/loop/backend.hpp"),
        ("examples/cpp/gpt/train.cpp", "strata/runtime/session.hpp"),
    ],
)
def test_an_include_against_the_arrows_is_found(tree, file, included):
    assert broken_arrows(tree, file, f"#include <{included}>") == [f"{file}:2"]
    assert broken_arrows(tree, file, f'  #  include "{included}"  // why') == [f"{file}:2"]


def test_an_include_of_a_macro_is_found(tree):
    assert broken_arrows(tree, "plugins/one/one.cpp", "#include SOMETHING") == ["plugins/one/one.cpp:2"]


@pytest.mark.parametrize(
    "file, included",
    [
        ("plugins/one/one.cpp", "strata/plugin.hpp"),
        ("plugins/one/one.cpp", "plugins/one/tables.hpp"),
        ("sources/torch/ops/names.cpp", "ATen/ATen.h"),
        ("sources/cupti/records.cpp", "strata/dry_gpu.h"),
        ("dry_gpu/cudart/memory.cpp", "dry_gpu/device/machine.hpp"),
        ("examples/cpp/gpt/train.cpp", "strata/torch/attach.hpp"),
    ],
)
def test_an_include_along_the_arrows_is_not(tree, file, included):
    assert broken_arrows(tree, file, f"#include <{included}>") == []


def write_files(tree, files):
    """Write each file with its includes, and read them all."""
    for file, included in files.items():
        path = tree / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{line}"\n' for line in included))
    return list(includes(tree))


def test_a_circle_of_folders_is_found_with_its_files(tree):
    found = write_files(
        tree,
        {
            "host/analysis/facts/block.hpp": ["host/analysis/peak/peak.hpp"],
            "host/analysis/layers/tree.hpp": ["host/analysis/facts/block.hpp"],
            "host/analysis/peak/peak.hpp": ["vector", "host/analysis/layers/tree.hpp"],
            "host/analysis/analyse.cpp": ["host/analysis/peak/peak.hpp"],
        },
    )
    assert "\n".join(circles(found, "host/analysis")).splitlines() == [
        "host/analysis: these folders include each other in a circle: "
        "host/analysis/facts, host/analysis/layers, host/analysis/peak",
        "  host/analysis/facts -> host/analysis/peak",
        "    host/analysis/facts/block.hpp:1: host/analysis/peak/peak.hpp",
        "  host/analysis/layers -> host/analysis/facts",
        "    host/analysis/layers/tree.hpp:1: host/analysis/facts/block.hpp",
        "  host/analysis/peak -> host/analysis/layers",
        "    host/analysis/peak/peak.hpp:2: host/analysis/layers/tree.hpp",
    ]


def test_two_circles_are_two(tree):
    files = {f"host/grid/{folder}/a.hpp": [f"host/grid/{other}/a.hpp"] for folder, other in ("ab", "ba", "cd", "dc")}
    files["host/grid/a/b.hpp"] = ["host/grid/c/a.hpp"]
    found = write_files(tree, files)
    assert [text.splitlines()[0].split(": ")[-1] for text in circles(found, "host/grid")] == [
        "host/grid/a, host/grid/b",
        "host/grid/c, host/grid/d",
    ]


def test_the_root_of_a_part_is_a_folder_too(tree):
    files = {"host/grid/grid.hpp": ["plan.hpp"], "host/grid/plan/plan.cpp": ["../grid.hpp"]}
    assert not list(circles(write_files(tree, files), "host/grid"))
    files["host/grid/grid.hpp"] = ["plan/plan.hpp"]
    files["host/grid/plan/plan.hpp"] = []
    (circle,) = circles(write_files(tree, files), "host/grid")
    assert "    host/grid/plan/plan.cpp:1: host/grid/grid.hpp" in circle.splitlines()


def test_a_file_may_include_its_own_folder_and_another_part(tree):
    files = {
        "host/grid/plan/a.hpp": ["host/grid/plan/b.hpp", "host/report/text/a.hpp"],
        "host/grid/plan/b.hpp": ["host/grid/plan/a.hpp"],
        "host/report/text/a.hpp": [],
    }
    found = write_files(tree, files)
    assert not list(circles(found, "host/grid")) and not list(circles(found, "host/report"))


def linked(build_folder, pattern):
    paths = sorted(build_folder.glob(pattern))
    assert paths, f"{build_folder} has no {pattern}"
    return paths


@pytest.mark.parametrize("pattern", ["bin/strata", "lib/libstrata.so", "lib/strata/plugins/*.so"])
def test_links_no_torch(build_folder, needed_libraries, pattern):
    for path in linked(build_folder, pattern):
        assert not [name for name in needed_libraries(path) if name.startswith(TORCH_LIBRARIES)], path


@pytest.mark.parametrize("pattern", ["lib/strata/libstrata_trainer.so", "lib/strata/sources/torch-*.so"])
def test_links_torch(build_folder, needed_libraries, pattern):
    for path in linked(build_folder, pattern):
        assert "libtorch_cpu.so" in needed_libraries(path)


@pytest.mark.parametrize("pattern", ["lib/strata/plugins/*.so", "lib/strata/sources/*.so"])
def test_needs_nothing_of_the_host(build_folder, needed_libraries, pattern):
    for path in linked(build_folder, pattern):
        assert not [name for name in needed_libraries(path) if name.startswith("libstrata")], path
