# SPDX-License-Identifier: Apache-2.0
"""The decoder compiled with the headers of a later CUPTI, which a later torch uses: it reads the
fields that both have."""

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")
FILES = (
    "recording/kinds.cpp",
    "records/device_records.cpp",
    "records/host_records.cpp",
    "records/launch_functions.cpp",
    "records/record_decoder.cpp",
    "recording/subscription.cpp",
)
# The offsets of the record fields that the decoder reads; one program prints them with either
# headers.
LAYOUT = r"""
#include <cstddef>
#include <cstdio>
#include "sources/cupti/records/records.hpp"
using namespace strata::cupti;
#define PLACE(record, field) std::printf(#record "." #field " %zu\n", offsetof(record, field));
int main() {
  PLACE(CUpti_ActivityKernel10, start) PLACE(CUpti_ActivityKernel10, name) PLACE(CUpti_ActivityKernel10, graphId)
  PLACE(CUpti_ActivityMemcpy6, bytes) PLACE(CUpti_ActivityMemcpy6, graphId) PLACE(CUpti_ActivityMemcpyPtoP4, graphId)
  PLACE(CUpti_ActivityMemset4, graphId) PLACE(CUpti_ActivityGraphTrace2, streamId)
  PLACE(CUpti_ActivityAPI, returnValue) PLACE(CUpti_ActivitySynchronization2, streamId)
  PLACE(CUpti_ActivityOverhead3, overheadData) PLACE(CUpti_ActivityMemory4, memoryPoolConfig)
  PLACE(CUpti_ActivityMemoryPool3, timestamp)
  PLACE(CUpti_ActivityJit2, threadId) PLACE(CUpti_ActivityExternalCorrelation, correlationId)
  PLACE(CUpti_ActivityContext3, deviceId)
}
"""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=["13.2", "13.3"])
def later_headers(request):
    """(release, include folder) of nvidia-cuda-cupti, kept in the build folder."""
    folder = STRATA.parents[1] / f"cupti-{request.param}"
    folder.mkdir(exist_ok=True)
    for package in ("nvidia-cuda-cupti", "nvidia-cuda-runtime"):  # CUPTI's headers include CUDA's of the same release
        if list(folder.glob(f"{package.replace('-', '_')}-*.whl")):
            continue
        download = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"{package}=={request.param}.*"],
            capture_output=True,
            text=True,
            timeout=600,
        )
        if download.returncode != 0:
            pytest.skip(f"CUPTI {request.param}'s headers are not here and cannot be had: {download.stderr.strip()[-200:]}")
    if not (folder / "nvidia").exists():
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder, [name for name in archive.namelist() if "/include/" in name])
    return request.param, folder / "nvidia/cu13/include"


def compiler(*first):
    import nvidia

    cuda = pathlib.Path(next(iter(nvidia.__path__))) / "cu13/include"
    folders = [f"-I{REPOSITORY}", f"-I{REPOSITORY}/plugin_api/include", f"-I{REPOSITORY}/plugin_api/cpp"]
    return ["c++", "-std=c++20", "-Wall", "-Wextra", *folders, *(f"-isystem{folder}" for folder in (*first, cuda))]


def layout(folder, *include):
    program = folder / "layout"
    source = folder / "layout.cpp"
    source.write_text(LAYOUT)
    subprocess.run([*compiler(*include), source, "-o", program], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("file", FILES)
def test_the_decoder_compiles(later_headers, file):
    _, include = later_headers
    source = REPOSITORY / "sources/cupti" / file
    result = subprocess.run([*compiler(include), "-fsyntax-only", source], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-3000:]


def test_what_is_read_lies_where_it_did(later_headers, tmp_path):
    _, include = later_headers
    now, later = layout(tmp_path), layout(tmp_path, include)
    assert now == later
    assert len(now) > 15
