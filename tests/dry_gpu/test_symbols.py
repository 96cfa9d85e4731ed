"""What torch's libraries import from CUDA's is accounted for, and the tables are of the libraries that are installed."""

import importlib.util
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
TABLES = HERE.parents[1] / "dry_gpu/symbols"

OF_CUDA = re.compile(r"(__cuda|cuda|cu[A-Z]|cublas|cudnn|cusparse|cusolver|cufft|curand|nccl|cupti)")
# Real libraries that load and need no GPU until they are asked to do something.
LEFT_ALONE = re.compile(r"cuFile")


def symbols(option, library):
    listing = subprocess.run(["nm", "-D", option, library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


@pytest.fixture(scope="session")
def exported(dry_gpu_folder):
    return symbols("--defined-only", dry_gpu_folder / "libstrata_dry_gpu.so")


@pytest.fixture(scope="session")
def torch_libraries():
    folder = pathlib.Path(importlib.util.find_spec("torch").origin).parent / "lib"
    found = sorted(folder.glob("lib*.so"))
    assert len(found) > 5
    return found


def test_everything_that_torch_imports_is_there(exported, torch_libraries):
    imported = set().union(*(symbols("--undefined-only", library) for library in torch_libraries))
    of_cuda = {name for name in imported if OF_CUDA.match(name) and not LEFT_ALONE.match(name)}
    assert len(of_cuda) > 600
    assert sorted(of_cuda - exported) == []


def test_the_library_exports_nothing_else(exported):
    assert sorted(name for name in exported if not OF_CUDA.match(name) and not name.startswith("strata_dry_gpu_")) == []


# Descriptors of textures and of old sparse matrices, and names of errors of a library that LibTorch never asks.
NOT_YET = {
    "cudaCreateChannelDesc",
    "cusparseGetMatDiagType",
    "cusparseGetMatFillMode",
    "cusparseGetMatIndexBase",
    "cusparseGetMatType",
    "cusparseLtGetErrorName",
    "cusparseLtGetErrorString",
    "ncclResetDebugInit",
}


def test_every_function_of_the_tables_is_there(exported):
    listed = {
        line.split()[0]
        for table in TABLES.glob("*.txt")
        if not table.name.endswith(".effectless.txt") and table.name != "driver_versions.txt"
        for line in table.read_text().splitlines()
        if not line.startswith("#")
    }
    assert len(listed) > 2500
    assert sorted(listed - exported) == sorted(NOT_YET)
