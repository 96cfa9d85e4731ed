# SPDX-License-Identifier: Apache-2.0
"""The .deb in a Debian that has only its dependencies: no compiler, no Python, no shell."""

import pathlib

import pytest
from bare_root import BareRoot
from installed_strata import REPOSITORY, VERSION, run

pytestmark = pytest.mark.long

# Libraries that the user brings, besides torch: they are found at run time.
THE_USERS = ("libtorch", "libc10", "libcud", "libcupti", "libnccl")


@pytest.fixture(scope="module")
def bare(packages, tmp_path_factory):
    (deb,) = packages.glob("*.deb")
    bare = BareRoot(tmp_path_factory.mktemp("bare"), str(deb))
    if not bare.namespaces_work("/usr/bin/strata"):
        pytest.skip("no namespaces here: neither root nor a user's own")
    return bare


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
    """This proves that the tests above do not pass because of this machine's libraries."""
    (library,) = (bare.root / "usr/lib").rglob("libyaml-cpp.so.0.7")
    away = pathlib.Path(f"{library}.away")
    library.rename(away)
    try:
        refused = bare("/usr/bin/strata", "--version", status=127)
    finally:
        away.rename(library)
    assert "libyaml-cpp" in refused.stderr
