# SPDX-License-Identifier: Apache-2.0
"""The compiler takes CUDA's headers from the virtual environment, whatever else a machine has."""

import pathlib
import subprocess

import pytest

pytestmark = pytest.mark.smoke


def test_no_header_of_a_cuda_toolkit_is_used(repository, build_folder):
    command = ["ninja", "-C", build_folder, "-t", "deps"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = {(build_folder / line.strip()).resolve() for line in listed.splitlines() if line.startswith("    ")}
    (wheel,) = (repository / ".venv/lib").glob("python3.*/site-packages/nvidia/cu13/include")
    ours = {file for file in used if file.is_relative_to(repository)}
    assert {wheel / "cuda_runtime_api.h", wheel / "crt/host_defines.h", wheel / "nv/target"} <= ours
    cuda = {file.relative_to(wheel) for file in wheel.rglob("*") if file.is_file()}
    endings = {file: [pathlib.Path(*file.parts[-length:]) for length in (1, 2, 3)] for file in used - ours}
    assert {file for file, ends in endings.items() if any(end in cuda for end in ends)} == set()
