# SPDX-License-Identifier: Apache-2.0
"""What records a torch that this Strata did not come with: built when it is met, or said why not."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from workspaces import STRATA

SHIPPED = pathlib.Path(STRATA).parents[1] / "lib/strata/sources"
HEADER = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR {minor}\n#define TORCH_VERSION_PATCH 0\n"


@pytest.fixture
def other_torch(workspace):
    """A folder that looks like torch 2.77 without CUDA."""
    root = workspace.folder / "torch"
    (root / "lib").mkdir(parents=True)
    for library in ("libtorch.so", "libtorch_cpu.so", "libc10.so"):
        (root / "lib" / library).touch()
    header = root / "include/torch/headeronly/version.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER.format(minor=77))
    return root


def build(workspace, torch, **environment):
    return workspace.strata("build-source", torch, XDG_CACHE_HOME=str(workspace.folder / "cache"), **environment)


def test_without_a_compiler_the_remedy_is_said(workspace, other_torch):
    result = build(workspace, other_torch, PATH=str(workspace.folder), CXX="")
    assert result.returncode == 2
    assert "torch 2.77" in result.stderr and "no C++ compiler" in result.stderr and "apt-get install g++" in result.stderr
    assert "came with: 2.11" in result.stderr


def test_a_compiler_that_is_not_there_is_named(workspace, other_torch):
    result = build(workspace, other_torch, CXX="no-such-compiler")
    assert result.returncode == 2 and "CXX=no-such-compiler" in result.stderr


def test_a_build_that_fails_says_where_and_leaves_no_file(workspace, other_torch):
    result = build(workspace, other_torch)
    assert result.returncode == 2
    assert "could not be built" in result.stderr and "error" in result.stderr
    built = list((workspace.folder / "cache/strata/sources").rglob("torch-2.77*"))
    assert {path.suffix for path in built} == {".cpp", ".log"}


def test_a_folder_without_torch_is_refused(workspace):
    result = build(workspace, workspace.folder)
    assert result.returncode == 2 and "no torch with headers" in result.stderr


def test_the_file_is_named_by_the_release_that_the_trainer_has():
    torch = pytest.importorskip("torch")
    assert (SHIPPED / f"torch-{'.'.join(torch.__version__.split('.')[:2])}.so").exists()


def test_doctor_lists_the_releases(workspace):
    cache = workspace.folder / "cache"
    version = workspace.strata("--version").stdout.split()[1]
    (cache / "strata/sources" / version).mkdir(parents=True)
    (cache / "strata/sources" / version / "torch-2.77.so").touch()
    checks = json.loads(workspace.strata("doctor", "--json", XDG_CACHE_HOME=str(cache)).stdout)["checks"]
    (finding,) = [check for check in checks if check["name"] == "torch releases"]
    assert finding["verdict"] == "ok"
    assert "2.11" in finding["detail"] and "2.77 (built here)" in finding["detail"]


def test_doctor_says_what_of_compiled_programs_is_seen(workspace):
    """tests/integration/test_beside_others.py tests that it is so."""
    checks = json.loads(workspace.strata("doctor", "--json").stdout)["checks"]
    (finding,) = [check for check in checks if check["name"] == "torch.compile"]
    assert finding["verdict"] == "ok" and "one range" in finding["detail"]


def test_what_is_built_is_whole_and_used_again(workspace):
    """The shipped release, once more, as another would be."""
    torch = pytest.importorskip("torch")
    first = build(workspace, torch.__path__[0])
    assert first.returncode == 0, first.stderr
    assert "once; this takes a minute" in first.stderr
    file = pathlib.Path(first.stdout.strip())
    exported = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True).stdout.split()
    assert exported[2::3] == ["strata_plugin_entry"]
    again = build(workspace, torch.__path__[0])
    assert again.returncode == 0 and again.stdout == first.stdout and again.stderr == ""


def test_a_program_goes_on_where_its_torch_cannot_be_recorded(tmp_path):
    """With an installation that has no source of events and no compiler."""
    prefix = tmp_path / "prefix"
    (prefix / "lib/strata").mkdir(parents=True)
    build_folder = pathlib.Path(STRATA).parents[1]
    for path in ("bin", "share"):
        (prefix / path).mkdir()
    os.link(STRATA, prefix / "bin/strata")
    os.link(build_folder / "lib/libstrata.so", prefix / "lib/libstrata.so")
    for path in (build_folder / "lib/strata").iterdir():
        if path.name != "sources":
            if path.is_dir():
                (prefix / "lib/strata" / path.name).symlink_to(path)
            else:
                os.link(path, prefix / "lib/strata" / path.name)
    (prefix / "lib/strata/sources").mkdir()
    (prefix / "share/strata").symlink_to(build_folder / "share/strata")
    (tmp_path / "program.py").write_text("import torch\nprint(torch.ones(3).sum().item())\n")
    result = subprocess.run(
        [prefix / "bin/strata", "exec", "--out", "out", "--", sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path), "CXX": "", "XDG_CACHE_HOME": str(tmp_path / "cache"), "LD_LIBRARY_PATH": str(prefix / "lib")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (result.returncode, result.stdout) == (0, "3.0\n"), result.stderr
    assert "no C++ compiler" in result.stderr and "nothing of process" in result.stderr
