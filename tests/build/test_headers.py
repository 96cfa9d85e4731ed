"""Where the compiler found what it included: CUDA's headers in the virtual environment, whatever else a machine has."""

import pathlib
import subprocess


def test_no_header_of_a_cuda_toolkit_is_used(repository, build_folder):
    listed = subprocess.run(["ninja", "-C", build_folder, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    files = {(build_folder / line.strip()).resolve() for line in listed.splitlines() if line.startswith("    ")}
    (wheel,) = (repository / ".venv/lib").glob("python3.*/site-packages/nvidia/cu13/include")
    cuda = {file.relative_to(wheel) for file in wheel.rglob("*.h")}
    used = {file for file in files if file.is_relative_to(wheel)}
    assert wheel / "cuda_runtime_api.h" in used
    elsewhere = {
        file
        for file in files - used
        if any(pathlib.Path(*file.parts[-length:]) in cuda for length in (1, 2) if len(file.parts) > length)
        and not file.is_relative_to(repository / ".venv")
    }
    assert elsewhere == set()
