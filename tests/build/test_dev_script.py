# SPDX-License-Identifier: Apache-2.0
"""`./dev`: its output, what it rejects, and that it does no work twice."""

import subprocess

import pytest

COMMANDS = ("quickstart", "build", "check", "test", "sanitize", "fuzz", "promises", "bench", "release", "seeds", "pictures", "docs", "format", "lint", "clean", "help")


@pytest.fixture
def dev(repository):
    def run(*words):
        return subprocess.run([repository / "dev", *words], capture_output=True, text=True, timeout=600)

    return run


@pytest.fixture
def set_up(repository):
    if not (repository / ".venv/stamp").is_file():
        pytest.skip("this checkout was not set up by ./dev: .venv/stamp is not there")


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("lint", "--help"), ("test", "-h")])
def test_help_names_every_command(dev, words):
    result = dev(*words)
    assert result.returncode == 0
    described = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
    assert set(COMMANDS) <= set(described)
    assert result.stderr == ""


@pytest.mark.parametrize("words", [("biuld",), ("test", "--everything"), ("sanitize", "msan"), ("release", "--force")])
def test_wrong_usage_exits_2_with_the_help(dev, words):
    result = dev(*words)
    assert result.returncode == 2
    assert result.stdout == ""
    assert f"'{words[-1]}'" in result.stderr
    assert "usage: ./dev" in result.stderr


def test_changed_files_are_those_not_committed_and_the_latest_first(tmp_path, repository):
    """`lint --changed` takes the files in this order."""
    script = (repository / "dev").read_text()
    function = script[script.index("changed_files() {") :].split("\n}\n")[0] + "\n}\n"
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for index in range(12):
        (tmp_path / f"{index}.cpp").write_text("")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", str(index)], check=True)
    (tmp_path / "1.cpp").write_text("int a;")
    (tmp_path / "new.cpp").write_text("")
    (tmp_path / "staged.cpp").write_text("")
    subprocess.run([*git, "add", "staged.cpp"], check=True)
    found = subprocess.run(["bash", "-c", function + "changed_files 10"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert sorted(found[:3]) == ["1.cpp", "new.cpp", "staged.cpp"] and found[3:] == [f"{index}.cpp" for index in range(11, 1, -1)]


def test_a_second_set_up_does_no_work(dev, set_up, repository):
    logs = {path: path.stat().st_mtime_ns for path in (repository / "build/logs").glob("*.log")}
    result = dev("format", "--check", "plugin_api/include/strata/version.h")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert {path: path.stat().st_mtime_ns for path in (repository / "build/logs").glob("*.log")} == logs


def test_a_first_run_waits_for_no_test(build_folder):
    listed = subprocess.run(
        ["ninja", "-C", build_folder, "-t", "inputs", "strata_program"], capture_output=True, text=True, check=True
    ).stdout
    assert "host/cli" in listed and "plugins/allocator_tracer" in listed
    assert "tests/" not in listed and "bench/" not in listed


def test_a_failing_step_names_its_log(dev, set_up, repository):
    result = dev("build", "no_such_preset")
    assert result.returncode == 1
    assert "build/logs/configure-no_such_preset.log" in result.stderr
    assert "No such preset" in result.stderr
    (repository / "build/logs/configure-no_such_preset.log").unlink()
