# SPDX-License-Identifier: Apache-2.0
"""`./dev fuzz` fails if it ran no target."""

import subprocess
import sys


def test_no_target_is_a_failure(repository, tmp_path):
    result = subprocess.run([sys.executable, repository / "tests/fuzz/run.py", tmp_path], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"no target is built in {tmp_path}" in result.stderr
