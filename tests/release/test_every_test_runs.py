# SPDX-License-Identifier: Apache-2.0
"""Every test file is collected. pytest silently skips some folders, such as any called build."""

import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def test_every_file_of_tests_is_collected():
    written = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "tests").rglob("test_*.py") if "/data/" not in path.as_posix()}
    asked = [sys.executable, "-m", "pytest", "tests", "--collect-only", "-qq"]
    done = subprocess.run(asked, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    collected = {line.rsplit(":", 1)[0] for line in done.stdout.splitlines() if line.startswith("tests/")}
    assert len(written) > 100
    assert written - collected == set()
