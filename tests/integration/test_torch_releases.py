# SPDX-License-Identifier: Apache-2.0
"""Recording with a torch that this Strata was not shipped for: the source is built on first use, or
a message says why not."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from workspaces import STRATA

SHIPPED = pathlib.Path(STRATA).parents[1] / "lib/strata/sources"
HEADER = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR {minor}\n#define TORCH_VERSION_PATCH {patch}\n"


def fake_torch(root, minor=77, patch=0, version=None):
    """A folder that looks like that torch without CUDA."""
    (root / "lib").mkdir(parents=True)
    for library in ("libtorch.so", "libtorch_cpu.so", "libc10.so"):
        (root / "lib" / library).touch()
    header = root / "include/torch/headeronly/version.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER.format(minor=minor, patch=patch))
    if version is not None:
        (root / "version.py").write_text(f"__version__ = '{version}'\n")
    return root


@pytest.fixture
def other_torch(workspace):
    return fake_torch(workspace.folder / "torch")


@pytest.fixture
def quick_compiler(workspace):
    """A compiler that writes an empty file instead of compiling, and a line into `compiled`."""
    compiler = workspace.write("compiler", '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\necho "$2" >> "$COMPILED"\n')
    compiler.chmod(0o755)
    compiled = workspace.write("compiled", "")
    return {"CXX": str(compiler), "COMPILED": str(compiled)}


def build(workspace, torch, **environment):
    return workspace.strata("build-source", torch, XDG_CACHE_HOME=str(workspace.folder / "cache"), **environment)


def test_without_a_compiler_the_remedy_is_said(workspace, other_torch):
    result = build(workspace, other_torch, PATH=str(workspace.folder), CXX="")
    assert result.returncode == 2
    assert "torch 2.77" in result.stderr and "no C++ compiler" in result.stderr and "apt-get install g++" in result.stderr
    assert "without building: 2.11" in result.stderr


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


def test_patch_releases_and_variants_have_files_of_their_own(workspace, quick_compiler):
    versions = ["2.77.0+cpu", "2.77.1+cpu", "2.77.1+cu130", "2.77.1+cu126"]
    files = set()
    for version in versions:
        patch = int(version.split(".")[2].split("+")[0])
        result = build(workspace, fake_torch(workspace.folder / version, patch=patch, version=version), **quick_compiler)
        assert result.returncode == 0, result.stderr
        files.add(pathlib.Path(result.stdout.strip()).name)
    assert files == {f"torch-{version}.so" for version in versions}


def test_a_torch_that_does_not_say_what_it_is_is_told_by_its_libraries(workspace, quick_compiler):
    root = fake_torch(workspace.folder / "torch", patch=3)
    assert build(workspace, root, **quick_compiler).stdout.strip().endswith("/torch-2.77.3+cpu.so")


def test_it_is_built_again_for_other_sources_alone(workspace, other_torch, quick_compiler):
    """It is not built again for an identical copy elsewhere or for another compiler, and then needs
    no compiler."""
    def built():
        return len(pathlib.Path(quick_compiler["COMPILED"]).read_text().splitlines())

    [first] = {build(workspace, other_torch, **quick_compiler).stdout for _ in range(2)}
    twin = fake_torch(workspace.folder / "twin")
    without_compiler = build(workspace, twin, PATH=str(workspace.folder), CXX="")
    assert (without_compiler.returncode, without_compiler.stdout) == (0, first), without_compiler.stderr
    assert built() == 1
    pathlib.Path(first.strip()).with_suffix(".stamp").write_text("of another Strata")
    assert build(workspace, other_torch, **quick_compiler).stdout == first and built() == 2


def shipped_file():
    torch = pytest.importorskip("torch")
    return SHIPPED / f"torch-{'.'.join(torch.__version__.split('.')[:2])}.so"


def test_the_file_is_named_by_the_release_that_the_trainer_has():
    assert shipped_file().exists()


def test_doctor_lists_the_releases(workspace):
    cache = workspace.folder / "cache"
    version = workspace.strata("--version").stdout.split()[1]
    sources = cache / "strata/sources" / version
    sources.mkdir(parents=True)

    def listed():
        checks = json.loads(workspace.strata("doctor", "--json", XDG_CACHE_HOME=str(cache)).stdout)["checks"]
        (finding,) = [check for check in checks if check["name"] == "torch releases"]
        assert finding["verdict"] == "ok"
        return finding["detail"]

    brought = listed().removeprefix("strata exec records ").split(";")[0]
    assert brought.startswith("2.11") and "built here" not in brought
    (sources / f"torch-{brought}.so").touch()
    assert "built here" not in listed(), "it came with Strata, too"
    (sources / "torch-2.77.1+cu130.so").touch()
    assert brought in listed() and "2.77.1+cu130 (built here)" in listed()


def test_doctor_says_what_of_compiled_programs_is_seen(workspace):
    """tests/integration/test_beside_others.py tests that the message is true."""
    checks = json.loads(workspace.strata("doctor", "--json").stdout)["checks"]
    (finding,) = [check for check in checks if check["name"] == "torch.compile"]
    assert finding["verdict"] == "ok" and "one range" in finding["detail"]


def test_what_is_built_is_whole_and_used_again(workspace):
    """Build the shipped release again, as if it were another one."""
    torch = pytest.importorskip("torch")
    first = build(workspace, torch.__path__[0])
    assert first.returncode == 0, first.stderr
    assert "once; this takes a minute" in first.stderr
    file = pathlib.Path(first.stdout.strip())
    exported = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True).stdout.split()
    assert exported[2::3] == ["strata_plugin_entry"]
    again = build(workspace, torch.__path__[0])
    assert again.returncode == 0 and again.stdout == first.stdout and again.stderr == ""


def without_sources(tmp_path):
    """The program of an installation without torch's event source."""
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
    return prefix / "bin/strata"


def record_with(strata, tmp_path, **environment):
    return subprocess.run(
        [strata, "exec", "--out", "out", "--", sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "LD_LIBRARY_PATH": str(tmp_path / "prefix/lib"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_what_is_in_the_cache_from_other_sources_is_not_used(tmp_path):
    """The file would be loaded, but it is no library."""
    torch = pytest.importorskip("torch")
    strata = without_sources(tmp_path)
    version = subprocess.run([strata, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    cache = tmp_path / "cache/strata/sources" / version
    cache.mkdir(parents=True)
    for name in (f"torch-{torch.__version__}.so", f"torch-{torch.__version__}.stamp", shipped_file().name):
        (cache / name).write_text("of another Strata")
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp {shipped_file()} "$2"\n')
    compiler.chmod(0o755)
    (tmp_path / "program.py").write_text("import torch\nlayer = torch.nn.Linear(8, 8)\nlayer(torch.ones(2, 8)).sum().backward()\nprint('on')\n")
    result = record_with(strata, tmp_path, CXX=str(compiler))
    assert (result.returncode, result.stdout) == (0, "on\n"), result.stderr
    assert "building the source of events" in result.stderr
    assert json.loads((tmp_path / "out/summary.json").read_text())["categories"]["Gradient"]["max"] > 0
    shutil.rmtree(tmp_path / "out")
    again = record_with(strata, tmp_path, CXX=str(compiler))
    assert "building" not in again.stderr and (tmp_path / "out/summary.json").exists(), again.stderr
    assert str(cache) not in again.stderr, "nothing is said where nothing is built"


def test_a_program_goes_on_where_its_torch_cannot_be_recorded(tmp_path):
    strata = without_sources(tmp_path)
    (tmp_path / "program.py").write_text("import torch\nprint(torch.ones(3).sum().item())\n")
    result = record_with(strata, tmp_path, PATH=str(tmp_path), CXX="")
    assert (result.returncode, result.stdout) == (0, "3.0\n"), result.stderr
    assert "no C++ compiler" in result.stderr and "nothing of process" in result.stderr


def test_what_came_for_another_cuda_of_the_release_is_taken(tmp_path):
    """A wheel has files for several builds; here torch has the same number but comes from another
    index. Nothing is built."""
    torch = pytest.importorskip("torch")
    number, variant = torch.__version__.split("+")
    strata = without_sources(tmp_path)
    parts = tmp_path / f"prefix/lib/strata/torch-{number}"
    parts.mkdir()
    other = "cpu" if variant.startswith("cu") else "cu999"
    for name in (other, "rocm7"):  # no library: opening it would fail
        (parts / f"torch-{number}+{name}.so").write_text("of another kind")
    shutil.copy(shipped_file(), parts / f"torch-{number}+{'cu999' if variant.startswith('cu') else 'cpu1'}.so")
    (tmp_path / "program.py").write_text("import torch\nlayer = torch.nn.Linear(8, 8)\nlayer(torch.ones(2, 8)).sum().backward()\n")
    result = record_with(strata, tmp_path, PATH=str(tmp_path), CXX="")
    assert result.returncode == 0 and "compiler" not in result.stderr, result.stderr
    assert json.loads((tmp_path / "out/summary.json").read_text())["categories"]["Gradient"]["max"] > 0


def test_a_trainer_is_chosen_by_the_torch_that_is_found(workspace, tmp_path):
    strata = without_sources(tmp_path)
    parts = tmp_path / "prefix/lib/strata/torch-2.77.0"
    parts.mkdir()
    (parts / "torch-2.77.0+cpu.so").touch()
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path / "prefix/lib")}

    def told(torch, *words):
        return subprocess.run([strata, *words], env={**environment, "STRATA_TORCH_ROOT": str(torch)}, capture_output=True, text=True, timeout=60)

    config = workspace.write("run.yaml", "name: it\nmodel: {name: transformer, size: small}\ndata: {source: synthetic, batch_size: 1}\n")
    unknown = told(fake_torch(tmp_path / "unknown", minor=78, version="2.78.0+cpu"), "run", config)
    assert unknown.returncode == 2
    assert "no trainer for torch 2.78.0, found by STRATA_TORCH_ROOT" in unknown.stderr and "2.77.0" in unknown.stderr
    missing = told(fake_torch(tmp_path / "known", version="2.77.0+cpu"), "run", config)
    assert missing.returncode == 2 and f"{parts}/libstrata_trainer.so does not exist" in missing.stderr
    checks = json.loads(told(tmp_path / "known", "doctor", "--json").stdout)["checks"]
    (finding,) = [check for check in checks if check["name"] == "torch releases"]
    assert "2.77.0+cpu" in finding["detail"]
