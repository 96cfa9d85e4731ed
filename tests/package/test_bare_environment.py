# SPDX-License-Identifier: Apache-2.0
"""The .deb in a Debian that holds what it depends on and nothing else: no compiler, no Python, no shell."""

import os
import pathlib
import shutil
import subprocess

import pytest
from installed_strata import REPOSITORY, VERSION, run

pytestmark = pytest.mark.long

NOTHING_INSTALLED = ("-o", "Dir::State::status=/dev/null", "-o", "APT::Install-Recommends=0", "-o", "APT::Sandbox::User=")
# What the user brings, beside torch: found where it is at run time.
THE_USERS = ("libtorch", "libc10", "libcud", "libcupti", "libnccl")


def depended_on(deb):
    """All that apt would install with it on a machine that has nothing."""
    if shutil.which("apt-get") is None:
        pytest.skip("no apt-get, which knows what a package depends on")
    told = subprocess.run(["apt-get", "install", "--simulate", *NOTHING_INSTALLED, deb], capture_output=True, text=True, timeout=120)
    assert "unmet dependencies" not in told.stdout + told.stderr, told.stdout + told.stderr
    if told.returncode != 0:
        pytest.skip(f"apt-get has no lists of packages: {told.stderr.strip()[-200:]}")
    chosen = [line.split() for line in told.stdout.splitlines() if line.startswith("Inst ")]
    return [f"{words[1]}={words[2].strip('(')}" for words in chosen if words[1] != "strata"]


@pytest.fixture(scope="module")
def bare(packages, tmp_path_factory):
    """A function: runs a program in there, and nothing of this machine is to be seen but /dev."""
    folder = tmp_path_factory.mktemp("bare")
    (deb,) = packages.glob("*.deb")
    (folder / "debs").mkdir()
    chosen = depended_on(deb)
    assert len(chosen) > 10
    fetched = subprocess.run(["apt-get", "-qq", *NOTHING_INSTALLED, "download", *chosen], cwd=folder / "debs", capture_output=True, text=True, timeout=300)
    if fetched.returncode != 0:
        pytest.skip(f"Debian's archive cannot be reached: {fetched.stderr.strip()[-200:]}")
    root = folder / "root"
    for each in [*(folder / "debs").iterdir(), deb]:
        run("dpkg-deb", "--extract", each, root)
    for name in ("proc", "dev", "tmp"):
        (root / name).mkdir(exist_ok=True)
    inside = ["unshare", *(["--map-root-user"] if os.geteuid() else []), "--mount", "--pid", "--fork", "sh", "-c"]
    inside += ['mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"', root]
    if subprocess.run([*map(str, inside), "/usr/bin/strata", "--version"], capture_output=True, env={"PATH": os.environ["PATH"]}).returncode == 1:
        pytest.skip("no namespaces here: neither root nor a user's own")

    def enter(*words, status=0):
        return run(*inside, *words, status=status, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    enter.root = root
    return enter


def test_it_starts(bare):
    assert bare("/usr/bin/strata", "--version").stdout.split()[-1] == VERSION
    assert "allocator_tracer" in bare("/usr/bin/strata", "plugins").stdout
    assert "h100-80gb" in bare("/usr/bin/strata", "devices").stdout


def test_every_library_that_is_asked_for_is_there_or_the_users(bare):
    there = {path.name for path in bare.root.rglob("*.so*")}
    asked = 0
    for path in (bare.root / "usr/lib").rglob("*strata*/**/*.so*"):
        if path.is_symlink() or path.open("rb").read(4) != b"\x7fELF":
            continue
        listed = run("readelf", "--dynamic", "--wide", path).stdout.splitlines()
        needed = [line.split("[")[1].rstrip("]") for line in listed if "(NEEDED)" in line]
        asked += len(needed)
        assert [name for name in needed if name not in there and not name.startswith(THE_USERS)] == [], path
    assert asked > 50


def test_it_records_a_program_and_reports_it(bare):
    source = REPOSITORY / "examples/cpp/no_torch"
    headers = bare.root / "usr/include"
    run("gcc", "-O1", "-I", headers, *source.glob("*.c"), "-o", bare.root / "train", "-ldl", "-lm")
    bare("/usr/bin/strata", "exec", "--out", "/tmp/out", "--", "/train", "6")
    assert "steps" in bare("/usr/bin/strata", "report", "/tmp/out").stdout
    page = (bare.root / "tmp/out/report.html").read_text()
    assert (REPOSITORY / "third_party/licences/LICENSE-d3").read_text() in page


def test_without_a_library_it_depends_on_it_does_not_start(bare):
    """So that the tests above cannot pass by what this machine has."""
    (library,) = (bare.root / "usr/lib").rglob("libyaml-cpp.so.0.7")
    away = pathlib.Path(f"{library}.away")
    library.rename(away)
    try:
        refused = bare("/usr/bin/strata", "--version", status=127)
    finally:
        away.rename(library)
    assert "libyaml-cpp" in refused.stderr
