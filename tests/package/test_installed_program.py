# SPDX-License-Identifier: Apache-2.0
"""The installed program, moved elsewhere: it finds its own parts beside it, and the user's
torch."""

import json
import subprocess

import pytest
from installed_strata import REPOSITORY, TORCH, WITH_TORCH, WITHOUT_TORCH, run

CONFIG = "configs/first_run.yaml"  # part of the installation: the working folder is empty
LOOP = """
import torch
torch.manual_seed(0)
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 64)).square().sum().backward()
    optimizer.step()
"""


@pytest.fixture
def strata(installation, tmp_path):
    """A function that runs the installed program in an empty folder, with WITH_TORCH or the given
    environment."""

    def strata(*words, status=0, env=WITH_TORCH):
        return run(installation / "bin/strata", *words, status=status, env=env, cwd=tmp_path)

    return strata


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


# Without the right to install system packages, they are unpacked here, and the libraries are found
# there (CONTRIBUTING.md).
ALLOWED = ("$ORIGIN", str(REPOSITORY / ".cache/debs"))


def elf_files(installation):
    for path in sorted(installation.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
            yield path


def test_nothing_is_looked_for_where_it_was_built(installation):
    found = list(elf_files(installation))
    assert len(found) > 20
    for path in found:
        listing = subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            if "RUNPATH" in line or "RPATH" in line:
                places = line.split("[")[1].rstrip("]").split(":")
                assert all(place.startswith(ALLOWED) for place in places if place), f"{path}: {line}"


def test_a_run(strata, tmp_path):
    strata("run", CONFIG, "schedule.active=1", "--out", "out")
    assert summary(tmp_path / "out")["categories"]["Unknown"]["max"] == 0


def test_a_dry_run(strata, tmp_path):
    strata("run", CONFIG, "--dry", "a100-40gb", "schedule.active=1", "--out", "out")
    assert summary(tmp_path / "out")["device"] == "cuda:0"


def test_a_program_of_others(strata, tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    strata("exec", "--out", "out", "--", "python3", "loop.py")
    assert [step["index"] for step in summary(tmp_path / "out")["steps"]] == [0, 1, 2]
    strata("exec", "--dry", "h100-80gb", "--out", "dry", "--", "python3", "loop.py")
    assert [step["index"] for step in summary(tmp_path / "dry")["steps"]] == [0, 1, 2]


def test_torch_may_be_named(strata, tmp_path):
    named = {**WITHOUT_TORCH, "STRATA_TORCH_ROOT": str(TORCH)}
    strata("run", CONFIG, "schedule.active=1", "--out", "out", env=named)
    assert (tmp_path / "out/report.html").is_file()


def test_its_parts_are_listed(strata):
    listed = strata("plugins").stdout
    for name in ("allocator_tracer", "warmup_analyzer", "torch"):
        assert name in listed
    assert "step_counter" not in listed, "an example"
    assert "h100-80gb" in strata("devices").stdout


def test_reading_runs_needs_no_torch(strata, tmp_path):
    strata("run", CONFIG, "schedule.active=1", "--out", "out")
    assert "Peak" in strata("report", "out", env=WITHOUT_TORCH).stdout


def refused(strata, env):
    return strata("run", CONFIG, status=2, env=env).stderr


def test_without_torch_it_says_where_it_looked(strata):
    said = refused(strata, WITHOUT_TORCH)
    for part in ("LibTorch was not found", "STRATA_TORCH_ROOT is not set", "python3", "pip install torch==2.11"):
        assert part in said
    assert len(said.splitlines()) == 1


def test_a_folder_without_torch_is_refused(strata, tmp_path):
    said = refused(strata, {**WITH_TORCH, "STRATA_TORCH_ROOT": str(tmp_path)})
    assert f"STRATA_TORCH_ROOT={tmp_path}" in said and "libtorch_cpu.so" in said


def test_another_release_of_torch_is_refused_unopened(strata, tmp_path):
    (tmp_path / "torch/lib").mkdir(parents=True)
    (tmp_path / "torch/lib/libtorch_cpu.so").write_bytes(b"not a library")
    (tmp_path / "torch/version.py").write_text("__version__ = '2.42.0+cu990'\n")
    said = refused(strata, {**WITH_TORCH, "STRATA_TORCH_ROOT": str(tmp_path / "torch")})
    assert "torch 2.42.0" in said and "built for 2.11" in said


def test_doctor_names_the_torch_that_it_found(strata):
    assert str(TORCH.resolve()) in run_doctor(strata, WITH_TORCH)
    assert "STRATA_TORCH_ROOT" in run_doctor(strata, WITHOUT_TORCH, status=1)


def run_doctor(strata, env, status=0):
    return "".join(strata("doctor", status=status, env=env).stdout.split("\n"))


def test_what_is_installed_is_stripped(installation):
    files = [installation / "bin/strata", *installation.glob("lib/**/*.so")]
    assert len(files) > 10
    for file in files:
        assert ".debug_line" not in run("readelf", "--sections", "--wide", file).stdout, file
