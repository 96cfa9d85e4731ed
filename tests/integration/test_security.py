# SPDX-License-Identifier: Apache-2.0
"""Only the user can read what is recorded, and code is loaded only from places that the user
named."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import stat
import subprocess
import sys

import pytest
from workspaces import REPOSITORY, STRATA

COUNTER = pathlib.Path(STRATA).resolve().parents[1] / "lib/strata/plugins/step_counter.so"


def recorded(folder):
    """Return the recorded files, without those that were made from them later."""
    return [folder / "manifest.json", *(folder / "rank0").iterdir()]


@pytest.fixture
def no_mask():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.smoke
@pytest.mark.parametrize("way", ["run", "exec"])
def test_a_run_is_its_users_alone(tiny, no_mask, way):
    words = ["run", "tiny.yaml", "--out", "out"]
    if way == "exec":
        tiny.write("program.py", "import torch\ntorch.rand(8, requires_grad=True).sum().backward()\n")
        words = ["exec", "--out", "out", "--", sys.executable, "program.py"]
    result = tiny.strata(*words)
    assert result.returncode == 0, result.stderr
    out = tiny.folder / "out"
    assert stat.S_IMODE(out.lstat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in recorded(out) if path.is_file()}
    assert any(name.endswith(".sqlite") for name in modes)
    assert set(modes.values()) == {0o600}, modes


def test_a_killed_runs_files_are_its_users_alone(tiny, no_mask):
    """The spools and the files that SQLite puts beside its database exist during a run."""
    tiny.write("program.py", "import os, signal, torch\ntorch.rand(8, requires_grad=True).sum().backward()\nos.kill(os.getpid(), signal.SIGSTOP)\n")
    running = tiny.start("exec", "--out", "out", "--", sys.executable, "program.py")
    out = tiny.folder / "out"
    try:
        child = stopped_child(running)
        files = [path for path in (out / "rank0").rglob("*") if path.is_file()]
        assert len(files) >= 3, files  # the store, a spool, the definitions
        assert {path.name: oct(stat.S_IMODE(path.lstat().st_mode)) for path in files if stat.S_IMODE(path.lstat().st_mode) & 0o077} == {}
    finally:
        os.kill(child, 9)
        running.communicate(timeout=100)


def stopped_child(running):
    for _ in range(600):
        for child in pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                return int(child)
        try:
            running.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(running.communicate())


def test_a_plugin_is_not_looked_for_in_the_working_directory(tiny):
    shutil.copy(COUNTER, tiny.folder / "mine.so")
    shutil.copy(COUNTER, tiny.folder / "libmine.so")
    (tiny.folder / "plugins").mkdir()
    shutil.copy(COUNTER, tiny.folder / "plugins/mine.so")
    for path in ("", ".", "plugins", ":plugins:./plugins"):
        result = tiny.strata("run", "tiny.yaml", "plugins=[mine]", "--out", "out", STRATA_PLUGIN_PATH=path)
        assert result.returncode == 2, path
        assert "no plugin 'mine'" in result.stderr
        # A message points out a relative path.
        entries = "', '".join(entry for entry in path.split(":") if entry)
        assert (f"STRATA_PLUGIN_PATH has '{entries}', which was not searched" if path else "list their absolute paths") in result.stderr
    assert not (tiny.folder / "out").exists()
    whole = tiny.strata("run", "tiny.yaml", "plugins=[mine]", "--out", "out", STRATA_PLUGIN_PATH=str(tiny.folder / "plugins"))
    assert f"{tiny.folder}/plugins/mine.so contains no plugin 'mine'" in whole.stderr  # the file is found, but its plugin has another name
    named = tiny.strata("run", "tiny.yaml", "plugins=[./mine.so]", "--out", "named")
    assert named.returncode == 0, named.stderr


MARKED = """
#include <strata/trainer.h>
int main(void) {
  STRATA_STEP_BEGIN();
  STRATA_STEP_END();
  return 0;
}
"""
OPENED = """
#include <stdio.h>
__attribute__((constructor)) static void tell(void) { puts("opened"); fflush(stdout); }
"""


def test_a_program_with_rights_of_its_own_opens_nothing_from_the_environment(tmp_path):
    """A mark opens the library that STRATA_ATTACH names, but not in a setuid program, which any
    user may start."""
    (tmp_path / "marked.c").write_text(MARKED)
    (tmp_path / "opened.c").write_text(OPENED)
    include = f"-I{REPOSITORY / 'plugin_api/include'}"
    subprocess.run(["gcc", include, "-o", tmp_path / "marked", tmp_path / "marked.c"], check=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "opened.so", tmp_path / "opened.c"], check=True)
    environment = {"STRATA_ATTACH": str(tmp_path / "opened.so")}
    plain = subprocess.run([tmp_path / "marked"], env=environment, capture_output=True, text=True, check=True)
    assert plain.stdout == "opened\n"
    if os.geteuid() != 0 or os.statvfs(tmp_path).f_flag & os.ST_NOSUID:
        pytest.skip("to make a program setuid to somebody else takes root, and a file system that minds it")
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.owner() == "root" and folder != pathlib.Path("/") and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)  # pytest's own folder, so that the other user may enter
    os.chown(tmp_path / "marked", 65534, 65534)
    (tmp_path / "marked").chmod(0o4755)
    setuid = subprocess.run([tmp_path / "marked"], env=environment, capture_output=True, text=True, check=True)
    assert (setuid.stdout, setuid.stderr) == ("", "")


def test_nothing_is_written_through_a_link_in_a_run_that_somebody_sent(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    tiny.write("precious", "mine")
    for name in ("summary.json", "report.html"):
        (tiny.folder / "out" / f"{name}.part").symlink_to(tiny.folder / "precious")
        (tiny.folder / "out" / name).unlink()
        (tiny.folder / "out" / name).symlink_to(tiny.folder / "precious")
    assert tiny.strata("report", "out").returncode == 0
    assert (tiny.folder / "precious").read_text() == "mine"


def sent(tiny, **links):
    """A run of `strata exec` that has not been opened yet; the files named in `links` are links."""
    folder = tiny.folder / "sent"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "rank0").mkdir(parents=True)
    (folder / "exec.json").write_text("{}")
    for name, target in links.items():
        path = folder / name.replace("__", "/")
        if path.is_dir():
            path.rmdir()
        path.symlink_to(target)
    return folder


def contents(folder):
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def database(file, statements):
    with contextlib.closing(sqlite3.connect(file)) as store, store:
        store.executescript(statements)


def test_a_run_that_somebody_sent_acts_on_nothing_outside_of_its_folder(tiny):
    """Links to files that look like an empty store, like one to recover and like a rank's own."""
    outside = tiny.folder / "outside"
    (outside / "7.spool").mkdir(parents=True)
    (outside / "manifest-7.json").write_text("{}")
    (outside / "manifest.json").write_text("mine")
    database(outside / "7.sqlite", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); INSERT INTO meta VALUES ('a', 'b')")
    shutil.copytree(outside, tiny.folder / "settled")
    (tiny.folder / "settled/7.spool").rmdir()
    database(tiny.folder / "settled/8.sqlite", "CREATE TABLE host_step_end (step INTEGER); INSERT INTO host_step_end VALUES (1)")
    (tiny.folder / "settled/manifest-8.json").write_text("{}")
    for links in ({"rank0": outside}, {"rank0": tiny.folder / "settled"}, {"rank1": tiny.folder / "settled"}):
        before = contents(outside) | contents(tiny.folder / "settled")
        result = tiny.strata("report", sent(tiny, **links))
        assert result.returncode == 1, (links, result.stderr)
        assert contents(outside) | contents(tiny.folder / "settled") == before, links


def test_no_page_is_written_into_a_linked_ranks_folder(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    shutil.copytree(tiny.folder / "out/rank0", tiny.folder / "others")
    (tiny.folder / "out/rank1").symlink_to(tiny.folder / "others")
    before = contents(tiny.folder / "others")
    result = tiny.strata("report", "out", "--rank", "1")
    assert "rank1 is a symbolic link" in result.stderr and "peak" in result.stdout.lower()
    assert contents(tiny.folder / "others") == before


@pytest.mark.parametrize("manifest", ["[]", "7", '{"store": 1}', '{"store": {"lost": 1}}', '{"store": null}'])
def test_a_manifest_of_any_form_is_read_for_what_it_is(tiny, manifest):
    folder = sent(tiny)
    database(folder / "rank0/7.sqlite", "CREATE TABLE host_step_end (step INTEGER); INSERT INTO host_step_end VALUES (1)")
    (folder / "rank0/manifest-7.json").write_text(manifest)
    result = tiny.strata("report", folder)
    assert result.returncode == 1
    assert "json" not in result.stderr.replace(".json", "") and "manifest" in result.stderr, result.stderr
