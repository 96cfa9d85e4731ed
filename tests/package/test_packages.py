# SPDX-License-Identifier: Apache-2.0
"""The .deb and the tarball: unpacked into an empty folder, they run from there."""

import json
import pathlib
import tarfile

import pytest
from installed_strata import BUILD, REPOSITORY, TORCH, VERSION, WITH_TORCH, run


@pytest.fixture(scope="module")
def unpacked(packages, tmp_path_factory):
    """For each kind of package, the folder that contains bin/."""
    folder = tmp_path_factory.mktemp("unpacked")
    (deb,), (archive,) = packages.glob("*.deb"), packages.glob("*.tar.gz")
    run("dpkg", "-x", deb, folder / "deb")
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python has no data_filter
        tar.extractall(folder / "tar")
    (top,) = (folder / "tar").iterdir()
    return {"deb": folder / "deb/usr", "tar": top}


def field(packages, name):
    (deb,) = packages.glob("*.deb")
    return run("dpkg-deb", "--field", deb, name).stdout.strip()


def test_the_deb_says_what_it_needs(packages):
    needed = field(packages, "Depends")
    for library in ("libc6", "libsqlite3-0", "libyaml-cpp0.7", "libfmt9"):
        assert library in needed
    assert "torch" not in needed
    assert field(packages, "Version") == VERSION
    assert "STRATA_TORCH_ROOT" in field(packages, "Description")


def test_both_hold_the_licences_and_what_they_are_made_of(unpacked):
    for top in unpacked.values():
        papers = top / "share/doc/strata"
        assert (papers / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()
        assert (papers / "THIRD_PARTY_LICENSES.md").read_text() == (REPOSITORY / "THIRD_PARTY_LICENSES.md").read_text()
        assert "License: Apache-2.0" in (papers / "copyright").read_text()
        told = json.loads((papers / "strata.cdx.json").read_text())
        assert told["metadata"]["component"]["version"] == VERSION
        assert {each["name"] for each in told["components"] if "version" in each} >= {"D3", "fmt", "SQLite", "LibTorch"}


@pytest.mark.parametrize("kind", ["deb", "tar"])
def test_nothing_names_the_machine_that_built_it(unpacked, kind):
    files = [path for path in unpacked[kind].rglob("*") if path.is_file()]
    assert len(files) > 100
    for place in (REPOSITORY, BUILD, TORCH):
        assert [path for path in files if f"{place}/".encode() in path.read_bytes()] == [], place


def test_both_hold_the_same_files(unpacked):
    files = {
        kind: {path.relative_to(top) for path in top.rglob("*") if path.is_file()} for kind, top in unpacked.items()
    }
    assert files["deb"] == files["tar"]
    assert pathlib.Path("bin/strata") in files["tar"]
    assert not [path for path in files["tar"] if "libtorch" in path.name or path.name.startswith("libc10")]


@pytest.mark.parametrize("kind", ["deb", "tar"])
def test_it_runs_from_where_it_is_unpacked(unpacked, kind, tmp_path):
    strata = unpacked[kind] / "bin/strata"
    config = unpacked[kind] / "share/strata/configs/first_run.yaml"
    run(strata, "run", config, "schedule.active=1", "--out", "out", env=WITH_TORCH, cwd=tmp_path)
    assert (tmp_path / "out/report.html").is_file()
    (tmp_path / "loop.py").write_text("import torch\ntorch.ones(1000).sum()\n")
    run(strata, "exec", "--dry", "t4", "--out", "exec", "--", "python3", "loop.py", env=WITH_TORCH, cwd=tmp_path)
    assert json.loads((tmp_path / "exec/manifest.json").read_text())["end"] == "done"
