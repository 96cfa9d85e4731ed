# SPDX-License-Identifier: Apache-2.0
"""Dependencies point one way: in what files include, and in what libraries link."""

import pytest
from includes import ALLOWED, USES_TORCH, includes

TORCH_LIBRARIES = ("libtorch", "libc10", "libcuda", "libcupti")


def test_every_include_follows_an_arrow(repository):
    found = list(includes(repository))
    assert found
    wrong = [f"{place}: {name} may not include {included}" for name, place, included, ok in found if not ok]
    assert not wrong, "\n".join(wrong)


def test_the_table_names_every_part_of_the_tree(repository):
    for pattern in ALLOWED:
        assert list(repository.glob(pattern)), f"there is no {pattern}"
    parts = {name for name, *_ in includes(repository)}
    host = {f"host/{folder.name}" for folder in (repository / "host").iterdir() if folder.is_dir()}
    assert host <= parts
    assert set(USES_TORCH) <= parts


@pytest.mark.parametrize(
    "file, included",
    [
        ("plugins/one/one.cpp", "plugins/other/tables.hpp"),
        ("plugins/one/one.cpp", "host/runtime/spool.hpp"),
        ("plugins/one/one.cpp", "../../host/runtime/spool.hpp"),
        ("plugins/one/one.cpp", "strata/runtime/session.hpp"),
        ("plugins/one/one.cpp", "ATen/ATen.h"),
        ("sources/torch/entry.cpp", "plugins/one/one.hpp"),
        ("plugin_api/include/strata/entry.h", "host/config/schema.hpp"),
        ("host/runtime/session.cpp", "host/cli/commands.hpp"),
        ("host/runtime/session.cpp", "c10/core/Device.h"),
        ("host/analysis/facts.cpp", "host/report/page.hpp"),
        ("host/cli/main.cpp", "host/trainer/loop/backend.hpp"),
    ],
)
def test_an_include_against_the_arrows_is_found(tmp_path, file, included):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"#include <vector>\n#include <{included}>\n")
    assert [place for _, place, _, ok in includes(tmp_path) if not ok] == [f"{file}:2"]


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
