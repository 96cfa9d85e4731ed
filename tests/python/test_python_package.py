# SPDX-License-Identifier: Apache-2.0
"""The package itself: its annotations, its wheel in a separate environment, other Python versions,
and consistent pins."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

from program_folder import PACKAGE, REPOSITORY, TREE

NATIVE = ["bin/strata", "lib/libstrata.so", "lib/strata/libstrata_attach.so", "lib/strata/libstrata_preload.so",
          "lib/strata/plugins/allocator_tracer.so", "lib/strata/dry_gpu/libstrata_dry_gpu.so", "share/strata/devices/a100-40gb.yaml"]  # fmt: skip


def project():
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text())


def test_annotations_hold(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)], cwd=REPOSITORY, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (PACKAGE / "strata_profiler/py.typed").exists()


def test_one_version_everywhere():
    import strata_profiler as strata

    [version] = re.findall(r"project\(strata\s+VERSION (\S+)", (REPOSITORY / "CMakeLists.txt").read_text())
    program = subprocess.run([TREE / "bin/strata", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    assert {strata.__version__, project()["project"]["version"], program} == {version}


def test_what_builds_the_wheel_is_pinned_in_one_way():
    pinned = (REPOSITORY / "third_party/requirements-workloads.txt").read_text().splitlines()
    for requirement in project()["build-system"]["requires"]:
        assert requirement in pinned


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    settings = (f"cmake.define.STRATA_BUILD_TREE={TREE}", f"build-dir={folder / 'build'}")
    command += [*(f"--config-settings={each}" for each in settings), str(REPOSITORY)]
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    [wheel] = folder.glob("*.whl")
    return wheel


def test_the_wheel_is_for_every_python_and_holds_all(wheel):
    assert re.fullmatch(r"strata_profiler-[\d.]+-py3-none-linux_x86_64\.whl", wheel.name)
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"strata_profiler/_native/{name}" for name in NATIVE} <= names
    assert {f"strata_profiler/{name}" for name in ("__init__.py", "py.typed", "integrations/transformers.py")} <= names
    assert any(re.match(r"strata_profiler/_native/lib/strata/sources/.*torch", name) for name in names)
    sources = ("strata_profiler/_native/share/strata/source/", "strata_profiler/_native/share/strata/examples/")
    beside_sources = [name for name in names if not name.startswith(sources)]
    assert not [name for name in beside_sources if "step_counter" in name or "__pycache__" in name or name.endswith(".hpp")]


def test_the_wheel_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [folder] = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        told = archive.read(f"{folder}/WHEEL").decode()
        papers = {name: archive.read(f"{folder}/licenses/{name}").decode() for name in ("LICENSE", "THIRD_PARTY_LICENSES.md")}
        materials = json.loads(archive.read(f"{folder}/sboms/strata.cdx.json"))
        metadata = archive.read(f"{folder}/METADATA").decode()
    tags = {line.removeprefix("Tag: ") for line in told.splitlines() if line.startswith("Tag: ")}
    assert tags == {wheel.name.removesuffix(".whl").split("-", 2)[2]}
    assert "Root-Is-Purelib: false" in told
    assert papers == {name: (REPOSITORY / name).read_text() for name in papers}
    assert materials["metadata"]["component"]["version"] == wheel.name.split("-")[1]
    assert "License-Expression: Apache-2.0" in metadata and "Requires-Dist: torch" not in metadata


def test_with_nothing_else_it_starts(wheel, tmp_path):
    """No index to download from, no torch, and only packages that the wheel requires: there are
    none."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = tmp_path / "bare/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python]
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}  # and no PYTHONPATH
    subprocess.run([*pip, "install", "--no-index", "--quiet", wheel], check=True, timeout=300, env=bare)
    installed = subprocess.run([*pip, "list", "--format=freeze"], check=True, capture_output=True, text=True, env=bare).stdout.split()
    assert [line.split("==")[0] for line in installed] == ["strata-profiler"]
    version = call(tmp_path / "bare", "strata", "--version", cwd=tmp_path)
    assert (version.returncode, version.stdout.split()[-1]) == (0, project()["project"]["version"]), version.stderr
    marked = call(tmp_path / "bare", "python", "-c", "import strata_profiler as strata\nstrata.step()\nwith strata.phase('forward'): print(1)", cwd=tmp_path)
    assert (marked.returncode, marked.stdout) == (0, "1\n"), marked.stderr


def test_the_source_distribution_holds_all_that_git_lists(tmp_path):
    pytest.importorskip("scikit_build_core", reason="scikit-build-core: third_party/requirements-workloads.txt")
    made = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", made, tmp_path], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\0")
    wanted = {name for name in listed if name and (REPOSITORY / name).exists()}
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert len(wanted) > 1000 and wanted - held == set()
    assert {name for name in held if name.startswith(("build/", ".venv", ".cache/", "runs/"))} == set()


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An environment with the wheel, and with torch from the tests' own."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [site] = folder.glob("lib/python3.*/site-packages")
    install = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--no-deps", "--quiet", str(wheel)]
    subprocess.run(install, check=True, timeout=300)
    import torch

    (site / "torch_of_the_tests.pth").write_text(str(pathlib.Path(torch.__file__).parents[1]))
    return folder


def call(environment, *words, cwd):
    bare = {"PATH": f"{environment / 'bin'}:/usr/bin:/bin", "HOME": str(cwd)}
    return subprocess.run(words, cwd=cwd, env=bare, capture_output=True, text=True, timeout=300)


TRAIN = """
import torch, strata_profiler as strata
model = torch.nn.Linear(64, 64).cuda() if torch.cuda.is_available() else torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train():
    strata.attach(model, optimizer)
    for _ in range(2):
        strata.step()
        model(torch.randn(4, 64, device=model.weight.device)).sum().backward()
        optimizer.step()
"""


def test_installed_the_program_records(environment, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN + "train()\n")
    done = call(environment, "strata", "exec", "--dry", "a100-40gb", "--out", "out", "--", "python", "train.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/summary.json").exists()


def test_installed_the_package_records_and_reads(environment, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN + 'with strata.run("out", quiet=True):\n    train()\nprint(len(strata.open("out").summary["steps"]))\n')
    done = call(environment, "python", "train.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def test_installed_the_pytest_plugin_is_there(environment, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest, torch\n@pytest.mark.strata_max_memory('1 MiB')\ndef test_it():\n    torch.ones(1 << 20)\n"
    )
    for named in ([], ["-p", "strata_profiler.pytest_plugin"]):
        done = call(environment, "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *named, "test_it.py", cwd=tmp_path)
        assert "1 failed" in done.stdout and "above the budget of 1.000 MiB" in done.stdout, done.stdout + done.stderr


def test_an_environment_that_is_not_activated_names_its_torch(tmp_path):
    """`strata` asks the python3 in PATH, which is a different one. If it is this one, no torch is
    named."""
    program = """
import os, sys
os.execv = lambda *words: print(os.environ.get("STRATA_TORCH_ROOT"))
import strata_profiler.__main__ as it
it.main()
"""
    import torch

    environment = {"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    here = {**environment, "PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"}
    named = {**environment, "STRATA_TORCH_ROOT": "/a/torch"}
    told = [subprocess.run([sys.executable, "-c", program], env=each, capture_output=True, text=True, check=True).stdout.strip() for each in (environment, here, named)]
    assert told == [str(pathlib.Path(torch.__file__).parent), "None", "/a/torch"]


def python(version):
    """Return an interpreter of that version that starts, from PATH or pyenv."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(map(str, pyenv.glob(f"{version}.*/bin/python")))]
    for candidate in filter(None, candidates):
        found = subprocess.run([candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
        if found.stdout.strip() == version:
            return candidate
    return None


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_pythons_open_runs_and_mark(version, tmp_path):
    """These versions have no torch: a session is opened, marked and closed, and a message says what
    cannot be read."""
    interpreter = python(version)
    if interpreter is None:
        pytest.skip(f"no Python {version} here")
    program = """
import strata_profiler as strata
strata.step()
with strata.run("out", plugins=["warmup_analyzer"], quiet=True) as run:
    for _ in range(3):
        strata.step()
        with strata.phase("forward"):
            pass
import sqlite3
[store] = run.directory.glob("rank0/*.sqlite")
print(sqlite3.connect(store).execute("SELECT count(*) FROM step").fetchone()[0])
try:
    strata.open("nowhere")
except strata.RunError as error:
    print(error)
"""
    done = subprocess.run(
        [interpreter, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(PACKAGE)}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\nnowhere: no such folder\n"
