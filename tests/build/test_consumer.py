# SPDX-License-Identifier: Apache-2.0
"""A project outside the tree builds a plugin and a trainer against an installed Strata, and runs
them."""

import pathlib
import sqlite3
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/release"))

from versions import version  # noqa: E402


def run(*words, **options):
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=600, **options)
    assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def installation(build_folder, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installation")
    run("cmake", "--install", build_folder, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="module")
def consumer(installation, repository, tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer")
    run("cmake", "-G", "Ninja", "-S", repository / "tests/build/consumer", "-B", folder, f"-DCMAKE_PREFIX_PATH={installation}")
    run("cmake", "--build", folder)
    return folder


def test_plugin_and_trainer_work_together(consumer, tmp_path):
    runs = tmp_path / "run"
    runs.mkdir()
    output = run(consumer / "trainer", consumer / "lib/strata/plugins", runs)
    assert output == "loss_recorder ok\n"
    (store,) = runs.glob("rank0/*.sqlite")
    with sqlite3.connect(store) as database:
        rows = database.execute("SELECT step, loss FROM loss_recorder_loss ORDER BY step").fetchall()
    assert rows == [(0, 1.0), (1, 1 / 2), (2, 1 / 3)]


def test_installed_program_finds_its_own(installation, consumer):
    # Without anything from the build tree or an environment.
    plugins = run(installation / "bin/strata", "plugins", env={})
    assert "allocator_tracer" in plugins
    assert "loss_recorder" in run(
        installation / "bin/strata", "plugins", env={"STRATA_PLUGIN_PATH": str(consumer / "lib/strata/plugins")}
    )


def test_installation_mirrors_the_build(installation, build_folder):
    for folder in ("bin", "lib/strata", "lib/strata/plugins", "lib/strata/sources"):
        built = {path.name for path in (build_folder / folder).iterdir() if path.is_file()}
        assert built
        examples = {"step_counter.so", "phase_timer.so", "largest_allocation.so"}  # not installed
        assert {path.name for path in (installation / folder).iterdir() if path.is_file()} | examples == built | examples


def test_another_minor_version_is_refused(installation, tmp_path):
    major, minor, _ = version().split(".")
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES CXX)\nfind_package(strata {major}.{int(minor) + 1} REQUIRED)\n"
    )
    result = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installation}"],
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert version() in result.stderr
