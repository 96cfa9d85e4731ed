# SPDX-License-Identifier: Apache-2.0
"""The dry GPU has or explains every symbol that torch's releases need from CUDA's libraries, and
every function of the tables."""

import importlib.util
import pathlib
import re
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).parents[2]
TABLES = REPOSITORY / "dry_gpu/symbols"
RELEASES = sorted((REPOSITORY / "tests/data/torch_imports").glob("*.txt"))

# Real libraries that load without a GPU and need none until they are used.
LEFT_ALONE = re.compile(r"lib(cufile|nvrtc|nvshmem_host)\.so|cuFile|nvrtc|nvshmem")
# Lines of a release's list that the dry GPU does not provide, each with the reason why that is
# acceptable.
LACKING = {}


def load(script):
    specification = importlib.util.spec_from_file_location(script, TABLES / f"{script}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


torch_imports = load("torch_imports")


def listed(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def dynamic_names(pattern, *command):
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return set(re.findall(pattern, listing, re.MULTILINE))


@pytest.fixture(scope="session")
def exported(dry_gpu_folder):
    return dynamic_names(r"(\w+)$", "nm", "-D", "--defined-only", dry_gpu_folder / "libstrata_dry_gpu.so")


@pytest.fixture(scope="session")
def facades(dry_gpu_folder):
    """Return the symbol version of the facade of each library that the dry GPU replaces."""
    files = [*dry_gpu_folder.glob("*.facade.so"), dry_gpu_folder / "libcuda.so.1"]
    assert len(files) >= 12
    names = dynamic_names(r"SONAME.*\[(.*)\]", "readelf", "-dW", *files)
    assert len(names) == len(files)
    versions = dynamic_names(r"Index: 2 .*Name: (\S+)", "readelf", "-VW", *files)
    assert versions == names, "torch asks each of CUDA's libraries for a version named like its file"
    return names


@pytest.fixture(scope="session")
def lacking(exported, facades):
    """A function that returns the lines that nothing in the dry GPU provides."""
    entry_points = {line.split()[0] for line in listed(TABLES / "driver_versions.txt")}

    def is_there(line):
        kind, name, *version = line.split()
        if LEFT_ALONE.match(name):
            return True
        if kind == "needs":
            return name in facades
        if kind == "asks":
            return name in entry_points | exported
        assert kind == "imports", line
        return name in exported and facades.issuperset(version)

    return lambda lines: {line for line in lines if not is_there(line)}


@pytest.fixture(scope="session")
def installed_torch():
    """Return the version of the installed torch, and the symbols that its libraries need."""
    packages = pathlib.Path(importlib.util.find_spec("torch").origin).parents[1]
    libraries = sorted((packages / "torch/lib").glob("lib*.so*"))
    assert len(libraries) > 5
    return torch_imports.installed_version(packages), torch_imports.wanted(libraries)


def test_every_release_is_listed():
    assert {".".join(path.stem.split(".")[:2]) for path in RELEASES} == {"2.11", "2.12", "2.13", "2.14", "2.15"}


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_what_a_release_wants_is_there(release, lacking):
    lines = listed(release)
    assert len(lines) > 700
    assert sorted(lacking(lines)) == sorted(LACKING.keys() & set(lines))


def test_nothing_is_excused_that_is_there(lacking):
    wanted = set().union(*map(listed, RELEASES))
    assert sorted(lacking(wanted)) == sorted(LACKING)
    assert all(LACKING.values()), "each has a reason"


def test_what_is_unknown_is_lacking(lacking):
    unknown = [
        "asks cuMemCreateTomorrow",
        "imports cudaMalloc libcudart.so.14",
        "imports ncclTomorrow",
        "needs libcublas.so.14",
    ]
    known = ["asks cuMemCreate", "imports cudaMalloc libcudart.so.13", "imports ncclSend", "needs libcublas.so.13"]
    assert sorted(lacking(unknown + known)) == unknown


def test_what_the_installed_torch_wants_is_there(installed_torch, lacking):
    _, wanted = installed_torch
    assert len(wanted) > 700
    assert sorted(lacking(wanted) - LACKING.keys()) == []


def test_the_list_of_the_installed_torch_is_what_its_libraries_want(installed_torch):
    version, wanted = installed_torch
    kept = REPOSITORY / f"tests/data/torch_imports/{version}.txt"
    if kept not in RELEASES:
        pytest.skip(f"torch {version} is not among the kept releases")
    assert listed(kept) == wanted


def test_the_library_exports_nothing_else(exported):
    ours = re.compile(r"strata_dry_gpu_|_ZN3c1027reportMemoryUsageToProfiler")
    assert sorted(name for name in exported if not torch_imports.OF_CUDA.match(name) and not ours.match(name)) == []


# It returns nothing, so it cannot report an error, and it is in no header of the pinned release.
NOT_YET = {
    "ncclParamDumpAll",
}


def test_every_function_of_the_tables_is_there(exported):
    tables = [path for path in TABLES.glob("*.txt") if path.stem != "driver_versions" and path.suffixes == [".txt"]]
    functions = {line.split()[0] for table in tables for line in listed(table)}
    assert len(functions) > 2500
    assert sorted(functions - exported) == sorted(NOT_YET)
